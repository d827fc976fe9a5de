/** An answer without text is an answer: agents that find none would ask until their limit. */
import { Agent, OpenAIProvider, Runner, setTracingDisabled } from '@openai/agents';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import type { Turn } from '../ai-sdk/written-model.ts';
import { anyFormat, question, type Served, serveTurns } from './served-models.ts';

setTracingDisabled(true);

let served: Served | null = null;
afterEach(async () => {
  await served?.close();
  served = null;
});

const empty: Turn = { role: 'assistant', content: '' };
const thoughtful: Turn = { ...empty, reasoning_content: 'Nothing to say.' };

describe.each([
  ['nothing', empty],
  ['thoughts alone', thoughtful],
])('of %s', (_, turn) => {
  it.each([
    [true, true],
    [true, false],
    // Of a stream of Chat Completions, this client takes no empty text for an answer, whoever sends it.
    [false, false],
  ])('ends the loop of @openai/agents, over Responses: %s, streamed: %s', async (useResponses, stream) => {
    served = await serveTurns(anyFormat, Array<Turn>(10).fill(turn));
    const client = new OpenAI({ baseURL: `${served.url}/v1`, apiKey: 'any', maxRetries: 0 });
    const modelProvider = new OpenAIProvider({ openAIClient: client as never, useResponses });
    const runner = new Runner({ modelProvider });
    const agent = new Agent({ name: 'mute', model: 'written' });
    if (stream) {
      const run = await runner.run(agent, question.content, { stream: true });
      for await (const event of run) void event;
      expect(run.finalOutput).toBe('');
    } else expect((await runner.run(agent, question.content)).finalOutput).toBe('');
    expect(served.model.asked).toHaveLength(1);
  });
});
