/**
 * One model on two engines, plain JavaScript and node-llama-cpp: the same message and events, the same tokens drawn and
 * injected, in every mode of a chat and every format of the toy. So what holds on one of them holds on the other.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heldOutQuestions } from '../../scripts/toy/questions.ts';
import type { JsonSchema, Message, Tool } from '../../src/format/messages.ts';
import type { LikelyToken } from '../../src/parser/events.ts';
import type { ChatOptions } from '../../src/runtime/engine/index.ts';
import { type ToyFormat, tinyModel, toyModel } from '../../src/testing/index.ts';
import { toyTemplates } from '../../src/testing/toy/templates.ts';
import { toyVocabulary } from '../../src/testing/toy/vocabulary.ts';
import { type BothEngines, type ChatTrace, openBoth, parting, traceChat } from '../support/engine-traces.ts';

const long = process.env.LAWS === 'long';
const formats = Object.keys(toyTemplates) as ToyFormat[];
const contextSize = 1024;

function toolOf(name: string, properties: Readonly<Record<string, JsonSchema>>): Tool {
  const parameters = { type: 'object', properties, required: Object.keys(properties) };
  return { type: 'function', function: { name, parameters: { ...parameters, additionalProperties: false } } };
}

const tools = [
  toolOf('get_weather', {
    city: { type: 'string', maxLength: 20 },
    days: { type: 'integer', minimum: 1, maximum: 7 },
  }),
  toolOf('set_timer', { minutes: { type: 'integer', minimum: 5, maximum: 60 } }),
];
const schema = {
  type: 'object',
  properties: {
    city: { type: 'string', maxLength: 12 },
    kind: { enum: ['sunny', 'rainy'] },
    sure: { type: 'boolean' },
  },
  required: ['city', 'kind', 'sure'],
  additionalProperties: false,
} as const;

/** Options of chats, each a mode of its own. */
const modes: Readonly<Record<string, Partial<ChatOptions>>> = {
  auto: {},
  required: { toolChoice: 'required' },
  'a named tool': { toolChoice: { type: 'function', function: { name: 'set_timer' } } },
  none: { toolChoice: 'none' },
  'no tools': { tools: [] },
  'one call at most': { parallelToolCalls: false },
  'an answer with a schema': {
    tools: [],
    responseFormat: { type: 'json_schema', json_schema: { schema } },
  },
  'any JSON': { tools: [], responseFormat: { type: 'json_object' }, maxTokens: 60 },
  'nothing injected': { injectForcedText: false },
  'required, nothing injected': { toolChoice: 'required', injectForcedText: false },
  'thinking off': { thinking: false },
  'a budget of nothing': { thinkingBudget: 0, maxTokens: 120 },
  'a budget of a few tokens': { thinkingBudget: 5, toolChoice: 'required' },
  'thoughts in the content': { reasoningFormat: 'none' },
  'a stop in thoughts': { stop: ['weather', 'timer'] },
  'cut in thoughts': { maxTokens: 7 },
  'cut in a call': { maxTokens: 48 },
  'token probabilities': { logprobs: 2, toolChoice: 'none', temperature: 0 },
  'tokens forbidden': {
    toolChoice: 'none',
    logitBias: [
      [' ', -3],
      ['the', false],
    ],
  },
  penalties: {
    toolChoice: 'none',
    repeatPenalty: 1.2,
    frequencyPenalty: 0.5,
    presencePenalty: 0.3,
    maxTokens: 60,
  },
  DRY: { toolChoice: 'none', dry: { multiplier: 2, allowedLength: 1 }, maxTokens: 60 },
  XTC: { toolChoice: 'none', xtc: { probability: 1, threshold: 0.1 }, maxTokens: 60 },
};

const asked: readonly string[] = [
  'What is the weather in Paris for 3 days?',
  'Set a timer for 90 minutes',
  'Hello!',
];
const conversation: readonly Message[] = [
  { role: 'system', content: 'You are brief.' },
  { role: 'user', content: 'How is the weather in Bern?' },
  {
    role: 'assistant',
    content: '',
    tool_calls: [
      {
        id: 'a',
        type: 'function',
        function: { name: 'get_weather', arguments: '{"city": "Bern", "days": 1}' },
      },
    ],
  },
  { role: 'tool', tool_call_id: 'a', content: '{"sky": "sunny", "degrees": 21}' },
];

/** A mode with each question, or with one of them, another one each time. */
function requests(options: Partial<ChatOptions>, index: number): readonly ChatOptions[] {
  const all = asked.map(
    (content): ChatOptions => ({ messages: [{ role: 'user', content }], tools, ...options }),
  );
  return long ? all : all.filter((_, at) => at === index % all.length);
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

describe.each(formats)('the toy that writes %s', (format) => {
  let both: BothEngines;
  beforeAll(async () => {
    both = await openBoth(await toyModel(format), contextSize);
  });
  afterAll(() => both.dispose());

  it.each(Object.entries(modes).map(([name, options], index) => [name, options, index] as const))(
    'is the same on both engines: %s',
    async (_, options, index) => {
      for (const request of requests({ maxTokens: 200, ...options }, index))
        expect(await agree(both, request)).not.toBeNull();
    },
  );

  it('is the same in the middle of a conversation, and on questions that it was not trained on', async () => {
    const draws = [await agree(both, { messages: conversation, tools, maxTokens: 100 })];
    const themes = ['call', 'refusal', 'parallel', 'chat'] as const;
    for (const { messages, tools: offered, thinking } of heldOutQuestions(long ? 100 : 2, {
      format,
      themes,
    })) {
      const end = messages.findIndex(({ role }) => role === 'assistant');
      const request = { messages: messages.slice(0, end), tools: offered, thinking, maxTokens: 200 };
      draws.push(await agree(both, request));
    }
    expect(draws).not.toContain(null);
    expect(Math.min(...draws.map(Number))).toBeGreaterThan(10);
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
    for (const options of Object.values(modes)) {
      // Which of two unlikely tokens is the likelier one, and which one is beyond a threshold, are ties of their own.
      if (options.logprobs !== undefined || options.xtc !== undefined) continue;
      for (const content of asked) {
        const request = { messages: [{ role: 'user', content }], tools, maxTokens: 60, ...options } as const;
        draws.push(await agree(both, request));
      }
    }
    expect(draws.filter((each) => each !== null).length).toBeGreaterThan(0.7 * draws.length);
  });
});
