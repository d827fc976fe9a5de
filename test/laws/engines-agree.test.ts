/**
 * One model on two engines, plain JavaScript and node-llama-cpp: the same message and events, the same tokens drawn and
 * injected, in every mode of a chat and every format of the toy. So what holds on one of them holds on the other.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heldOutQuestions } from '../../scripts/toy/questions.ts';
import type { LikelyToken } from '../../src/parser/events.ts';
import type { ChatOptions } from '../../src/runtime/engine/index.ts';
import { type ToyFormat, tinyModel, toyModel } from '../../src/testing/index.ts';
import { toyTemplates } from '../../src/testing/toy/templates.ts';
import { toyVocabulary } from '../../src/testing/toy/vocabulary.ts';
import { asked, conversation, modes, tools } from '../support/chat-modes.ts';
import { type BothEngines, type ChatTrace, openBoth, parting, traceChat } from '../support/engine-traces.ts';
import { sampled } from '../support/sample.ts';

const long = process.env.LAWS === 'long';
const formats = Object.keys(toyTemplates) as ToyFormat[];
const contextSize = 1024;

/** A mode with each question, or with one of them, another one each time. */
function requests(options: Partial<ChatOptions>, index: number): readonly ChatOptions[] {
  const all = asked.map(
    (content): ChatOptions => ({ messages: [{ role: 'user', content }], tools, ...options }),
  );
  return long ? all : all.filter((_, at) => at === index % all.length);
}

const themes = ['call', 'refusal', 'parallel', 'chat'] as const;
const questionsAtOnce = 50;

function sum(total: number, draws: number | null): number {
  return total + (draws ?? 0);
}

/** In nats: llama.cpp rounds to 16 bits what is added up here in 64. */
const [mostDifference, nearTie] = [0.15, 0.05];
/** Below this, a token is next to impossible, and rounding decides how far. */
const leastLogprob = -8;

/** A trace without the probabilities in its events, and these by themselves. */
function split({ events, draws, ...rest }: ChatTrace): {
  readonly exact: unknown;
  readonly logprobs: readonly number[];
} {
  const logprobs: number[] = [];
  const exact = JSON.parse(
    JSON.stringify({ ...rest, events, draws: draws.map(({ lead: _, ...draw }) => draw) }, (name, value) => {
      if (name === 'top') return value.filter((each: LikelyToken) => each.logprob > leastLogprob);
      if (name !== 'logprob') return value;
      logprobs.push(value);
      return null;
    }),
  );
  return { exact, logprobs };
}

const ties = new Set<string>();

/** The number of draws; `null` where the engines may part: at two nearly equal tokens, and at bytes of no text. */
async function agree(both: BothEngines, options: ChatOptions): Promise<number | null> {
  const own = await traceChat(both.javaScript, options);
  const other = await traceChat(both.llama, options);
  const parted = parting(own, other, both.file);
  if (parted !== null && (parted.lead < nearTie || parted.noText)) {
    const reason = parted.noText ? 'a byte of no text' : 'near tie';
    if (!ties.has(parted.told)) console.log(`${reason}: ${parted.told}`);
    ties.add(parted.told);
    return null;
  }
  expect(parted).toBeNull();
  const [here, there] = [split(own), split(other)];
  expect(here.exact).toEqual(there.exact);
  for (const [index, logprob] of here.logprobs.entries())
    expect(Math.abs(logprob - (there.logprobs[index] ?? 0))).toBeLessThan(mostDifference);
  return own.draws.length;
}

describe.each([...formats.entries()])('%i: the toy that writes %s', (at, format) => {
  let both: BothEngines;
  beforeAll(async () => {
    both = await openBoth(await toyModel(format), contextSize);
  });
  afterAll(() => both.dispose());

  const cases = Object.entries(modes).map(([name, options], index) => [name, options, index] as const);
  it.each(sampled(cases, 5, at))('is the same on both engines: %s', async (_, options, index) => {
    for (const request of requests({ maxTokens: 200, ...options }, index))
      expect(await agree(both, request)).not.toBeNull();
  });

  it('is the same in the middle of a conversation', async () => {
    expect(await agree(both, { messages: conversation, tools, maxTokens: 100 })).toBeGreaterThan(10);
  });

  // 500 of them in the long run; a few at a time, so that a part can be run alone.
  const questions = heldOutQuestions(long ? 500 : 2, { format, themes });
  const starts = questions.map((_, index) => index).filter((index) => index % questionsAtOnce === 0);
  it.each(starts)('is the same on questions that it was not trained on, from number %i on', async (start) => {
    const draws: (number | null)[] = [];
    for (const { messages, tools: offered, thinking } of questions.slice(start, start + questionsAtOnce)) {
      const end = messages.findIndex(({ role }) => role === 'assistant');
      const request = { messages: messages.slice(0, end), tools: offered, thinking, maxTokens: 200 };
      draws.push(await agree(both, request));
    }
    if (long)
      console.log(`${format}, ${draws.length} questions from ${start} on: ${draws.reduce(sum, 0)} draws`);
    expect(draws).not.toContain(null);
    expect(draws.reduce(sum, 0)).toBeGreaterThan(10 * draws.length);
  });
});

describe('random weights', () => {
  let both: BothEngines;
  beforeAll(async () => {
    const options = { vocabulary: toyVocabulary('json'), chatTemplate: toyTemplates.json, seed: 5 };
    both = await openBoth(tinyModel(options), contextSize);
  });
  afterAll(() => both.dispose());

  it('are the same noise on both engines, but for near ties and bytes of no text', {
    timeout: 240_000,
  }, async () => {
    const draws: (number | null)[] = [];
    for (const options of sampled(Object.values(modes), 6)) {
      // Which of two unlikely tokens is the likelier one, and which one is beyond a threshold, are ties of their own.
      if (options.logprobs !== undefined || options.xtc !== undefined) continue;
      for (const content of asked) {
        const request = { messages: [{ role: 'user', content }], tools, maxTokens: 60, ...options } as const;
        draws.push(await agree(both, request));
      }
    }
    // Of the few that a usual run draws, more may end in ties.
    const least = process.env.LAWS === 'long' ? 0.7 * draws.length : 0;
    expect(draws.filter((each) => each !== null).length).toBeGreaterThan(least);
  });
});
