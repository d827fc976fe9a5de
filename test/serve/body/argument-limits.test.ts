import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finish } from '../../../src/language/expression/steps.ts';
import { limitArguments } from '../../../src/serve/body/argument-limits.ts';
import { RequestError } from '../../../src/serve/errors.ts';

/** The ways in which the APIs hold calls. */
const holders: Readonly<Record<string, (json: string) => unknown>> = {
  'Chat Completions': (json) => ({ role: 'assistant', tool_calls: [{ function: { arguments: json } }] }),
  Responses: (json) => ({ type: 'function_call', arguments: json }),
  Messages: (json) => ({ role: 'assistant', content: [{ type: 'tool_use', input: json }] }),
};

/** Where a conversation goes beyond a limit; null if it does not. */
function refusal(conversation: readonly unknown[]): string | null {
  try {
    finish(limitArguments(conversation as never, 'messages'));
    return null;
  } catch (error) {
    if (error instanceof RequestError) return String(error.param);
    throw error;
  }
}

const numbers = (length: number): string => `[${'1,'.repeat(length - 1)}1]`;
const quarter = 62_500;

describe.each(Object.entries(holders))('the arguments of earlier calls in %s', (_, holder) => {
  it('count together, over all calls', () => {
    // One for each list, and one for each of its commas.
    const calls = Array.from({ length: 4 }, () => holder(numbers(quarter - 1)));
    expect(refusal(calls)).toBeNull();
    expect(refusal([...calls, holder('[[[[[]]]]]')])).toMatch(/^messages\[4\]/);
  });

  it('are counted by their structure, not by what their texts say', () => {
    const text = fc.string({ unit: fc.constantFrom('[', '{', '"', '\\', ',', 'a', '\n') });
    fc.assert(
      fc.property(text, (said) => {
        const deep = `${'['.repeat(200)}${JSON.stringify(said)}${']'.repeat(200)}`;
        expect(refusal([holder(deep)])).toBeNull();
        expect(refusal([holder(`[${deep}]`)])).toMatch(/^messages\[0\]/);
      }),
    );
  });

  it('may be cut anywhere', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.nat(), (value, at) => {
        const json = JSON.stringify({ value });
        expect(refusal([holder(json.slice(0, at % json.length))])).toBeNull();
      }),
    );
  });

  it('are looked at in steps', () => {
    const steps = limitArguments([holder(numbers(200_000))] as never, 'messages');
    let count = 0;
    while (steps.next().done !== true) count += 1;
    expect(count).toBeGreaterThanOrEqual(3);
  });
});

it('leaves a text alone that is no call', () => {
  const deep = '['.repeat(1000);
  const given = { arguments: { arguments: deep } };
  expect(refusal([{ tool_calls: [{ function: given }] }])).toBeNull();
  expect(refusal([{ content: [{ type: 'tool_use', input: { arguments: deep } }] }])).toBeNull();
  expect(
    refusal([
      { type: 'custom_tool_call', input: deep },
      { role: 'user', content: deep },
    ]),
  ).toBeNull();
});
