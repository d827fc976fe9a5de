/** Calls that begin with a number, `1. f {…}` and `2. g …`: the number is part of the call and counts the calls. */
import type { CallSpan } from '../probes/call-spans.ts';
import { beforeCalls, betweenCalls, type CallTurn } from '../turn/rendered-turns.ts';

/** The text between number and call, if calls begin with numbers: `. ` in `1. f {…}`; otherwise `null`. */
export function textAfterNumber(turn: CallTurn): string | null {
  const between = betweenCalls(turn);
  const before = beforeCalls(turn);
  if (between === null) return null;
  let length = 0;
  while (length < between.length && between.at(-1 - length) === before.at(-1 - length)) length++;
  const text = between.slice(between.length - length);
  const [first, second] = [before, between].map((each) => numberBefore(each, text));
  const counts = first !== '' && second !== '' && Number(second) === Number(first) + 1;
  return counts ? text : null;
}

/** The number before `text` at the end of a literal. */
function numberBefore(literal: string, text: string): string {
  return /\d+$/.exec(literal.slice(0, literal.length - text.length))?.[0] ?? '';
}

/** The turn, with each call's span extended to its number and the text `after` it. */
export function withNumbers(turn: CallTurn, after: string): CallTurn {
  const [first, ...others] = turn.spans;
  const widened = (span: CallSpan): CallSpan => {
    const literal = turn.text.slice(0, span.start);
    if (!literal.endsWith(after)) return span;
    return { ...span, start: span.start - after.length - numberBefore(literal, after).length };
  };
  return { ...turn, spans: [widened(first), ...others.map(widened)] };
}
