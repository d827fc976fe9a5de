/** Compares the readings of a response with each other and with the expected one. */
import { isObject } from '../format/json-values.ts';
import type { JsonValue } from '../format/messages.ts';
import type { ResponseMessage } from '../parser/events.ts';
import type { CaseDifference } from './case-error.ts';
import { eventLog } from './event-log.ts';
import type { Reading } from './every-cut.ts';
import type { ExpectedCall, ExpectedResponse } from './expected-response.ts';

/** The differences between a message and the expected one. */
export function messageDifferences(
  expected: ExpectedResponse,
  { events, message }: Reading,
): CaseDifference[] {
  const finish = events.find((event) => event.type === 'finish')?.reason ?? 'stop';
  return [
    ...differenceOf('reasoning', expected.reasoning ?? '', message.reasoning_content ?? ''),
    ...differenceOf('content', expected.content ?? '', message.content ?? ''),
    ...callDifferences(expected.calls ?? [], message.tool_calls ?? []),
    ...differenceOf(
      'malformed',
      [...(expected.malformed ?? [])],
      (message.malformed ?? []).map(({ raw }) => raw),
    ),
    ...differenceOf('finish', expected.finish ?? finish, finish),
  ];
}

function callDifferences(
  expected: readonly ExpectedCall[],
  made: NonNullable<ResponseMessage['tool_calls']>,
): CaseDifference[] {
  const names = (calls: readonly { readonly name: string }[]) => calls.map(({ name }) => name);
  const number = differenceOf('calls', names(expected), names(made.map((call) => call.function)));
  if (number.length > 0) return number;
  return expected.flatMap((call, index) => {
    const { id, function: written } = made[index] ?? { id: '', function: { arguments: '{}' } };
    return [
      ...differenceOf(`calls[${index}].arguments`, call.arguments, JSON.parse(written.arguments)),
      ...differenceOf(`calls[${index}].id`, call.id ?? id, id),
    ];
  });
}

function differenceOf(field: string, expected: JsonValue, actual: JsonValue): CaseDifference[] {
  const [left, right] = [comparable(expected), comparable(actual)];
  return left === right ? [] : [{ field, expected: left, actual: right }];
}

/** JSON with sorted keys. */
function comparable(value: JsonValue): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (!isObject(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** The first character that no event covers, or that two cover. */
export function gapDifference({ events }: Reading, text: string): CaseDifference[] {
  let at = events[0]?.start ?? 0;
  for (const { type, start, end } of events) {
    if (start !== at) {
      const actual = `${type} begins at ${start}, the event before it ended at ${at}`;
      return [{ field: 'nothing lost', expected: 'every event begins where the last one ended', actual }];
    }
    at = end;
  }
  if (at === text.length) return [];
  return [
    { field: 'nothing lost', expected: `events up to ${text.length}`, actual: `the last one ends at ${at}` },
  ];
}

/** The first line of the log that a cut changes, and how many cuts change it. */
export function cutDifference(whole: Reading, others: readonly Reading[]): CaseDifference[] {
  const logs = others.map((each) => ({ cut: each.cut, lines: linesOf(each) }));
  const expected = linesOf(whole);
  const changed = logs.filter(({ lines }) => lines.join('\n') !== expected.join('\n'));
  const [first] = changed;
  if (first === undefined) return [];
  const line = first.lines.findIndex((each, index) => each !== expected[index]);
  const at = line < 0 ? first.lines.length : line;
  const cuts = changed.length === 1 ? first.cut : `${first.cut}, and in ${changed.length - 1} other ways`;
  return [
    {
      field: 'any cut',
      expected: `${expected[at] ?? 'no more events'}  (${whole.cut})`,
      actual: `${first.lines[at] ?? 'no more events'}  (${cuts})`,
    },
  ];
}

function linesOf({ events, message }: Reading): readonly string[] {
  return [...eventLog(events), `message ${JSON.stringify(message)}`];
}
