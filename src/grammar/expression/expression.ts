/**
 * The expression tree: one closed union from which every back end is made (GBNF, Ohm, matcher).
 *
 * Matching is over Unicode code points. Every tree must read the same as a context-free grammar and as
 * a PEG: at each choice and at each repetition the next character alone decides ("LL(1)"), except in
 * `until`, which is defined by its delimiters. Constructors below keep simple trees in that shape; who
 * builds choices of literals uses `oneOf` (`alternatives.ts`), which factors out what they have in common.
 */

/** Inclusive range of code points. */
export type CodePointRange = readonly [from: number, to: number];

/** A node of the tree from which every grammar is printed: what some text of the language looks like. */
export type Expression = Literal | CharacterClass | Sequence | Choice | Repeat | Until | RuleReference;

/** Exactly this text; may be empty. Never holds NUL, which no sampler lets through. */
export interface Literal {
  readonly type: 'literal';
  readonly text: string;
}
/** One code point out of sorted, disjoint ranges; never empty, never holds NUL or surrogates. */
export interface CharacterClass {
  readonly type: 'class';
  readonly ranges: readonly CodePointRange[];
}
/** One after the other. */
export interface Sequence {
  readonly type: 'sequence';
  readonly items: readonly Expression[];
}
/** One of several, at least two; first sets are disjoint, an alternative that can be empty comes last. */
export interface Choice {
  readonly type: 'choice';
  readonly alternatives: readonly Expression[];
}
/** Repetition, as often as possible; `item` is never nullable. `max: null` is unbounded. */
export interface Repeat {
  readonly type: 'repeat';
  readonly item: Expression;
  readonly min: number;
  readonly max: number | null;
}
/**
 * Any text up to the first of several delimiters, that delimiter, and what follows it. A delimiter may
 * end with another one (then the longer counts), and else contains none. In PEG: `(~(d1 | d2) any)* (d1 next1 | d2 next2)`; in GBNF, an automaton.
 */
export interface Until {
  readonly type: 'until';
  /** `next: null`: this delimiter must not come at all (only useful with `mayEnd`). */
  readonly branches: readonly { readonly delimiter: string; readonly next: Expression | null }[];
  /**
   * The text may also end before any delimiter came: in PEG, one more alternative at the end that
   * matches nothing. Such an expression stands last in its sequence.
   */
  readonly mayEnd: boolean;
}
/** A named rule of the surrounding grammar; recursion goes through here. */
export interface RuleReference {
  readonly type: 'rule';
  readonly name: string;
}

/** A start rule and its rules. Names are `[a-z][a-z0-9-]*`. */
export interface Grammar {
  readonly root: string;
  readonly rules: ReadonlyMap<string, Expression>;
}

/** Highest code point. */
export const maxCodePoint = 0x10ffff;

const firstSurrogate = 0xd800;
const lastSurrogate = 0xdfff;

/** The empty text. */
export const empty: Literal = { type: 'literal', text: '' };

/** Exactly `text`. */
export function literal(text: string): Literal {
  return text === '' ? empty : { type: 'literal', text };
}

/** One code point of `ranges`, which are sorted and merged here; NUL and surrogates are taken out. */
export function characterClass(...ranges: readonly CodePointRange[]): CharacterClass {
  return { type: 'class', ranges: normaliseRanges(ranges) };
}

/** One code point that is in none of `ranges` (nor NUL, nor a surrogate). */
export function exceptCharacters(...ranges: readonly CodePointRange[]): CharacterClass {
  const complement: CodePointRange[] = [];
  let next = 0;
  for (const [from, to] of normaliseRanges(ranges)) {
    if (from > next) complement.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= maxCodePoint) complement.push([next, maxCodePoint]);
  return characterClass(...complement);
}

/** Any one code point. */
export const anyCharacter: CharacterClass = exceptCharacters();

/** `items` in order; nested sequences and neighbouring literals are merged, empty ones dropped. */
export function sequence(...items: readonly Expression[]): Expression {
  const merged: Expression[] = [];
  for (const item of items) {
    if (item.type !== 'sequence') append(merged, item);
    else for (const inner of item.items) append(merged, inner);
  }
  const only = merged[0];
  const second = merged[1];
  if (only === undefined) return empty;
  return second === undefined ? only : { type: 'sequence', items: merged };
}

/** Puts `item` at the end of a sequence, or into the literal that is there. */
function append(merged: Expression[], item: Expression): void {
  if (item.type === 'literal') {
    if (item.text === '') return;
    const last = merged[merged.length - 1];
    if (last?.type === 'literal') {
      merged[merged.length - 1] = { type: 'literal', text: last.text + item.text };
      return;
    }
  }
  merged.push(item);
}

/** One of `alternatives`, whose first sets the caller keeps disjoint. */
export function choice(...alternatives: readonly Expression[]): Expression {
  const [only, second] = alternatives;
  if (only === undefined) throw new RangeError('a choice needs an alternative');
  return second === undefined ? only : { type: 'choice', alternatives };
}

/** `item` from `min` to `max` times. */
export function repeat(item: Expression, min = 0, max: number | null = null): Expression {
  if (max === 0) return empty;
  return min === 1 && max === 1 ? item : { type: 'repeat', item, min, max };
}

/** `item` or nothing. */
export function optional(item: Expression): Expression {
  return repeat(item, 0, 1);
}

/** Text up to the first of the delimiters, then the delimiter and its continuation. */
export function until(...branches: Until['branches']): Until {
  return { type: 'until', branches, mayEnd: false };
}

/** Text up to the first of the delimiters and on from there, or text to the end that holds none of them. */
export function untilOrEnd(...branches: Until['branches']): Until {
  return { type: 'until', branches, mayEnd: true };
}

/** Any text that holds none of `texts`; stands last in its sequence. */
export function without(...texts: readonly string[]): Until {
  return untilOrEnd(...texts.map((delimiter) => ({ delimiter, next: null })));
}

/** The rule called `name`. */
export function rule(name: string): RuleReference {
  return { type: 'rule', name };
}

/** Says at compile time that a switch over a union is complete. */
export function unreachable(value: never): never {
  throw new TypeError(`unexpected ${JSON.stringify(value)}`);
}

/** Sorted, disjoint, not adjacent, and without NUL and surrogates. */
function normaliseRanges(ranges: readonly CodePointRange[]): readonly CodePointRange[] {
  const merged: [number, number][] = [];
  for (const [from, to] of isSorted(ranges) ? ranges : [...ranges].sort((a, b) => a[0] - b[0])) {
    if (from <= lastSurrogate && to >= firstSurrogate) {
      addRange(merged, Math.max(from, 1), firstSurrogate - 1);
      addRange(merged, lastSurrogate + 1, to);
    } else addRange(merged, Math.max(from, 1), to);
  }
  return merged;
}

function isSorted(ranges: readonly CodePointRange[]): boolean {
  let before = -1;
  for (const [from] of ranges) {
    if (from < before) return false;
    before = from;
  }
  return true;
}

/** Adds a range to sorted ones of which none begins after it. */
function addRange(ranges: [number, number][], from: number, to: number): void {
  if (from > to) return;
  const last = ranges[ranges.length - 1];
  if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
  else ranges.push([from, to]);
}
