/**
 * Declared keys, and beside them any other key, as nested groups in which the next character decides:
 *
 *     "n" ("a" ("me\": " … | key-rest-2 end) | key-rest end) | "s" key-other end | key-rest-3 end
 *
 * `key-rest` is what is left of a key that leaves the trie here, and `key-other` of one that must not become
 * any of some declared keys, none of which may come. They depend on the characters that stay, and on the ends
 * of those keys, so all objects of a grammar share them.
 */
import { alternatives, commonPrefix } from '../alternatives.ts';
import { choice, type Expression, empty, literal, optional, repeat, sequence } from '../expression.ts';
import {
  allCharacters,
  type CharacterSet,
  characterSet,
  charactersOf,
  setKey,
  subtractSets,
} from '../regular/character-set.ts';
import { plainSpelling, type Spelling } from '../regular/spelling.ts';
import { writeNode } from '../regular/write-automaton.ts';
import { spelledCharacter, spelledChoice } from '../regular/write-characters.ts';
import type { RuleSet } from './rule-set.ts';
import type { ObjectNotation } from './syntax.ts';

/** The keys that may come at a place of an object, and what follows each. */
export interface WantedKeys {
  /** Labels of keys, ascending. */
  readonly labels: readonly number[];
  /** Equal where the same follows each label. */
  readonly following: string;
  /** What ends the key `label`, its value, and all that follows. */
  ending(label: number): Expression;
}

/** Writes the keys of an object. */
export interface KeyWriter {
  /** One of the wanted keys, behind the text that opens it, and what follows it. */
  keys(wanted: WantedKeys): Expression;
}

/** A key that is declared; its label is its position among them. */
interface LabelledKey {
  readonly text: string;
  readonly label: number;
}

/** Keys of the sorted list from `low` up to `high`, which have their first `depth` code units in common. */
interface Slice {
  readonly low: number;
  readonly high: number;
  readonly depth: number;
}

/** What a walk through the trie carries along. */
interface Walk {
  readonly wanted: WantedKeys;
  readonly allowed: ReadonlySet<number>;
  /** The end of a key that is not declared; `null` when none may come. */
  readonly free: Expression | null;
}

/** Which places of an object look alike, so that their rules are worth sharing. */
export interface KeyPlaces {
  /** Per label, the first position at which its key may come; one more, for keys that are not declared. */
  readonly earliest: readonly number[];
  /** There are several places of one position, because the object counts, or its keys come in any order. */
  readonly manyPerPosition: boolean;
}

/** No declared key may come, and nothing follows. */
const nothing: WantedKeys = { labels: [], following: 'nothing', ending: () => empty };

/** Groups that are nested more deeply become rules. */
const maxDepth = 100;

/** Writes keys that no pattern tells apart: the declared ones, and with the label after them any other. */
export class KeyTrie implements KeyWriter {
  readonly #sorted: readonly LabelledKey[];
  readonly #freeLabel: number;
  readonly #places: KeyPlaces;
  readonly #rules: RuleSet;
  readonly #spelling: Spelling;
  /** Those that a key may hold. */
  readonly #characters: CharacterSet;
  readonly #key: string;
  readonly #hint: string;

  /** `key` is different for different objects of a rule set. */
  constructor(
    keys: readonly string[],
    places: KeyPlaces,
    { object, rules }: { readonly object: ObjectNotation; readonly rules: RuleSet },
    key: string,
    hint: string,
  ) {
    this.#sorted = keys
      .map((text, label) => ({ text, label }))
      .sort((a, b) => (a.text < b.text ? -1 : Number(a.text > b.text)));
    this.#freeLabel = keys.length;
    this.#places = places;
    this.#rules = rules;
    this.#spelling = object.keySpelling ?? plainSpelling;
    this.#characters = subtractSets(allCharacters, forbiddenInKeys(object));
    this.#key = key;
    this.#hint = `${hint}-key`;
  }

  keys(wanted: WantedKeys): Expression {
    this.#rules.charge(1 + (wanted.labels.length >> 6));
    const allowed = new Set(wanted.labels);
    const free = allowed.has(this.#freeLabel) ? wanted.ending(this.#freeLabel) : null;
    const all: Slice = { low: 0, high: this.#sorted.length, depth: 0 };
    return this.#node(all, { wanted, allowed, free }, 0);
  }

  /** The rest of a key behind what the keys of `slice` have in common. */
  #node(slice: Slice, walk: Walk, nested: number): Expression {
    this.#rules.charge(2 + ((slice.high - slice.low) >> 6));
    if (walk.free === null) return this.#closedNode(slice, walk, nested);
    const none = walk.wanted !== nothing && this.#range(slice, walk) === null;
    return none ? sequence(this.#other(slice), walk.free) : this.#openNode(slice, walk, walk.free, nested);
  }

  /** What is left of a key that is none of those of `slice`. It depends on their ends alone. */
  #other(slice: Slice): Expression {
    const ends = this.#sorted.slice(slice.low, slice.high).map(({ text }) => text.slice(slice.depth));
    if (ends.every((end) => end === '')) return this.#rest([], ends.length === 0);
    const key = `other key ${this.#spelling.id} ${setKey(this.#characters)} ${JSON.stringify(ends)}`;
    const walk: Walk = { wanted: nothing, allowed: new Set(), free: empty };
    return this.#rules.named(key, 'key-other', () => this.#openNode(slice, walk, empty, 0));
  }

  /** Where only declared keys may come, what they have in common is one literal. */
  #closedNode(slice: Slice, walk: Walk, nested: number): Expression {
    const kept = this.#trimmed(slice, walk);
    const common = this.#commonDepth(kept);
    const text = this.#text(kept.low).slice(slice.depth, common);
    const inner: Slice = { ...kept, depth: common };
    const label = this.#labelAt(inner);
    const ends = label !== null && walk.allowed.has(label) ? [walk.wanted.ending(label)] : [];
    const children = this.#children(inner).filter((child) => this.#range(child, walk) !== null);
    const options = children.map((child) =>
      this.#child(child, inner.depth, walk, nested, children.length > 1),
    );
    return sequence(literal(this.#spelling.text(text)), alternatives(...options, ...ends));
  }

  #openNode(slice: Slice, walk: Walk, free: Expression, nested: number): Expression {
    const children = this.#children(slice);
    const label = this.#labelAt(slice);
    const end = label === null ? free : walk.allowed.has(label) ? walk.wanted.ending(label) : null;
    const characters = children.map((child) => this.#text(child.low).slice(slice.depth, child.depth));
    if (!characters.every((each) => this.#spelling.text(each) === each)) {
      return this.#escapedNode(slice, walk, free, end, nested);
    }
    const options = children.map((child) =>
      this.#child(child, slice.depth, walk, nested, children.length > 1),
    );
    const rest = this.#rest(characters, label === null);
    return choice(...options, ...(label === null || end === null ? [] : [end]), sequence(rest, free));
  }

  /** A node with characters that are written as escapes, which begin like those of other keys. */
  #escapedNode(
    slice: Slice,
    walk: Walk,
    free: Expression,
    end: Expression | null,
    nested: number,
  ): Expression {
    const children = this.#children(slice);
    const edges = children.map((child) => {
      const follow = () => this.#node(child, walk, nested + 1);
      const shared = () => this.#named(child, walk, follow);
      return { set: this.#edgeSet(child, slice.depth), inline: follow, shared };
    });
    const others = subtractSets(this.#characters, characterSet(...edges.flatMap(({ set }) => set)));
    const onward = () => sequence(this.#rest([], true), free);
    const rest = others.length === 0 ? [] : [{ set: others, inline: onward, shared: onward }];
    const self = () => this.#named(slice, walk, () => this.#node(slice, walk, 0));
    return writeNode({ edges: [...edges, ...rest], loop: [], self, end }, this.#spelling, this.#rules);
  }

  #edgeSet(child: Slice, depth: number): CharacterSet {
    const point = this.#text(child.low).codePointAt(depth) ?? 0;
    return [[point, point]];
  }

  /** The character that leads to `child` and the rest of the key; a rule where other places need it, too. */
  #child(child: Slice, depth: number, walk: Walk, nested: number, isBranch: boolean): Expression {
    const character = this.#text(child.low).slice(depth, child.depth);
    const text = this.#spelling.text(character);
    if (walk.wanted === nothing && isBranch && text === character) {
      return sequence(literal(text), this.#other(child));
    }
    const write = (deep: number) => sequence(literal(text), this.#node(child, walk, deep));
    // Escapes begin alike, and only in place their common beginning can be factored out.
    const named = text === character && (nested >= maxDepth || (isBranch && this.#isShared(child, walk)));
    return named ? this.#named(child, walk, () => write(0), text) : write(nested + 1);
  }

  #named(slice: Slice, walk: Walk, write: () => Expression, leading = ''): Expression {
    const [first, last] = this.#range(slice, walk) ?? [-1, -1];
    const place = `${slice.low} ${slice.high} ${slice.depth} ${leading}`;
    const key = `${this.#key} ${place} ${first} ${last} ${walk.free !== null} ${walk.wanted.following}`;
    return this.#rules.named(key, this.#hint, write);
  }

  /** Whether the same keys of `slice` are still to come at another position, too. */
  #isShared(slice: Slice, walk: Walk): boolean {
    const { earliest, manyPerPosition } = this.#places;
    const [first] = this.#range(slice, walk) ?? [];
    if (first === undefined) return false;
    if (manyPerPosition) return true;
    let before = (earliest[first] ?? 0) - 1;
    for (let at = slice.low; at < slice.high; at += 1) {
      const label = this.#label(at);
      if (label < first && label > before) before = label;
    }
    return first - before > 1;
  }

  /** Least and greatest label of the keys of `slice` that may come, or `null`. */
  #range({ low, high }: Slice, { allowed }: Walk): readonly [first: number, last: number] | null {
    let first = this.#freeLabel;
    let last = -1;
    for (let at = low; at < high; at += 1) {
      const label = this.#label(at);
      if (!allowed.has(label)) continue;
      first = Math.min(first, label);
      last = Math.max(last, label);
    }
    return last < 0 ? null : [first, last];
  }

  /** `slice` from the first to the last key that may come. */
  #trimmed({ low, high, depth }: Slice, { allowed }: Walk): Slice {
    let first = low;
    let end = high;
    while (first < end && !allowed.has(this.#label(first))) first += 1;
    while (end > first && !allowed.has(this.#label(end - 1))) end -= 1;
    return { low: first, high: end, depth };
  }

  /** Length of what the keys of `slice` have in common; they are sorted, so its ends tell. */
  #commonDepth({ low, high }: Slice): number {
    return commonPrefix(this.#text(low), this.#text(high - 1)).length;
  }

  /** The parts of `slice` that go on with one character each. */
  #children({ low, high, depth }: Slice): readonly Slice[] {
    const found: Slice[] = [];
    let at = low;
    if (at < high && this.#text(at).length === depth) at += 1;
    while (at < high) {
      const point = this.#text(at).codePointAt(depth) ?? 0;
      const start = at;
      while (at < high && this.#text(at).codePointAt(depth) === point) at += 1;
      found.push({ low: start, high: at, depth: depth + (point > 0xffff ? 2 : 1) });
    }
    return found;
  }

  /** The label of the key that ends where `slice` is; `null` where none does. */
  #labelAt({ low, high, depth }: Slice): number | null {
    return low < high && this.#text(low).length === depth ? this.#label(low) : null;
  }

  /** What is left of a key whose next character is none of `characters`; with `mayEnd` also nothing. */
  #rest(characters: readonly string[], mayEnd: boolean): Expression {
    const any = spelledCharacter(this.#characters, this.#spelling, this.#rules);
    if (characters.length === 0) return repeat(any, mayEnd ? 0 : 1);
    const key = `key rest ${this.#spelling.id} ${setKey(this.#characters)} ${characters.join('')} ${mayEnd}`;
    return this.#rules.named(key, 'key-rest', () => {
      const set = subtractSets(this.#characters, charactersOf(characters.join('')));
      const rest = sequence(choice(...spelledChoice([set], [empty], this.#spelling)), repeat(any));
      return mayEnd ? optional(rest) : rest;
    });
  }

  #text(at: number): string {
    return this.#sorted[at]?.text ?? '';
  }

  #label(at: number): number {
    return this.#sorted[at]?.label ?? -1;
  }
}

/** Where keys are written as they are, what follows them must not come in them. */
export function forbiddenInKeys({ keySpelling, keyClose }: ObjectNotation): CharacterSet {
  return keySpelling === null ? charactersOf(Array.from(keyClose)[0] ?? '') : [];
}
