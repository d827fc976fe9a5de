/** Finds repeated calls: `call ("\n<tool_call>" call)*`, which become a node if they contain free text. */
import type { Expression } from '../../language/expression/expression.ts';

/** Items of a sequence that occur one or more times, with a separator. */
interface RepeatedCalls {
  readonly body: readonly Expression[];
  readonly separator: string;
  /** Index in the sequence of the repetition. */
  readonly repetitionAt: number;
}

/** The repeated calls from `start` on; `null` if there are none. */
export function repeatedCalls(items: readonly Expression[], start: number): RepeatedCalls | null {
  for (let repetitionAt = start + 1; repetitionAt < items.length; repetitionAt += 1) {
    const separator = separatorBefore(items.slice(start, repetitionAt), items[repetitionAt]);
    if (separator !== null) return { body: items.slice(start, repetitionAt), separator, repetitionAt };
  }
  return null;
}

/** The separator that begins `repetition`, if `body` is all that follows it. */
function separatorBefore(body: readonly Expression[], repetition: Expression | undefined): string | null {
  if (repetition?.type !== 'repeat' || repetition.min !== 0 || repetition.max !== null) return null;
  if (repetition.item.type !== 'sequence') return null;
  const [first, ...rest] = repetition.item.items;
  if (first?.type !== 'literal' || first.text === '' || rest.length !== body.length) return null;
  return JSON.stringify(rest) === JSON.stringify(body) ? first.text : null;
}
