/** Compares a message with what a case asserts of it. */
import type { JsonValue } from '../../src/format/messages.ts';
import type { ResponseMessage } from '../../src/parser/events.ts';

/** What is asserted: only the keys that are there. */
export interface Expectation {
  readonly content?: string | null;
  readonly contentIncludes?: string;
  readonly contentExcludes?: string;
  readonly content_contains?: string;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly ExpectedCall[];
  readonly tool_calls_min?: number;
  /** Something must be reported as malformed. */
  readonly malformed?: true;
  /** A report will do in place of the calls. */
  readonly or?: 'malformed';
  /** Either something is reported, or no argument holds a part of a marker. */
  readonly malformedOrNoMarkup?: true;
  /** Arguments are JSON, which has no infinite numbers. */
  readonly noInfinity?: true;
}

interface ExpectedCall {
  readonly name?: string;
  readonly arguments?: JsonValue;
  readonly arguments_has?: Readonly<Record<string, JsonValue>>;
}

/** Which of the expected keys are otherwise. */
export function difference(message: ResponseMessage, expect: Expectation): readonly string[] {
  const calls = message.tool_calls ?? [];
  const content = message.content ?? '';
  const isReported = (message.malformed ?? []).length > 0;
  const input = calls.map(({ function: { arguments: json } }) => json).join('\n');
  const {
    content: text,
    content_contains: part,
    contentIncludes: included = part,
    contentExcludes: excluded,
    reasoning_content: reasoning,
    tool_calls: expected,
  } = expect;
  const isAsCalled = expected === undefined || sameCalls(calls, expected);
  const checks: readonly (readonly [string, boolean])[] = [
    ['content', text === undefined || sameText(message.content, text)],
    ['content_contains', included === undefined || content.includes(included)],
    ['contentExcludes', excluded === undefined || !content.includes(excluded)],
    ['reasoning_content', reasoning === undefined || sameText(message.reasoning_content, reasoning)],
    ['tool_calls', isAsCalled || (expect.or === 'malformed' && isReported && calls.length === 0)],
    ['tool_calls_min', calls.length >= (expect.tool_calls_min ?? 0)],
    ['malformed', expect.malformed === undefined || isReported],
    ['malformedOrNoMarkup', expect.malformedOrNoMarkup === undefined || isReported || !/[<>|]/.test(input)],
    ['noInfinity', expect.noInfinity === undefined || !/infinity|1e999/i.test(input)],
  ];
  return checks.flatMap(([key, holds]) => (holds ? [] : [key]));
}

function sameText(actual: string | null | undefined, expected: string | null): boolean {
  return (actual ?? '').trim() === (expected ?? '').trim();
}

type Calls = NonNullable<ResponseMessage['tool_calls']>;

function sameCalls(actual: Calls, expected: readonly ExpectedCall[]): boolean {
  return (
    actual.length === expected.length &&
    expected.every((call, index) => {
      const written = actual[index]?.function;
      if (written === undefined || (call.name !== undefined && call.name !== written.name)) return false;
      const input: JsonValue = JSON.parse(written.arguments);
      if (call.arguments !== undefined && canonical(input) !== canonical(call.arguments)) return false;
      return Object.entries(call.arguments_has ?? {}).every(
        ([key, value]) => canonical(memberOf(input, key)) === canonical(value),
      );
    })
  );
}

function memberOf(value: JsonValue, key: string): JsonValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return new Map(Object.entries(value)).get(key) ?? null;
}

function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_, each: JsonValue) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
