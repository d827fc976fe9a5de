/** Calls one after the other: `call ("\n<tool_call>" call)*`, which is a node where calls hold free text. */
import type { Expression } from '../expression/expression.ts';

/** Items of a sequence that come once or more often, with a text in between. */
export interface RepeatedCalls {
  readonly body: readonly Expression[];
  readonly separator: string;
  /** Index in the sequence of the item that repeats them. */
  readonly repetitionAt: number;
}

/** Those that begin at `start`; `null` where none do. */
export function repeatedCalls(items: readonly Expression[], start: number): RepeatedCalls | null {
  for (let repetitionAt = start + 1; repetitionAt < items.length; repetitionAt += 1) {
    const separator = separatorBefore(items.slice(start, repetitionAt), items[repetitionAt]);
    if (separator !== null) return { body: items.slice(start, repetitionAt), separator, repetitionAt };
  }
  return null;
}

/** The text with which `repetition` begins, if `body` is all that comes after it. */
function separatorBefore(body: readonly Expression[], repetition: Expression | undefined): string | null {
  if (repetition?.type !== 'repeat' || repetition.min !== 0 || repetition.max !== null) return null;
  if (repetition.item.type !== 'sequence') return null;
  const [first, ...rest] = repetition.item.items;
  if (first?.type !== 'literal' || first.text === '' || rest.length !== body.length) return null;
  return JSON.stringify(rest) === JSON.stringify(body) ? first.text : null;
}
