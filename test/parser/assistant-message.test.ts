/** Events in other shapes, and what the parser costs on text made to be slow. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import { ChatDeltas, foldEvents } from '../../src/parser/assistant-message.ts';
import { lawMessage, lawTools } from '../support/law-tools.ts';
import { everyPosition, parsePieces } from '../support/parse-pieces.ts';
import * as samples from '../support/sample-formats.ts';

it('events fold to the message, and so do the deltas of OpenAI’s stream', () => {
  fc.assert(
    fc.property(lawMessage, (written) => {
      const text = writeResponse(samples.tagged, written);
      const { events, message } = parsePieces(samples.tagged, text, everyPosition(text), { tools: lawTools });
      const folded = foldEvents(events);
      expect(folded.content).toBe(message.content ?? '');
      expect(folded.reasoning).toBe(message.reasoning_content ?? '');
      const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => ({
        id,
        name,
        input,
        arguments: JSON.parse(input),
        complete: true,
      }));
      expect(folded.calls).toEqual(calls);

      const converter = new ChatDeltas();
      const streamed: { id: string; name: string; input: string }[] = [];
      for (const event of events) {
        for (const delta of converter.convert(event)?.delta.tool_calls ?? []) {
          if (delta.id !== undefined) streamed[delta.index] = { id: delta.id, name: '', input: '' };
          const call = streamed[delta.index];
          if (call === undefined) throw new Error('arguments before the name');
          call.name += delta.function.name ?? '';
          call.input += delta.function.arguments;
        }
      }
      expect(streamed).toEqual(calls.map(({ id, name, input }) => ({ id, name, input })));
    }),
    { numRuns: process.env.LAWS === 'long' ? 600 : 25 },
  );
});

it.each(Object.entries({ tagged: samples.tagged, json: samples.jsonInTags, bracketed: samples.bracketed }))(
  'once a response has ended, each of its calls is complete or says why not: %s',
  (_, format) => {
    fc.assert(
      fc.property(lawMessage, fc.nat({ max: 100 }), (written, share) => {
        const text = writeResponse(format, written);
        const cut = text.slice(0, Math.ceil((text.length * share) / 100));
        const { events, message } = parsePieces(format, cut, everyPosition(cut), { tools: lawTools });
        const { calls } = foldEvents(events);
        expect(calls.map(({ complete, problem }) => complete === (problem === undefined))).toEqual(
          calls.map(() => true),
        );
        expect(calls.filter(({ complete }) => complete).length).toBe(message.tool_calls?.length ?? 0);
      }),
      { numRuns: process.env.LAWS === 'long' ? 600 : 40 },
    );
  },
);

it('calls to which the model gives the same id stay apart', () => {
  const text = '[CALLS]f[ID]a[ARGS]{"n": 1}[CALLS]f[ID]a[ARGS]{"n": 2}';
  const { events } = parsePieces(samples.bracketed, text, everyPosition(text));
  expect(foldEvents(events).calls.map((call) => call.arguments)).toEqual([{ n: 1 }, { n: 2 }]);
  const converter = new ChatDeltas();
  const deltas = events.flatMap((event) => converter.convert(event)?.delta.tool_calls ?? []);
  const started = deltas.filter(({ id }) => id !== undefined);
  expect(started.map(({ id, index }) => [id, index])).toEqual([
    ['a', 0],
    ['a-2', 1],
  ]);
  const input = deltas.filter(({ index }) => index === 0).map((delta) => delta.function.arguments);
  expect(input.join('')).toBe('{"n": 1}');
});

describe('text made to be slow costs the same per character', () => {
  const size = 150_000;
  const blanks = ' '.repeat(size);
  const opened = '<use>\n<fn=create_event>\n<arg=';

  it.each([
    ['blanks at the beginning', samples.jsonInTags, blanks],
    ['line ends in the answer', samples.jsonInTags, `a${'\n'.repeat(size)}b`],
    ['beginnings of markers', samples.jsonInTags, '<us'.repeat(size / 3)],
    ['a call in open reasoning', samples.jsonInTags, `<muse>\n<use>\n${'x'.repeat(size)}`],
    ['markers in open reasoning', samples.jsonInTags, `<muse>\n${'<use>'.repeat(size / 5)}`],
    ['blanks after a closer', samples.tagged, `${opened}title>\nx\n</arg>${blanks}x`],
    ['closers in a value', samples.tagged, `${opened}title>\n${'</arg>'.repeat(size / 6)}`],
    ['a long key', samples.tagged, opened + 'k'.repeat(size)],
    ['a long value of unknown type', samples.tagged, `${opened}options>\n{${'1'.repeat(size)}`],
    ['a value that is no number', samples.tagged, `${opened}price>\n${'1'.repeat(size)}`],
    ['arguments before the name', samples.jsonInTags, `<use>{"arguments": {"a": "${'x'.repeat(size)}"}`],
    ['deep nesting', samples.jsonInTags, `<use>{"name": "f", "arguments": ${'{"a":'.repeat(size / 5)}`],
    ['deep nesting of a format’s own', samples.customQuotes, `<call>f{a:${'['.repeat(size)}`],
    ['a call that never names a tool', samples.noMarker, `{"a": "${'x'.repeat(size)}"}`],
    ['quotes that end nothing', samples.pythonic, `<calls>[create_event(title='${"'".repeat(size)}`],
    ['malformed text', samples.jsonInTags, `<use>${'<us'.repeat(size / 3)}`],
    ['a header without an end', samples.channels, `|chan|${'x'.repeat(size)}`],
  ])('%s', (_title, format, text) => {
    const parser = createResponseParser(format, { tools: lawTools });
    const began = process.cpuUsage().user;
    for (const unit of text) parser.feed(unit);
    parser.finish();
    // Some 0.2 s; what is quadratic takes minutes.
    expect((process.cpuUsage().user - began) / 1e6).toBeLessThan(10);
  });
});
