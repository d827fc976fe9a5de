/**
 * Wherever a prompt leaves the turn, what the grammar derives goes on from there: nothing that the prompt
 * wrote is written again, and what it opened is closed before calls. All formats in which content has an
 * opener of its own, and Qwen3's, where it has none.
 */
import { describe, expect, it } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import { UnsupportedOptionError } from '../../src/format/errors.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import type { BuiltGrammar } from '../../src/grammar/built-grammar.ts';
import type { GrammarOptions } from '../../src/grammar/grammar-options.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { lawTools } from '../support/law-tools.ts';
import { sampled } from '../support/sample.ts';
import { sampleGrammar, seededRandom } from '../support/sample-grammar.ts';

const samples = process.env.LAWS === 'long' ? 200 : 8;
const all = generatedFormats().filter(
  ({ name, format }) => format.content.open.trim() !== '' || name === 'qwen-qwen3-0.6b',
);
const begun = 'Well, ';
const schema = {
  type: 'object',
  properties: { ok: { type: 'boolean' } },
  required: ['ok'],
  additionalProperties: false,
};

/** `null` where the format refuses to be asked for it here. */
function grammarOf(format: (typeof all)[number]['format'], options: GrammarOptions): BuiltGrammar | null {
  try {
    return buildGrammar(format, options);
  } catch (error) {
    if (error instanceof UnsupportedOptionError) return null;
    throw error;
  }
}

describe('thoughts that end in white space alone', () => {
  const [{ format } = missing()] = all.filter(({ name }) => name === 'qwen-qwen3-0.6b');
  const { reasoning = null, turn } = format;
  const blank = { ...format, reasoning: reasoning === null ? missing() : { ...reasoning, end: '\n\n' } };
  const demands = new Map<string, GrammarOptions>([
    ['calls', { tools: lawTools, toolChoice: 'required' }],
    ['text', { tools: lawTools, toolChoice: 'none' }],
    ['a schema', { responseFormat: { type: 'json_schema', json_schema: { schema } } }],
  ]);

  it.each([...demands])('allow no demand of %s where the prompt opens them', (_, options) => {
    const opened = { ...options, generationPrompt: `${turn.start}${reasoning?.start}` };
    expect(() => buildGrammar(blank, opened)).toThrow(UnsupportedOptionError);
    expect(buildGrammar(format, opened).expression).not.toBeNull();
    // Where nothing has been opened the response begins with the answer.
    const { expression } = buildGrammar(blank, { ...options, generationPrompt: turn.start });
    if (expression === null) throw new TypeError('this has a grammar');
    for (let seed = 1; seed <= samples; seed++) {
      const parser = createResponseParser(blank, { tools: lawTools, generationPrompt: turn.start });
      parser.feed(sampleGrammar(expression, seededRandom(seed)));
      const { message } = parser.finish();
      expect(message.reasoning_content).toBeUndefined();
      expect(message.malformed).toBeUndefined();
    }
  });
});

function missing(): never {
  throw new TypeError('the format of Qwen3 has thoughts');
}

describe.each(sampled(all, 3))('$name', ({ format }) => {
  const { start, prompt } = format.turn;
  const { end = '' } = format.reasoning ?? {};
  const answer = [prompt.off, ''].find((opened) => opened.includes(end.trim())) ?? end;
  const open = format.content.open.trim();
  const isBegun = answer !== '' && format.content.open.startsWith(answer);
  const content = answer.includes(open) ? answer : `${isBegun ? '' : answer}${format.content.open}`;
  const states = [prompt.unset, prompt.on, prompt.off, content, content + begun];

  const read = (generationPrompt: string, built: BuiltGrammar, seed: number) => {
    const parser = createResponseParser(format, { tools: lawTools, generationPrompt });
    if (built.expression === null) throw new TypeError('this has a grammar');
    const text = sampleGrammar(built.expression, seededRandom(seed));
    parser.feed(text);
    const { message } = parser.finish();
    expect(message.malformed, text).toBeUndefined();
    return { text, message };
  };

  it.each(states)('content of a schema after %j', (opened) => {
    const generationPrompt = start + opened;
    const json_schema = { schema };
    const built = grammarOf(format, {
      generationPrompt,
      responseFormat: { type: 'json_schema', json_schema },
    });
    // JSON after text would be neither.
    expect(built === null).toBe(opened.endsWith(begun));
    for (let seed = 0; built !== null && seed < samples; seed++) {
      const { text, message } = read(generationPrompt, built, seed);
      expect(JSON.parse(message.content ?? ''), text).toEqual({ ok: expect.any(Boolean) });
    }
  });

  it.each(states)('takes calls after the prompt has opened %j', (opened) => {
    const generationPrompt = start + opened;
    const built = grammarOf(format, { generationPrompt, tools: lawTools, toolChoice: 'required' });
    // Answers next to calls have markers of their own: text may precede a call in those, and follows none in others.
    const hasPreamble = format.content.withCalls !== undefined;
    if (hasPreamble && built === null) return;
    const mayFollow = format.content.position === 'before-calls' || open === '';
    if (mayFollow || states.indexOf(opened) < 3) expect(built).not.toBeNull();
    else if (opened.endsWith(begun)) expect(built).toBeNull();
    for (let seed = 0; built !== null && seed < samples; seed++) {
      const { text, message } = read(generationPrompt, built, seed);
      expect(message.tool_calls?.length, text).toBeGreaterThan(0);
      if (!hasPreamble)
        expect((message.content ?? '').trim(), text).toBe(opened.endsWith(begun) ? begun.trim() : '');
    }
  });
});
