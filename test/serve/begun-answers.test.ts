/** An answer at the end of a conversation is continued, in every API, as if that had been asked for. */
import { afterAll, describe, expect, it } from 'vitest';
import { createHandler } from '../../src/serve/index.ts';
import { openTiny } from '../support/small-chats.ts';
import { question } from './served-models.ts';

const model = await openTiny({ contextSize: 2048 });
const handler = createHandler(model);
afterAll(async () => {
  await handler.close();
  await model.dispose();
});

async function promptOf(path: string, body: object): Promise<string> {
  const response = await handler(
    new Request(`http://localhost${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
  return ((await response.json()) as { prompt?: string; input_tokens?: number }).prompt ?? '';
}

async function tokensOf(path: string, body: object): Promise<number> {
  const response = await handler(
    new Request(`http://localhost${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
  return ((await response.json()) as { input_tokens: number }).input_tokens;
}

const begun = [question, { role: 'assistant', content: 'Hello the' }] as const;

describe('an answer at the end', () => {
  const continued = model.preview({ messages: begun, continueFinalMessage: true });

  it('is continued in chat completions, unless a new turn is asked for', async () => {
    expect(await promptOf('/apply-template', { messages: begun })).toBe(continued.prompt);
    const anew = await promptOf('/apply-template', { messages: begun, add_generation_prompt: true });
    expect(anew).toBe(model.preview({ messages: begun }).prompt);
    expect(anew).not.toBe(continued.prompt);
  });

  it('is continued in the others', async () => {
    const input = begun.map(({ role, content }) => ({ role, content }));
    expect(await tokensOf('/v1/responses/input_tokens', { input })).toBe(continued.promptTokens);
    const off = model.preview({ messages: begun, continueFinalMessage: true, thinking: false });
    expect(await tokensOf('/v1/messages/count_tokens', { messages: begun })).toBe(off.promptTokens);
  });

  it('is not continued where it has no text, or ends in calls', async () => {
    const empty = [question, { role: 'assistant', content: '' }] as const;
    const expected = model.preview({ messages: empty }).prompt;
    expect(await promptOf('/apply-template', { messages: empty })).toBe(expected);
  });
});
