/**
 * Law: a stop ends the text of the answer, and nothing else: whatever a format writes, however it is cut, the response
 * is the one without stops, up to the first stop in its answer. Stops in thoughts, markers and arguments change nothing.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import { turnLayout } from '../../src/layout/turn-layout.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import type { ResponseEvent, ResponseMessage } from '../../src/parser/events.ts';
import { callGuard } from '../../src/runtime/chat/checks/call-guard.ts';
import { SteeredResponse } from '../../src/runtime/chat/steering/steered-response.ts';
import { normalizeTools } from '../../src/tools/tools.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { sampled } from '../support/sample.ts';

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const tools = normalizeTools([{ name: 'get_weather', parameters }]);
const call = {
  id: 'abcdefgh1',
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city": "Bern beta"}' },
} as const;

const answer = 'Gamma\n\ndelta. Epsilon beta\nzeta.';

/** A whole response, with a call if the format has calls. */
function textOf(format: ChatFormat): string {
  const calls = format.calls === null ? {} : { tool_calls: [call] };
  const thoughts = { reasoning_content: 'Alpha\n\nbeta gam.' };
  const written = writeResponse(format, { role: 'assistant', content: answer, ...thoughts, ...calls });
  const { start } = format.turn;
  return written.startsWith(start) ? written.slice(start.length) : written;
}

interface Steered {
  readonly message: ResponseMessage;
  readonly events: readonly ResponseEvent[];
}

/** The response in pieces of these lengths, with these stops. */
function steer(
  format: ChatFormat,
  text: string,
  lengths: readonly number[],
  stops: readonly string[],
): Steered {
  const offered = format.calls === null ? [] : tools;
  const guard = callGuard({}, offered, []);
  const response = new SteeredResponse({
    grammar: { ...buildGrammar(format), triggers: [] },
    matcher: null,
    parser: createResponseParser(format, { tools: offered, generationPrompt: format.turn.start }),
    guard,
    restOf: () => null,
    markers: { leading: () => undefined, splitAtBeginnings: (part) => [{ text: part, special: false }] },
    stops: [],
    stopSequences: { texts: stops, within: 'answer', thoughtsAreText: false },
    maxTokens: 10_000,
    thinkingBudget: 10_000,
    reasoningEnd: '',
    unconstrainedAfterCalls: false,
    plainText: false,
  });
  const events: ResponseEvent[] = [];
  for (let at = 0, turn = 0; at < text.length && !response.over; turn++) {
    const spelling = text.slice(at, at + (lengths[turn % lengths.length] ?? 1));
    at += spelling.length;
    events.push(...response.take({ spelling, role: 'text', tokens: 1 }).events);
  }
  if (!response.over) events.push(...response.end(null));
  const { events: last, message } = response.finish();
  return { events: [...events, ...last], message };
}

const textIn = (events: readonly ResponseEvent[]): string =>
  events.map((event) => (event.type === 'text-delta' ? event.delta : '')).join('');

/** Texts that occur in answers, thoughts, arguments and markers. */
function stopsIn(format: ChatFormat): fc.Arbitrary<readonly string[]> {
  const { reasoning, calls, content } = turnLayout(format);
  const markers = [reasoning?.open, reasoning?.close, calls?.opener, content.open]
    .flatMap((marker) => marker?.core ?? [])
    .filter((core) => core !== '');
  const words = ['beta', '\n', '\n\n', 'gam', 'a\n\nd', 'Bern', 'zeta.', 'Gamma', 'a', 'nowhere', 'city'];
  return fc.uniqueArray(fc.constantFrom(...words, ...markers), { minLength: 1, maxLength: 3 });
}

const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });

describe.each(sampled(generatedFormats(), 4))('$name', ({ format }) => {
  const text = textOf(format);

  it('ends at the first stop in its answer', () => {
    fc.assert(
      fc.property(stopsIn(format), cuts, (stops, lengths) => {
        const whole = steer(format, text, lengths, []);
        const { events, message } = steer(format, text, lengths, stops);
        const content = whole.message.content ?? '';
        const found = stops
          .map((stop) => ({ at: content.indexOf(stop), end: content.indexOf(stop) + stop.length }))
          .filter(({ at }) => at >= 0)
          .sort((one, other) => one.end - other.end || one.at - other.at);
        expect(textIn(events)).toBe(message.content ?? '');
        expect(message.reasoning_content).toBe(whole.message.reasoning_content);
        if (found[0] === undefined) {
          expect(message).toEqual(whole.message);
          return;
        }
        expect(message.content).toBe(content.slice(0, found[0].at));
        expect(events.at(-1)).toMatchObject({ type: 'finish', stopSequence: expect.any(String) });
        expect(message.malformed).toBeUndefined();
      }),
      { numRuns: 40 },
    );
  });
});
