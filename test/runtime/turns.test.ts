/** What a server asks of a model is done in turns, with the results of what is done at once. */
import { afterAll, describe, expect, it } from 'vitest';
import type { ChatOptions } from '../../src/runtime/engine/index.ts';
import { question, weatherTool } from '../serve/served-models.ts';
import { openTiny } from '../support/small-chats.ts';

const model = await openTiny({ contextSize: 8192 });
afterAll(() => model.dispose());

const long = 'The weather in Bern is fine today. '.repeat(200);
const chats: Readonly<Record<string, ChatOptions>> = {
  'a question': { messages: [question] },
  'a long one': { messages: [{ role: 'user', content: long }] },
  tools: { messages: [question], tools: [weatherTool], toolChoice: 'required' },
  'what no context holds': { messages: [{ role: 'user', content: long.repeat(20) }] },
  'a wrong option': { messages: [question], maxTokens: -1 },
};

/** The result, or the error. */
async function outcome(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    return error;
  }
}

describe.each(Object.entries(chats))('%s', (_, options) => {
  it('has the same preview', async () => {
    const whole = await outcome(() => model.preview(options));
    expect(await outcome(() => model.previewInTurns(options))).toEqual(whole);
  });
});

it.each(['', 'Grüezi <|im_end|>', long, long.repeat(40)])('the same tokens', async (text) => {
  const whole = await outcome(() => model.tokenize(text));
  expect(await outcome(() => model.tokenizeInTurns(text))).toEqual(whole);
  const tokens = Array.isArray(whole) ? whole : [-1];
  const back = await outcome(() => model.detokenize(tokens));
  expect(await outcome(() => model.detokenizeInTurns(tokens))).toEqual(back);
});
