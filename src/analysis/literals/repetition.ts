/**
 * The repetition solver, for everything that repeats: calls in a section, arguments in a call, items
 * in a list. Given the literals before the first item, between two, after the last and, where it is
 * known, the text that stands for no items, it finds
 *
 *     open  itemOpen ITEM itemClose  separator  itemOpen ITEM itemClose  close
 */
import type { BoundaryStatistics } from './token-boundaries.ts';
import { commonPrefixLength, commonSuffixLength, tokenEdges } from './tokens.ts';

/** The literals around the items. */
interface RepeatedLiterals {
  readonly before: string;
  /** `null` if at most one item is ever rendered. */
  readonly between: string | null;
  readonly after: string;
  /** The literal if there are no items, in place of `before` and `after`; `null` if unknown. */
  readonly none: string | null;
}

/** How the items repeat. */
export interface Repetition {
  readonly open: string;
  readonly itemOpen: string;
  readonly itemClose: string;
  readonly separator: string;
  readonly close: string;
  /** Written in place of `open` and `close` if there are no items. */
  readonly empty: string | null;
  /** Other readings are equally good, and differ in more than white space. */
  readonly tie: boolean;
}

interface Split {
  readonly open: number;
  readonly close: number;
}

/** Solves a repetition. */
export function solveRepetition(text: RepeatedLiterals, boundaries: BoundaryStatistics): Repetition {
  const { between } = text;
  if (between === null) return single(text);
  const ranked = candidateSplits(text, between)
    .map((split) => ({ split, score: score(split, text, between, boundaries) }))
    .sort((a, b) => compareScores(a.score, b.score));
  const best = ranked[0];
  if (best === undefined) return single(text);
  const rival = ranked.find((each) => each !== best && compareScores(each.score, best.score) === 0);
  return describe(best.split, text, between, rival !== undefined);
}

function single(text: RepeatedLiterals): Repetition {
  return {
    open: '',
    itemOpen: text.before,
    itemClose: text.after,
    separator: '',
    close: '',
    empty: null,
    tie: false,
  };
}

function candidateSplits(text: RepeatedLiterals, between: string): readonly Split[] {
  const edges = tokenEdges(between);
  const beforeEdges = tokenEdges(text.before);
  const afterEdges = tokenEdges(text.after);
  const maxOpen = commonSuffixLength([text.before, between]);
  const maxClose = commonPrefixLength([between, text.after]);
  const opens = lengths(maxOpen)
    .filter((length) => edges.has(between.length - length) && beforeEdges.has(text.before.length - length))
    .slice(0, maxCuts);
  const closes = lengths(maxClose)
    .filter((length) => edges.has(length) && afterEdges.has(length))
    .slice(0, maxCuts);
  return opens.flatMap((open) =>
    closes.filter((close) => open + close <= between.length).map((close) => ({ open, close })),
  );
}

/** Number of cuts on each side that are compared with all cuts of the other side; real literals have a dozen. */
const maxCuts = 64;

function lengths(max: number): readonly number[] {
  return Array.from({ length: max + 1 }, (_, index) => index);
}

/** Higher counts mean nothing more. */
const maxWeight = 1000;

/** A vector to compare lexicographically; lower is better. */
function score(
  split: Split,
  text: RepeatedLiterals,
  between: string,
  boundaries: BoundaryStatistics,
): readonly number[] {
  const { before, after, none } = text;
  const open = before.slice(0, before.length - split.open);
  const close = after.slice(split.close);
  const separator = between.slice(split.close, between.length - split.open);
  const itemOpen = between.slice(between.length - split.open);
  const itemClose = between.slice(0, split.close);
  const weights = [
    boundaries.weight(open, itemOpen),
    boundaries.weight(itemClose, separator + itemOpen),
    boundaries.weight(itemClose, close),
  ];
  return [
    none === null || open + close === none ? 0 : 1,
    separator.trim().length,
    separator.length,
    itemOpen.length - itemOpen.trimStart().length,
    weights.filter((weight) => weight === 0).length,
    itemClose.length - itemClose.trimEnd().length > 1 ? 1 : 0,
    -weights.reduce((sum, weight) => sum + Math.min(weight, maxWeight), 0),
  ];
}

function compareScores(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function describe(split: Split, text: RepeatedLiterals, between: string, tie: boolean): Repetition {
  const open = text.before.slice(0, text.before.length - split.open);
  const close = text.after.slice(split.close);
  return {
    open,
    itemOpen: between.slice(between.length - split.open),
    itemClose: between.slice(0, split.close),
    separator: between.slice(split.close, between.length - split.open),
    close,
    empty: emptyForm(text.none, open, close),
    tie,
  };
}

function emptyForm(none: string | null, open: string, close: string): string | null {
  if (none === null || !none.startsWith(open) || !none.endsWith(close)) return null;
  return none.length < open.length + close.length
    ? null
    : none.slice(open.length, none.length - close.length);
}
