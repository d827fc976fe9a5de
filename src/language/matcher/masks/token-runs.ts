/**
 * Tokens that are runs of one class of characters, such as those of a string: most of what may come inside a string,
 * known before the string is. What a mask still has to find is where other tokens leave the class.
 */
import { hasCharacter, intersectsRange, type LookupSet } from '../lookup-set.ts';
import { afterByte, betweenCharacters, type CharacterPart } from '../utf8.ts';
import type { TokenBitmap } from './token-bitmap.ts';
import { noToken, type TokenTrie, tokensOf } from './token-trie.ts';

/** A class of characters. */
export interface CharacterClass {
  /** One bit per ASCII character. */
  readonly ascii: Uint32Array;
  /** The members above ASCII; `null` if there are none. */
  readonly high: LookupSet | null;
  /** Equal for equal classes. */
  readonly key: string;
}

/** Where tokens leave the class by one byte: beginnings of them, as nodes of the trie. */
export interface Exits {
  /** The nodes, in order of the characters of the class before them. */
  readonly nodes: Int32Array;
  /** The place in `nodes` of the first one after 0, 1, 2, … characters, and the end. */
  readonly places: Int32Array;
}

/** The tokens of a vocabulary, seen from one class of characters. */
export class TokenRuns {
  readonly #trie: TokenTrie;
  /** The tokens that consist of members, by their number of characters, of which the last may be incomplete. */
  readonly #inside: readonly (readonly number[])[];
  readonly #bitmaps = new Map<number, TokenBitmap>();
  /** By byte. A byte by which no state of this class can go on has none. */
  readonly exits: readonly Exits[];
  /** The most members of a token, or before the byte by which it leaves the class. */
  readonly longest: number;

  constructor(trie: TokenTrie, members: CharacterClass) {
    this.#trie = trie;
    const { inside, exits } = classify(trie, members);
    this.#inside = inside;
    this.exits = exits;
    this.longest = Math.max(0, inside.length - 1, ...exits.map(({ places }) => places.length - 2));
  }

  /** The tokens of at most `characters` members and nothing else. */
  upTo(characters: number): Readonly<TokenBitmap> {
    const most = Math.min(characters, this.#inside.length - 1);
    const known = this.#bitmaps.get(most);
    if (known !== undefined) return known;
    const bitmap = new Uint32Array(this.#trie.words);
    for (const tokens of this.#inside.slice(0, most + 1)) {
      for (const token of tokens) bitmap[token >> 5] = (bitmap[token >> 5] ?? 0) | (1 << (token & 31));
    }
    this.#bitmaps.set(most, bitmap);
    return bitmap;
  }
}

/** The end of a beginning that has not left the class. */
interface RunPlace {
  /** Characters begun. */
  readonly characters: number;
  readonly part: CharacterPart;
  /** Bits of an incomplete character. */
  readonly bits: number;
}

const start: RunPlace = { characters: 0, part: betweenCharacters, bits: 0 };

/** One walk of the trie, without the subtrees of beginnings that leave the class. */
function classify(trie: TokenTrie, members: CharacterClass) {
  const inside: number[][] = [];
  const exits = Array.from({ length: 0x100 }, (): (readonly [before: number, node: number])[] => []);
  const places: RunPlace[] = [];
  let node = 0;
  while (node < trie.size) {
    const label = trie.labels[node] ?? 0;
    const byte = label & 0xff;
    const depth = label >>> 8;
    const before = places[depth - 1] ?? start;
    const place = before.part.missing > 0 ? within(before, byte, members) : between(before, byte, members);
    if (place === 'exit') exits[byte]?.push([before.characters, node]);
    if (place === 'exit' || place === null) {
      node = trie.ends[node] ?? trie.size;
      continue;
    }
    places[depth] = place;
    while (inside.length <= place.characters) inside.push([]);
    inside[place.characters]?.push(...tokensOf(trie, trie.tokens[node] ?? noToken));
    node += 1;
  }
  return { inside, exits: exits.map(sorted) };
}

/** The place after a character or its first byte; `null` if no text continues so. */
function between(
  { characters }: RunPlace,
  byte: number,
  { ascii, high }: CharacterClass,
): RunPlace | 'exit' | null {
  if (byte < 0x80) {
    const isMember = (((ascii[byte >> 5] ?? 0) >>> (byte & 31)) & 1) === 1;
    return isMember ? { characters: characters + 1, part: betweenCharacters, bits: 0 } : 'exit';
  }
  const part = afterByte(betweenCharacters, byte);
  if (part === null) return null;
  if (high === null) return 'exit';
  const bits = byte & (0x7f >> (part.missing + 1));
  return mayBegin(high, part, bits) ? { characters: characters + 1, part, bits } : null;
}

/** The place after one more byte of a character; `null` if the class has no such character. */
function within(
  { characters, part, bits }: RunPlace,
  byte: number,
  { high }: CharacterClass,
): RunPlace | null {
  const next = afterByte(part, byte);
  if (next === null || high === null) return null;
  const all = (bits << 6) | (byte & 0x3f);
  const isAlive = next.missing === 0 ? hasCharacter(high, all) : mayBegin(high, next, all);
  return isAlive ? { characters, part: next, bits: all } : null;
}

function mayBegin(set: LookupSet, part: CharacterPart, bits: number): boolean {
  const later = 6 * (part.missing - 1);
  const first = ((bits << 6) | (part.low & 0x3f)) << later;
  return intersectsRange(set, first, (((bits << 6) | (part.high & 0x3f)) << later) | ((1 << later) - 1));
}

function sorted(exits: readonly (readonly [before: number, node: number])[]): Exits {
  const inOrder = exits.toSorted(([a], [b]) => a - b);
  const most = inOrder.at(-1)?.[0] ?? -1;
  const places = Array.from({ length: most + 1 }, (_, characters) =>
    inOrder.findIndex(([before]) => before >= characters),
  );
  return {
    nodes: Int32Array.from(inOrder, ([, node]) => node),
    places: Int32Array.from([...places, inOrder.length]),
  };
}
