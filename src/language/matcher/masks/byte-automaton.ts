/**
 * The positions of a grammar as the states of a deterministic automaton over bytes, which is built lazily: a state is a
 * number, and a transition a number in a table, found when it is first asked for. Positions are unique objects, so
 * equal states are the same state, and there is no lexer next to the parser.
 */
import { advanceByte, type BytePosition } from '../byte-position.ts';
import type { LookupSet } from '../lookup-set.ts';
import type { Position, Stacks } from '../stacks.ts';
import { afterByte, betweenCharacters, type CharacterPart } from '../utf8.ts';

/** No transition: the byte is not allowed. */
export const dead = -1;
/** The transition has not been asked for: what new memory holds. No state has this number. */
const unknown = 0;

/** A state between characters has a position, and one within a character none. */
type ByteState =
  | { readonly kind: 'between'; readonly position: Position }
  /** Whichever character it is, `target` follows. */
  | { readonly kind: 'rest'; readonly target: number; readonly part: CharacterPart }
  | { readonly kind: 'within'; readonly at: BytePosition };

/** The characters above ASCII that a state allows. */
interface HighCharacters {
  readonly set: LookupSet;
  /** Equal for equal characters. */
  readonly key: string;
  /** The state after any of them; `null` if it depends on the character. */
  readonly target: number | null;
}

/** Leaves the work that `within` has given too few searches for. */
class OutOfSearches extends Error {}

/** States and transitions of one grammar. */
export class ByteAutomaton {
  readonly #stacks: Stacks;
  /** From 1 on. */
  readonly #states: (ByteState | null)[] = [null];
  #rows = new Int32Array(64 << 8);
  /** States between characters, by the numbers of their positions. */
  readonly #byPosition = new Map<number, number>();
  /** States within characters. */
  readonly #numbers = new Map<number | string, number>();
  readonly #filled = new Set<number>();
  readonly #high = new Map<number, HighCharacters | null>();
  readonly #highSets = new Map<number, readonly LookupSet[]>();
  readonly #partNumbers = new Map<CharacterPart, number>();
  /** How much may still be searched for: one for each transition that is not known, and for each set at its state. */
  #searches = Number.POSITIVE_INFINITY;

  constructor(stacks: Stacks) {
    this.#stacks = stacks;
  }

  /** Number of states so far; each takes a kilobyte. */
  get size(): number {
    return this.#states.length - 1;
  }

  /** What `find` finds with so many searches at most; `null` if it takes more. What they have found is kept. */
  within<Found>(searches: number, find: () => Found): Found | null {
    this.#searches = searches;
    try {
      return find();
    } catch (error) {
      if (error instanceof OutOfSearches) return null;
      throw error;
    } finally {
      this.#searches = Number.POSITIVE_INFINITY;
    }
  }

  /** Ends the step, if the work is done in steps: what was found just now has taken as long as one. */
  pause(): void {
    if (this.#searches < Number.POSITIVE_INFINITY) throw new OutOfSearches();
  }

  /** The state of a position. */
  stateAt({ position, part, bits }: BytePosition): number {
    return part.missing === 0 ? this.#between(position) : this.#within(position, part, bits);
  }

  /** The state after `byte`, or `dead`. */
  next(state: number, byte: number): number {
    const known = this.#rows[(state << 8) | byte] ?? dead;
    return known === unknown ? this.#find(state, byte) : known;
  }

  /** The transitions of a state by ASCII characters. */
  ascii(state: number): Int32Array {
    if (!this.#filled.has(state)) {
      this.#fill(state);
      this.#filled.add(state);
    }
    return this.#rows.subarray(state << 8, (state << 8) | firstHigh);
  }

  /** The position of a state between characters, or `null`. */
  position(state: number): Position | null {
    const found = this.#states[state];
    return found?.kind === 'between' ? found.position : null;
  }

  /** The characters above ASCII that a state between characters allows; `null` if none. */
  high(state: number): HighCharacters | null {
    const known = this.#high.get(state);
    if (known !== undefined) return known;
    const position = this.position(state);
    const found = position === null ? null : this.#highOf(position);
    this.#high.set(state, found);
    return found;
  }

  #highOf(position: Position): HighCharacters | null {
    const sets = this.#highSetsOf(position);
    const [set] = sets;
    if (set === undefined) return null;
    const key = highKey(set);
    const [first] = set.ranges.find(([, last]) => last >= firstHigh) ?? [firstHigh];
    const target = sets.every((each) => highKey(each) === key)
      ? this.#after(position, Math.max(first, firstHigh))
      : null;
    return { set, key, target };
  }

  /** The sets of a position that have characters above ASCII. */
  #highSetsOf(position: Position): readonly LookupSet[] {
    const known = this.#highSets.get(position.number);
    if (known !== undefined) return known;
    const sets = position.characters.map(({ node }) => node.set).filter(hasHigh);
    this.#highSets.set(position.number, sets);
    return sets;
  }

  #between(position: Position): number {
    const known = this.#byPosition.get(position.number);
    if (known !== undefined) return known;
    const number = this.#add({ kind: 'between', position });
    this.#byPosition.set(position.number, number);
    return number;
  }

  /** The state within a character: the same for all whose rest does not matter. */
  #within(position: Position, part: CharacterPart, bits: number): number {
    const { first, last } = charactersFrom(part, bits);
    const covers = this.#highSetsOf(position).map((set) => coverage(set, first, last));
    if (!covers.includes('some'))
      return covers.includes('all') ? this.#rest(this.#after(position, first), part) : dead;
    const key = `${this.#between(position)} ${this.#numberOf(part)} ${bits}`;
    return this.#numbers.get(key) ?? this.#keep(key, { kind: 'within', at: { position, part, bits } });
  }

  #rest(target: number, part: CharacterPart): number {
    if (part.missing === 0) return target;
    const key = target * partNumbers + this.#numberOf(part);
    return this.#numbers.get(key) ?? this.#keep(key, { kind: 'rest', target, part });
  }

  #numberOf(part: CharacterPart): number {
    const number = this.#partNumbers.get(part) ?? this.#partNumbers.size;
    this.#partNumbers.set(part, number);
    return number;
  }

  #keep(key: number | string, state: ByteState): number {
    const number = this.#add(state);
    this.#numbers.set(key, number);
    return number;
  }

  #add(state: ByteState): number {
    const number = this.#states.length;
    if ((number + 1) << 8 > this.#rows.length) {
      const grown = new Int32Array(2 * this.#rows.length);
      grown.set(this.#rows);
      this.#rows = grown;
    }
    this.#states.push(state);
    return number;
  }

  #find(state: number, byte: number): number {
    if (this.#searches <= 0) throw new OutOfSearches();
    this.#searches -= 1 + (this.position(state)?.characters.length ?? 0);
    const next = this.#step(state, byte);
    this.#rows[(state << 8) | byte] = next;
    return next;
  }

  #step(number: number, byte: number): number {
    const state = this.#states[number];
    if (state?.kind === 'between') {
      if (byte < firstHigh) return this.#after(state.position, byte);
      if (this.#highSetsOf(state.position).length === 0) {
        this.#rows.fill(dead, (number << 8) | firstHigh, (number + 1) << 8);
        return dead;
      }
      const part = afterByte(betweenCharacters, byte);
      return part === null ? dead : this.#within(state.position, part, byte & (0x7f >> (part.missing + 1)));
    }
    if (state?.kind === 'rest') {
      const part = afterByte(state.part, byte);
      return part === null ? dead : this.#rest(state.target, part);
    }
    const at = state?.kind !== 'within' ? null : advanceByte(this.#stacks, state.at, byte);
    return at === null ? dead : this.stateAt(at);
  }

  #after(position: Position, code: number): number {
    const next = this.#stacks.advance(position, code);
    return next === null ? dead : this.#between(next);
  }

  /** Finds the transitions by ASCII characters: those that are in the same sets lead to the same state. */
  #fill(number: number): void {
    const position = this.position(number);
    const sets = position?.characters.map(({ node }) => node.set) ?? [];
    const bySets = new Map<number, number>();
    for (let byte = 0; byte < firstHigh; byte += 1) {
      const members = sets.length > memberBits ? -1 - byte : membership(sets, byte);
      const next = bySets.get(members) ?? (members === 0 ? dead : this.next(number, byte));
      bySets.set(members, next);
      this.#rows[(number << 8) | byte] = next;
    }
  }
}

/** The first code point, and the first byte, above ASCII. */
const firstHigh = 0x80;
/** More than there are parts of a character. */
const partNumbers = 16;
/** So many sets have a bit each in a number. */
const memberBits = 31;

/** Which of `sets` have the ASCII character `code`, one bit for each. */
function membership(sets: readonly LookupSet[], code: number): number {
  let members = 0;
  for (let set = 0; set < sets.length; set += 1) {
    members |= (((sets[set]?.ascii[code >> 5] ?? 0) >>> (code & 31)) & 1) << set;
  }
  return members;
}

/** The characters that begin with `bits` and continue as `part` says: 6 bits a byte. */
function charactersFrom(
  part: CharacterPart,
  bits: number,
): { readonly first: number; readonly last: number } {
  const later = 6 * (part.missing - 1);
  return {
    first: ((bits << 6) | (part.low & 0x3f)) << later,
    last: (((bits << 6) | (part.high & 0x3f)) << later) | ((1 << later) - 1),
  };
}

/** How many of the characters from `first` to `last` are in the set. */
function coverage({ ranges }: LookupSet, first: number, last: number): 'all' | 'some' | 'none' {
  const touched = ranges.find(([, end]) => end >= first);
  if (touched === undefined || touched[0] > last) return 'none';
  return touched[0] <= first && touched[1] >= last ? 'all' : 'some';
}

/** Whether a set has characters above ASCII. */
export function hasHigh(set: LookupSet): boolean {
  return highKey(set) !== '';
}

const highKeys = new WeakMap<LookupSet, string>();

/** The part of a set above ASCII as a text; '' if it has none. */
function highKey(set: LookupSet): string {
  const known = highKeys.get(set);
  if (known !== undefined) return known;
  const key = set.ranges
    .filter(([, last]) => last >= firstHigh)
    .map(([first, last]) => `${Math.max(first, firstHigh)}-${last}`)
    .join();
  highKeys.set(set, key);
  return key;
}
