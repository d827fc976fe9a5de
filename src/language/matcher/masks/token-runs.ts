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

/** Nodes that are looked at in one step: some two milliseconds. */
const nodesPerStep = 50_000;

/** The tokens of a vocabulary, seen from one class of characters. */
export class TokenRuns {
  readonly #trie: TokenTrie;
  readonly #search: RunSearch;
  readonly #bitmaps = new Map<number, TokenBitmap>();
  #exits: readonly Exits[] | null = null;
  #longest = 0;

  constructor(trie: TokenTrie, members: CharacterClass) {
    this.#trie = trie;
    this.#search = new RunSearch(trie, members);
  }

  /** Looks at some more of the vocabulary; false when all of it is known. Whoever asks for more has it finished. */
  advance(): boolean {
    return this.#search.advance(nodesPerStep);
  }

  /** By byte. A byte by which no state of this class can go on has none. */
  get exits(): readonly Exits[] {
    this.#exits ??= this.#finished().exits.map(inOrder);
    return this.#exits;
  }

  /** The most members of a token, or before the byte by which it leaves the class. */
  get longest(): number {
    this.#longest ||= Math.max(
      0,
      this.#finished().inside.length - 1,
      ...this.exits.map(({ places }) => places.length - 2),
    );
    return this.#longest;
  }

  /** The tokens of at most `characters` members and nothing else. */
  upTo(characters: number): Readonly<TokenBitmap> {
    const { inside } = this.#finished();
    const most = Math.min(characters, inside.length - 1);
    const known = this.#bitmaps.get(most);
    if (known !== undefined) return known;
    const bitmap = new Uint32Array(this.#trie.words);
    for (const tokens of inside.slice(0, most + 1)) {
      for (const token of tokens) bitmap[token >> 5] = (bitmap[token >> 5] ?? 0) | (1 << (token & 31));
    }
    this.#bitmaps.set(most, bitmap);
    return bitmap;
  }

  #finished(): RunSearch {
    while (this.#search.advance(nodesPerStep));
    return this.#search;
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

/** Lists by numbers from 0 on. */
type Lists = number[][];

/** Adds to the list of a number, and makes those up to it. */
function addTo(lists: Lists, number: number, value: number): void {
  while (lists.length <= number) lists.push([]);
  lists[number]?.push(value);
}

/** One walk of the trie, without the subtrees of beginnings that leave the class. */
class RunSearch {
  readonly #trie: TokenTrie;
  readonly #members: CharacterClass;
  /** The tokens that consist of members, by their number of characters, of which the last may be incomplete. */
  readonly inside: Lists = [];
  /** The nodes where tokens leave the class, by byte and by the characters before it. */
  readonly exits = Array.from({ length: 0x100 }, (): Lists => []);
  readonly #wholes: readonly RunPlace[];
  /** The place before each byte of the current beginning. */
  readonly #places: RunPlace[];
  #node = 0;

  constructor(trie: TokenTrie, members: CharacterClass) {
    this.#trie = trie;
    this.#members = members;
    this.#wholes = Array.from({ length: trie.longest + 1 }, (_, characters) => whole(characters));
    this.#places = [...this.#wholes];
  }

  /** Visits so many nodes, as far as there are more; false at the end. */
  advance(nodes: number): boolean {
    const { labels, ends, size, tokens } = this.#trie;
    const places = this.#places;
    let node = this.#node;
    for (let visited = 0; visited < nodes && node < size; visited += 1) {
      // A label is `depth << 8 | byte`.
      const label = labels[node] ?? 0;
      const byte = label & 0xff;
      const depth = label >>> 8;
      const before = places[depth] ?? whole(0);
      const place = placeAfter(before, byte, this.#members, this.#wholes);
      if (place === 'exit') addTo(this.exits[byte] ?? [], before.characters, node);
      if (place === 'exit' || place === null) {
        node = ends[node] ?? size;
        continue;
      }
      places[depth + 1] = place;
      this.#addTokens(tokens[node] ?? noToken, place.characters);
      node += 1;
    }
    this.#node = node;
    return node < size;
  }

  #addTokens(entry: number, characters: number): void {
    if (entry >= 0) addTo(this.inside, characters, entry);
    else for (const token of tokensOf(this.#trie, entry)) addTo(this.inside, characters, token);
  }
}

function whole(characters: number): RunPlace {
  return { characters, part: betweenCharacters, bits: 0 };
}

/** The place after one more byte; `null` if no text continues so. `wholes`: the places after whole characters. */
function placeAfter(
  before: RunPlace,
  byte: number,
  members: CharacterClass,
  wholes: readonly RunPlace[],
): RunPlace | 'exit' | null {
  if (before.part.missing > 0) return within(before, byte, members);
  if (byte >= 0x80) return between(before, byte, members);
  const isMember = (((members.ascii[byte >> 5] ?? 0) >>> (byte & 31)) & 1) === 1;
  return isMember ? (wholes[before.characters + 1] ?? null) : 'exit';
}

/** The place after the first byte of a character above ASCII; `null` if no text continues so. */
function between({ characters }: RunPlace, byte: number, { high }: CharacterClass): RunPlace | 'exit' | null {
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

/** Lists one after the other, with the place of each. */
function inOrder(lists: Lists): Exits {
  const nodes = Int32Array.from(lists.flat());
  const places = new Int32Array(lists.length + 1);
  for (const [number, { length }] of lists.entries()) places[number + 1] = (places[number] ?? 0) + length;
  return { nodes, places };
}
