/**
 * The expression tree: a closed union that every back end (GBNF, Ohm, matcher) is generated from.
 *
 * Matching is over Unicode code points. Every tree must match the same texts as a context-free grammar and as a PEG:
 * in each choice and repetition, the next character alone decides (LL(1)), except in `until`, which is defined by its
 * delimiters. The constructors below keep simple trees in that form. Build choices of literals with `oneOf`
 * (`alternatives.ts`), which left-factors them.
 */

/** Inclusive range of code points. */
export type CodePointRange = readonly [from: number, to: number];

/** A node of the tree. */
export type Expression = Literal | CharacterClass | Sequence | Choice | Repeat | Until | RuleReference;

/** Exactly this text, possibly empty. Never contains NUL, which no sampler produces. */
export interface Literal {
  readonly type: 'literal';
  readonly text: string;
}
/** One code point of sorted, disjoint ranges. Never empty; excludes NUL and surrogates. */
export interface CharacterClass {
  readonly type: 'class';
  readonly ranges: readonly CodePointRange[];
}
/** All items, in order. */
export interface Sequence {
  readonly type: 'sequence';
  readonly items: readonly Expression[];
}
/** One of at least two alternatives. First sets are disjoint; a nullable alternative comes last. */
export interface Choice {
  readonly type: 'choice';
  readonly alternatives: readonly Expression[];
}
/** Greedy repetition of `item`, which is never nullable. `max: null` is unbounded. */
export interface Repeat {
  readonly type: 'repeat';
  readonly item: Expression;
  readonly min: number;
  readonly max: number | null;
}
/**
 * Any text up to the first of several delimiters, then that delimiter and its continuation. A delimiter may be a
 * suffix of another (the longer one wins), but otherwise contains none. In PEG: `(~(d1 | d2) any)* (d1 next1 | d2
 * next2)`; in GBNF, an automaton.
 */
export interface Until {
  readonly type: 'until';
  /** `next: null` forbids the delimiter; only useful with `mayEnd`. */
  readonly branches: readonly { readonly delimiter: string; readonly next: Expression | null }[];
  /**
   * The text may also end before any delimiter: in PEG, one more alternative, which matches the end. Such an
   * expression must be the last of its sequence.
   */
  readonly mayEnd: boolean;
}
/** Reference to a named rule of the grammar; all recursion goes through references. */
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

/** Matches exactly `text`. */
export function literal(text: string): Literal {
  return text === '' ? empty : { type: 'literal', text };
}

/** Matches one code point of `ranges`, which get sorted and merged; NUL and surrogates are removed. */
export function characterClass(...ranges: readonly CodePointRange[]): CharacterClass {
  return classOf(ranges);
}

/** Like `characterClass`, for more ranges than a call can have arguments. */
export function classOf(ranges: readonly CodePointRange[]): CharacterClass {
  return { type: 'class', ranges: normaliseRanges(ranges) };
}

/** Matches one code point outside `ranges`, except for NUL and surrogates. */
export function exceptCharacters(...ranges: readonly CodePointRange[]): CharacterClass {
  return classExcept(ranges);
}

/** Like `exceptCharacters`, for more ranges than a call can have arguments. */
export function classExcept(ranges: readonly CodePointRange[]): CharacterClass {
  const complement: CodePointRange[] = [];
  let next = 0;
  for (const [from, to] of normaliseRanges(ranges)) {
    complement.push([next, from - 1]);
    next = to + 1;
  }
  // Ranges of nothing are dropped.
  complement.push([next, maxCodePoint]);
  return classOf(complement);
}

/** Any code point. */
export const anyCharacter: CharacterClass = exceptCharacters();

/** Matches `items` in order. Nested sequences and adjacent literals are merged, empty literals dropped. */
export function sequence(...items: readonly Expression[]): Expression {
  return sequenceOf(items);
}

/** Like `sequence`, for more items than a call can have arguments. */
export function sequenceOf(items: readonly Expression[]): Expression {
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

/** Appends `item` to a sequence, merging adjacent literals. */
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

/** Matches one of `alternatives`; the caller ensures that their first sets are disjoint. */
export function choice(...alternatives: readonly Expression[]): Expression {
  return choiceOf(alternatives);
}

/** Like `choice`, for more alternatives than a call can have arguments. */
export function choiceOf(alternatives: readonly Expression[]): Expression {
  const [only, second] = alternatives;
  if (only === undefined) throw new RangeError('a choice needs an alternative');
  return second === undefined ? only : { type: 'choice', alternatives };
}

/** Matches `item` from `min` to `max` times. */
export function repeat(item: Expression, min = 0, max: number | null = null): Expression {
  if (max === 0) return empty;
  return min === 1 && max === 1 ? item : { type: 'repeat', item, min, max };
}

/** Matches `item` or nothing. */
export function optional(item: Expression): Expression {
  return repeat(item, 0, 1);
}

/** Matches text up to the first delimiter, then the delimiter and its continuation. */
export function until(...branches: Until['branches']): Until {
  return { type: 'until', branches, mayEnd: false };
}

/** Like `until`, but the text may also end without a delimiter. */
export function untilOrEnd(...branches: Until['branches']): Until {
  return { type: 'until', branches, mayEnd: true };
}

/** Matches any text that contains none of `texts`; must be the last of its sequence. */
export function without(...texts: readonly string[]): Until {
  return untilOrEnd(...texts.map((delimiter) => ({ delimiter, next: null })));
}

/** References the rule `name`. */
export function rule(name: string): RuleReference {
  return { type: 'rule', name };
}

/** Makes the compiler check that a switch over a union is exhaustive. */
export function unreachable(value: never): never {
  throw new TypeError(`unexpected ${JSON.stringify(value)}`);
}

/** Sorts and merges ranges; removes NUL and surrogates. */
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
  return ranges.every(([from], at) => from >= (ranges[at - 1]?.[0] ?? from));
}

/** Adds a range to sorted ranges, none of which starts after it. */
function addRange(ranges: [number, number][], from: number, to: number): void {
  if (from > to) return;
  const last = ranges[ranges.length - 1];
  if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
  else ranges.push([from, to]);
}
