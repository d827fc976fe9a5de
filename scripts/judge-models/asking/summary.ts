/** Adds verdicts up to one row for each mode. */
import { median } from '../../../bench/processor-time.ts';
import type { Verdict } from './ask-questions.ts';
import { freeOf, type ModeName } from './modes.ts';

/** One row of the table: all questions of a set in one mode. */
export interface SummaryRow {
  readonly mode: ModeName;
  readonly asked: number;
  /** Questions that expect a call, and how many of them got one. */
  readonly expecting: number;
  readonly called: number;
  readonly rightTool: number;
  readonly rightValues: number;
  /** Questions that expect no call, and how many of them got none. */
  readonly plain: number;
  readonly plainRight: number;
  readonly invalid: number;
  readonly unassured: number;
  readonly cut: number;
  readonly thrown: number;
  /** Right responses of the free counterpart that are wrong in this mode, and the other way round. */
  readonly madeWrong: number;
  readonly madeRight: number;
  /** Milliseconds of processor time, over all responses. */
  readonly milliseconds: number;
  /** The median of the ratios to the free counterpart, over the responses of the same calls and as many tokens. */
  readonly ratio: number | null;
  /** How many responses these were. */
  readonly compared: number;
}

/** One row for each mode, in the order in which they were asked first. */
export function summarise(verdicts: readonly Verdict[]): readonly SummaryRow[] {
  const modes = [...new Set(verdicts.map(({ mode }) => mode))];
  const byKey = new Map(verdicts.map((verdict) => [keyOf(verdict, verdict.mode), verdict]));
  return modes.map((mode) => {
    const own = verdicts.filter((verdict) => verdict.mode === mode);
    const pairs = own.flatMap((verdict) => {
      const free = byKey.get(keyOf(verdict, freeOf(mode)));
      return free === undefined ? [] : [{ verdict, free }];
    });
    return { mode, ...counts(own), ...comparison(mode, pairs) };
  });
}

function counts(verdicts: readonly Verdict[]) {
  const [expecting, plain] = [true, false].map((wanted) =>
    verdicts.filter(({ question }) => question.calls.length > 0 === wanted),
  ) as [Verdict[], Verdict[]];
  const count = (of: readonly Verdict[], test: (verdict: Verdict) => boolean) => of.filter(test).length;
  const sum = (of: (verdict: Verdict) => number) => verdicts.reduce((total, each) => total + of(each), 0);
  return {
    asked: verdicts.length,
    expecting: expecting.length,
    called: count(expecting, ({ rating }) => rating.decision),
    rightTool: count(expecting, ({ rating }) => rating.tool),
    rightValues: count(expecting, ({ rating }) => rating.values),
    plain: plain.length,
    plainRight: count(plain, ({ rating }) => rating.decision),
    invalid: sum(({ invalid }) => invalid),
    unassured: sum(({ unassured }) => unassured),
    cut: count(verdicts, ({ response }) => response.cut),
    thrown: count(verdicts, ({ response }) => response.thrown !== null),
    milliseconds: sum(({ response }) => response.milliseconds),
  };
}

function comparison(
  mode: ModeName,
  pairs: readonly { readonly verdict: Verdict; readonly free: Verdict }[],
): Pick<SummaryRow, 'madeWrong' | 'madeRight' | 'ratio' | 'compared'> {
  const same = mode === freeOf(mode) ? [] : pairs.filter(({ verdict, free }) => isSame(verdict, free));
  const ratios = same.map(({ verdict, free }) => verdict.response.milliseconds / free.response.milliseconds);
  return {
    madeWrong: pairs.filter(({ verdict, free }) => isRight(free) && !isRight(verdict)).length,
    madeRight: pairs.filter(({ verdict, free }) => !isRight(free) && isRight(verdict)).length,
    ratio: ratios.length === 0 ? null : median(ratios),
    compared: ratios.length,
  };
}

/** Right in what a row counts: the first call with its values, or none where none is expected. */
function isRight({ question, rating }: Verdict): boolean {
  return question.calls.length > 0 ? rating.values : rating.decision;
}

function isSame({ response: one }: Verdict, { response: other }: Verdict): boolean {
  const textOf = ({ content, calls }: typeof one) =>
    JSON.stringify([content.trim(), calls.map((each) => [each.name, each.arguments])]);
  return one.tokens === other.tokens && textOf(one) === textOf(other);
}

function keyOf({ question, seed }: Verdict, mode: ModeName): string {
  return `${question.id} ${seed} ${mode}`;
}
