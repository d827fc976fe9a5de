/**
 * What a lazy grammar waits for is what the parser takes for the opener of a call: in whatever a format writes, the
 * first trigger stands where the parser opens the first call.
 */
import { describe, expect, it, test } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { AssistantMessage } from '../../src/format/messages.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import { turnLayout } from '../../src/layout/turn-layout.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import { allTemplates } from '../support/corpora.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { callId, lawTools } from '../support/law-tools.ts';
import { sampled } from '../support/sample.ts';
import { sampleFormats } from '../support/sample-formats.ts';

const call = {
  id: callId(0),
  type: 'function',
  function: { name: 'get_weather', arguments: JSON.stringify({ city: 'Oslo', days: 3 }) },
} as const;

const messages: readonly (readonly [what: string, message: AssistantMessage])[] = [
  ['a call', { role: 'assistant', content: null, tool_calls: [call] }],
  ['thoughts and a call', { role: 'assistant', content: '', reasoning_content: 'So.', tool_calls: [call] }],
  [
    'thoughts, an answer and a call',
    { role: 'assistant', content: 'Let me look.', reasoning_content: 'So.', tool_calls: [call] },
  ],
];

/** Formats whose calls a marker opens, not the bracket of any JSON array; those of equal calls and regions are tried once. */
const formats = [
  ...new Map(
    [...sampleFormats, ...generatedFormats().map(({ name, format }) => [name, format] as const)]
      .filter(([, format]) => {
        const { opener, beginning } = turnLayout(format).calls ?? {};
        return opener?.isBlank === false && beginning !== 'bracket';
      })
      .map((each) => [JSON.stringify([each[1].calls, each[1].content, each[1].reasoning]), each]),
  ).values(),
];

/** Where the parser opens the first call; -1 if it opens none. */
function openedAt(format: ChatFormat, text: string): number {
  const parser = createResponseParser(format, { tools: lawTools });
  for (const unit of text.split('')) {
    parser.feed(unit);
    const { callsOpenedAt } = parser.position;
    if (callsOpenedAt !== null) return callsOpenedAt;
  }
  return -1;
}

describe.each(sampled(formats, 6))('%s', (_name, format) => {
  const { triggers } = buildGrammar(format, { tools: lawTools });

  it.each(messages)('opens %s where its grammar begins', (_what, message) => {
    const text = writeResponse(format, message);
    const begins = triggers.map(({ value }) => text.indexOf(value)).filter((at) => at >= 0);
    const begin = Math.min(...begins);
    const at = openedAt(format, text);
    // White space between text and calls belongs to the opener.
    expect(at + text.slice(at).search(/\S/)).toBe(begin);
  });
});

/** Answers that contain what calls may begin with: footnotes, links, indices, lists, code. */
const prose = [
  'See [1] for more, and [the docs](https://example.org/a?b=[0]).',
  'Write `x[0]` or x[i + 1]; an empty object is {} and a list [1, 2, 3].',
  '[x] done\n[ ] not done',
  'The type is Array<{ name: string }>, e.g. {"name": "Bob"} or [{"id": 1}].',
  'for (;;) { call(a, b); }',
];

test('prose triggers no grammar, in any format', async () => {
  const corpus = sampled(await allTemplates(), 5);
  const analysed = corpus.flatMap(({ name, source }) => {
    try {
      return [[name, analyzeTemplate(source).format] as const];
    } catch {
      return [];
    }
  });
  expect(analysed.length).toBeGreaterThan(0.8 * corpus.length);
  const generated = sampled(generatedFormats(), 5).map(({ name, format }) => [name, format] as const);
  const all = [...analysed, ...generated];
  const fired = all.flatMap(([name, format]) => {
    if (format.calls === null) return [];
    const { triggers } = buildGrammar(format, { tools: lawTools, generationPrompt: format.turn.start });
    return prose.flatMap((text) => {
      const fires = triggers.some(({ type, value }) =>
        type === 'word' ? text.includes(value) : new RegExp(value).test(text),
      );
      return fires ? [`${name}: ${text}`] : [];
    });
  });
  expect(fired).toEqual([]);
});
