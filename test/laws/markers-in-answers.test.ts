/** In the strings of an answer in JSON, every marker of the format is text: spelled, or as a special token. */
import { describe, expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import { UnsupportedOptionError } from '../../src/format/errors.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import type { ResponseParserOptions } from '../../src/parser/response-parser.ts';
import { connectEngine } from '../../src/runtime/engine/index.ts';
import { scriptedEngine } from '../../src/testing/index.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { lawTools } from '../support/law-tools.ts';
import { everyPosition, parsePieces } from '../support/parse-pieces.ts';
import { sampled } from '../support/sample.ts';
import { spineTemplates } from '../support/spine-templates.ts';

/** A text, cut before and after each of `tokens` in it. */
function piecesOf(text: string, tokens: readonly string[]): readonly string[] {
  const escaped = tokens
    .toSorted((a, b) => b.length - a.length)
    .map((token) => token.replace(/[^\w]/g, '\\$&'));
  return text.split(new RegExp(`(${escaped.join('|')})`)).filter((piece) => piece !== '');
}

const responseFormat = { type: 'json_object' } as const;
/** Quotes and backslashes around a marker, which is in a key, too. */
const around = ['', '"', '\\', '\\"', '\n'];

describe.each(sampled(generatedFormats(), 3))('$name', ({ format }) => {
  const { content, reasoning, calls, stops, turn, preservedTokens } = format;
  // Where thoughts begin without a marker, what comes before their end are thoughts.
  const ofThoughts = reasoning === null || reasoning.start === '' ? [] : [reasoning.start, reasoning.end];
  const markers = [
    ...[content.open, content.close, content.withCalls?.close, ...ofThoughts],
    ...[calls?.section.open, calls?.call.open, ...turn.ends, ...stops, ...preservedTokens],
  ].flatMap((marker) => (marker === undefined || marker.trim() === '' ? [] : [marker.trim()]));

  it.each([...new Set(markers)])('takes %j for text', (marker) => {
    for (const sign of around) {
      const answer = JSON.stringify({ [`a${marker}`]: `x${sign}${marker}${sign}y`, b: [marker, ''] });
      const written = writeResponse(format, { role: 'assistant', content: answer });
      for (const tools of [[], lawTools]) {
        const options = { tools, responseFormat };
        for (const cuts of [[], everyPosition(written)]) {
          const { message } = parsePieces(format, written, cuts, options);
          expect({ sign, content: message.content?.trim(), malformed: message.malformed }).toEqual({
            sign,
            content: answer,
            malformed: undefined,
          });
        }
      }
    }
  });

  it('takes special tokens for text', () => {
    const tokens = [...new Set(preservedTokens)];
    for (const [marker, sign] of tokens.flatMap((token) => around.map((each) => [token, each] as const))) {
      const answer = JSON.stringify({ a: `x${sign}${marker}${sign}y` });
      const written = writeResponse(format, { role: 'assistant', content: answer });
      const options = { tools: lawTools, responseFormat, specialTokens: tokens };
      const parser = createResponseParser(format, options);
      for (const text of piecesOf(written, tokens)) parser.feed([{ text, special: tokens.includes(text) }]);
      const { message } = parser.finish();
      const { malformed, repaired } = message;
      expect({ sign, content: message.content?.trim(), malformed, repaired }).toEqual({
        sign,
        content: answer,
        malformed: undefined,
        repaired: undefined,
      });
    }
  });

  it('knows where a string begins: after thoughts in the text, and in what the prompt has begun', () => {
    const marker = content.close.trim() || (turn.ends[0] ?? preservedTokens[0] ?? '').trim();
    const answer = JSON.stringify({ a: `x${marker}y` });
    const thoughts = reasoning === null || reasoning.start === '' ? {} : { reasoning_content: 'Say "hi.' };
    const written = writeResponse(format, { role: 'assistant', content: answer, ...thoughts });
    const options = { tools: [], responseFormat, reasoningFormat: 'none' } as const;
    const { message } = parsePieces(format, written, [], options);
    expect(message.content?.trim().endsWith(answer)).toBe(true);

    const cut = written.indexOf(answer) + 8;
    const generationPrompt = turn.start + written.slice(0, cut);
    const continued = parsePieces(format, written.slice(cut), [], { ...options, generationPrompt });
    expect(continued.message.content?.trim().endsWith(answer)).toBe(true);
  });
});

it('is JSON in formats that are known alone', () => {
  const [first] = generatedFormats();
  if (first === undefined) throw new RangeError('no format');
  const unknown = { responseFormat: { type: 'json' } } as unknown as ResponseParserOptions;
  expect(() => createResponseParser(first.format, unknown)).toThrow(UnsupportedOptionError);
});

const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } as const;
const asked = { type: 'json_schema', json_schema: { schema } } as const;

describe.each(sampled(await spineTemplates(), 3))('an answer of a chat under $name', ({ source }) => {
  const { content, preservedTokens, stops } = analyzeTemplate(source).format;
  const controls = [...new Set(stops.map((stop) => stop.trim()))];
  const end = controls[0] ?? '<|end|>';

  it('may contain what ends it, spelled and as a token', async () => {
    const special = { controls: [...new Set([...controls, end])], markers: preservedTokens, end };
    const spelled = [content.close.trim(), ...controls].filter((marker) => marker !== '');
    const tokens = spelled.filter((marker) => preservedTokens.includes(marker));
    for (const parts of [...spelled.map((marker) => Array.from(marker)), ...tokens.map((token) => [token])]) {
      const turns = [{ script: [content.open, '{"a": "x', ...parts, 'y"}', content.close] }];
      const engine = scriptedEngine({ chatTemplate: source, ...special, turns });
      const model = await connectEngine(engine, { requireTools: false });
      const messages = [{ role: 'user', content: 'Well?' }] as const;
      const run = model.chat({ messages, responseFormat: asked, thinking: false, maxTokens: 80 });
      const { content: answer, malformed } = await run.message;
      expect([parts, answer, malformed]).toEqual([parts, `{"a": "x${parts.join('')}y"}`, undefined]);
    }
  });
});
