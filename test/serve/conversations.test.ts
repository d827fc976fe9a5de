/** Many requests at once on few sequences: all are answered, and nobody's beginning is evaluated again. */
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import type { Message } from '../../src/format/messages.ts';
import { SequencePool } from '../../src/runtime/node-llama-cpp/sequences/sequence-pool.ts';
import { type RunningServer, serve } from '../../src/serve/index.ts';
import { distinctTokens } from '../support/distinct-tokens.ts';
import { openLlamaTiny } from '../support/small-chats.ts';
import { toldStories } from '../support/told-stories.ts';

const long = process.env.LAWS === 'long';
/** `LAWS=long`: a hundred requests. */
const conversations = long ? 20 : 12;
const turns = long ? 5 : 3;
const sequences = 4;

const model = await openLlamaTiny({ sequences, contextSize: 2048 });
afterAll(() => model.dispose());

let server: RunningServer | null = null;
afterEach(async () => {
  vi.restoreAllMocks();
  await server?.close();
  server = null;
});

interface Answered {
  readonly status: number;
  readonly evaluated: number;
}

async function ask(messages: readonly Message[]): Promise<Answered> {
  const response = await fetch(`${server?.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages, max_tokens: 4, reasoning_effort: 'none', temperature: 1 }),
  });
  const { usage } = (await response.json()) as {
    usage: { prompt_tokens: number; prompt_tokens_details: { cached_tokens: number } };
  };
  return {
    status: response.status,
    evaluated: usage.prompt_tokens - usage.prompt_tokens_details.cached_tokens,
  };
}

/** The tokens of the prompts, as they come to the sequences. */
function watchPrompts(): readonly (readonly number[])[] {
  const prompts: (readonly number[])[] = [];
  const { lease } = SequencePool.prototype;
  vi.spyOn(SequencePool.prototype, 'lease').mockImplementation(function (this: SequencePool, prompt, signal) {
    prompts.push(prompt);
    return lease.call(this, prompt, signal);
  });
  return prompts;
}

/** They are told apart by how they begin. */
function byConversation(prompts: readonly (readonly number[])[]): ReadonlyMap<string, (readonly number[])[]> {
  const groups = new Map<string, (readonly number[])[]>();
  for (const prompt of prompts) {
    const beginning = prompt.slice(0, 60).join();
    groups.set(beginning, [...(groups.get(beginning) ?? []), prompt]);
  }
  return groups;
}

describe(`${conversations} conversations of ${turns} turns on ${sequences} sequences`, () => {
  const all = toldStories({ conversations, turns, repeats: 30 });

  it('all at once: no beginning of a conversation is evaluated twice', async () => {
    server = await serve(model, { port: 0, concurrency: 2 * sequences, queueLimit: conversations * turns });
    const prompts = watchPrompts();
    const answers = await Promise.all(all.flat().map(ask));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(prompts).toHaveLength(conversations * turns);
    const evaluated = answers.reduce((sum, answer) => sum + answer.evaluated, 0);
    const own = [...byConversation(prompts).values()];
    expect(own.map(({ length }) => length)).toEqual(all.map(({ length }) => length));
    expect(evaluated).toBeLessThanOrEqual(own.reduce((sum, each) => sum + distinctTokens(each), 0));
  });
});
