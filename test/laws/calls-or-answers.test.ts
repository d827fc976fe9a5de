/**
 * Law: next to an answer in JSON, a call may be written in the format's own notation or as bare JSON, and both are held
 * to their schemas; an answer that could be a call is read as one, and validated.
 */

import { afterAll, describe, expect, it } from 'vitest';
import { interpretedModule } from '../../src/codegen/create-response-parser.ts';
import type { JsonSchema } from '../../src/format/messages.ts';
import { buildGrammarSteps } from '../../src/grammar/build-grammar.ts';
import { readPromptPosition } from '../../src/grammar/read-prompt-position.ts';
import { finish } from '../../src/language/expression/steps.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { turnLayout } from '../../src/layout/turn-layout.ts';
import type { EngineModel } from '../../src/runtime/engine/index.ts';
import { normalizeTools } from '../../src/tools/tools.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { sampled } from '../support/sample.ts';
import { openScriptedChat } from '../support/small-chats.ts';

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 7 } },
  required: ['city', 'days'],
  additionalProperties: false,
} as const;
const tools = normalizeTools([{ name: 'get_weather', parameters }]);
const answerTo = (schema: JsonSchema) => ({ type: 'json_schema', json_schema: { schema } }) as const;
const sentence = answerTo({
  type: 'object',
  properties: { name: { type: 'string' }, n: { type: 'integer' } },
  required: ['name', 'n'],
  additionalProperties: false,
});

const bare = (days: number) => `{"name": "get_weather", "arguments": {"city": "Bern", "days": ${days}}}`;
const pretty = (days: number) => JSON.stringify(JSON.parse(bare(days)), null, 2);

const formats = generatedFormats().filter(({ format }) => {
  const { calls, content } = turnLayout(format);
  return calls?.opener.isBlank === false && content.open.isBlank;
});

describe.each(sampled(formats, 4))('$name', ({ format }) => {
  const generationPrompt = format.turn.start + format.turn.prompt.off;
  const request = { tools, responseFormat: sentence, generationPrompt, bareCalls: true };
  const { expression } = finish(buildGrammarSteps(() => undefined, format, request));

  it.each<[string, boolean]>([
    [bare(3), true],
    [pretty(3), true],
    [bare(3).replace('arguments', 'parameters'), true],
    [bare(14), false],
    [bare(3).replace('get_weather', 'get'), false],
    ['{"name": "get_weather", "n": 4}', true],
    ['{"name": "get_weather", "n": "4"}', false],
  ])('the grammar allows %s: %s', (text, isAllowed) => {
    if (expression === null) throw new Error('no grammar');
    const matcher = createMatcher(expression);
    // Some prompts leave the end of the thoughts, or the white space after them, to the model.
    const { place } = readPromptPosition(format, interpretedModule(format), generationPrompt, []);
    if (place === 'reasoning') matcher.accept(format.reasoning?.end ?? '');
    if (!matcher.allows('{')) matcher.accept(matcher.forced());
    expect(matcher.accept(text) && matcher.complete).toBe(isAllowed);
  });
});

const open: EngineModel[] = [];
afterAll(async () => {
  for (const model of open) await model.dispose();
});

/** What comes of a text where a call or an answer may come. */
async function written(text: string, schema: JsonSchema) {
  const request = {
    messages: [{ role: 'user', content: 'How warm is it?' }],
    tools,
    responseFormat: answerTo(schema),
    thinking: false,
    maxTokens: 100,
  } as const;
  const model = await openScriptedChat([{ request, pieces: [text, '<|im_end|>'] }]);
  open.push(model);
  return model.chat(request).message;
}

describe('an answer that could be a call', () => {
  it('is a call, if it is a valid one', async () => {
    const { content, tool_calls: calls } = await written(bare(3), { type: 'object' });
    expect(content).toBeNull();
    expect(calls).toMatchObject([{ function: { name: 'get_weather' }, assurance: 'validated' }]);
  });

  it('is told, if it is none that is valid', async () => {
    const { tool_calls: calls, malformed } = await written(bare(14), { type: 'object' });
    expect(calls).toBeUndefined();
    expect(malformed).toMatchObject([{ brokenCall: { problems: ['/days must be <= 7'] } }]);
  });

  it('is an answer, if no tool has its name', async () => {
    const text = bare(14).replace('get_weather', 'forecast');
    expect((await written(text, { type: 'object' })).content).toBe(text);
  });
});
