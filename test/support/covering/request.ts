/** What a row asks of a model, and what a model that does as it is asked has in mind. */
import {
  answerSchema,
  boundedTools,
  rightAnswer,
  rightCalls,
} from '../../../scripts/judge-models/insisting/wrong-texts.ts';
import type { Random } from '../../../scripts/toy/random.ts';
import type { ChatFormat } from '../../../src/format/chat-format.ts';
import type { Message } from '../../../src/format/messages.ts';
import type { ResponseMessage } from '../../../src/parser/events.ts';
import type { ChatOptions } from '../../../src/runtime/chat/chat-options.ts';
import { type NamedCall, toolCalls } from '../rest-of-turn.ts';
import type { Row } from './dimensions.ts';

/** The options of a row but for `maxTokens`, which depends on the text. */
export type RowRequest = Omit<ChatOptions, 'maxTokens'>;

const question: Message = { role: 'user', content: 'What shall I wear tomorrow?' };
const thoughts = 'The weather in Oslo decides.\n\nI see.';
const text = 'It rains in Bern.\n\nTake a coat with you.';
const anyJson = '{"any": ["JSON", 1]}';

/** What the prompt has begun of thoughts. */
export const begunThoughts = 'The weather ';
/** And of an answer. */
const begunAnswers = { text: 'It rains', 'any JSON': '{"any"', schema: '{"size"' } as const;

const stops = {
  nothing: [],
  'in the answer': ['coat'],
  'in thoughts and calls': ['Oslo'],
  'line breaks': ['\n\n'],
} as const;

const choices = {
  auto: 'auto',
  none: 'none',
  required: 'required',
  named: { type: 'function', function: { name: 'get_weather' } },
  'two allowed': {
    type: 'allowed_tools',
    allowed_tools: {
      mode: 'required',
      tools: ['get_weather', 'write_note'].map((name) => ({ type: 'function', function: { name } }) as const),
    },
  },
} as const;

const formats = {
  text: undefined,
  'any JSON': { type: 'json_object' },
  schema: { type: 'json_schema', json_schema: { schema: answerSchema } },
} as const;

const samplings = {
  greedy: { temperature: 0 },
  hot: { temperature: 1.5, topK: 0, topP: 1 },
  penalties: { temperature: 0, repeatPenalty: 1.3, frequencyPenalty: 0.5, presencePenalty: 0.5 },
  bias: { temperature: 0, logitBias: [[126, false]] },
} as const;

const budgets: Partial<Record<Row['thinking'], number>> = { 'budget 0': 0, 'budget 3': 3, 'budget 500': 500 };

/** What the row asks. */
export function requestOf(row: Row, seed: number): RowRequest {
  const { tools, parallel, answer, thinking, prefill, stop, sampling, writing, policy } = row;
  const budget = budgets[thinking];
  const responseFormat = formats[answer];
  return {
    messages: [question, ...begun(prefill, answer)],
    ...(prefill === 'nothing' ? {} : { continueFinalMessage: true }),
    ...(tools === 'not offered' ? {} : { tools: boundedTools, toolChoice: choices[tools] }),
    ...(parallel === 'one' ? { parallelToolCalls: false } : {}),
    ...(responseFormat === undefined ? {} : { responseFormat }),
    thinking: thinking !== 'off',
    ...(budget === undefined ? {} : { thinkingBudget: budget }),
    ...(stop === 'nothing' ? {} : { stop: stops[stop] }),
    ...samplings[sampling],
    ...(writing === 'speculated' ? { speculate: true } : {}),
    // A server has no option for it.
    ...(writing === 'sampled' && !isServer(row) ? { injectForcedText: false } : {}),
    policy,
    seed,
  };
}

/** Whether the model is asked over one of the servers' own interfaces. */
export function isServer({ engine }: Row): boolean {
  return engine === 'llama-server' || engine === 'vllm' || engine === 'sglang';
}

function begun(prefill: Row['prefill'], answer: Row['answer']): readonly Message[] {
  if (prefill === 'nothing') return [];
  const role = 'assistant';
  if (prefill === 'thoughts') return [{ role, content: '', reasoning_content: begunThoughts }];
  return [{ role, content: begunAnswers[answer] }];
}

/** Whether the response must be, may be, or cannot be calls. */
export function callsOf({ tools, prefill }: Row): 'must' | 'may' | 'never' {
  if (tools === 'not offered' || tools === 'none') return 'never';
  if (tools !== 'auto') return 'must';
  return prefill === 'answer' ? 'never' : 'may';
}

/** What a model would write that does as it is asked. It thinks where it may. */
export function intentOf(row: Row, { calls, reasoning }: ChatFormat, random: Random): ResponseMessage {
  const { thinking, prefill, answer, parallel, tools, limit } = row;
  const thinks = thinking !== 'off' && thinking !== 'budget 0' && prefill !== 'answer' && reasoning !== null;
  const base = { role: 'assistant', ...(thinks ? { reasoning_content: thoughts } : {}) } as const;
  const answers = { ...base, content: { text, 'any JSON': anyJson, schema: rightAnswer }[answer] };
  const mode = callsOf(row);
  const wantsCalls = limit === 'in a name' || limit === 'in arguments' || random.chance(0.5);
  if (calls === null || mode === 'never') return answers;
  if (mode === 'may' && (limit === 'in the answer' || !wantsCalls)) return answers;
  const allowed = rightCalls.filter(([name]) => isAllowed(tools, name));
  const several = calls.parallel && parallel === 'many' && tools !== 'named' && random.chance(0.4);
  const chosen = random.shuffle(allowed).slice(0, several ? 2 : 1);
  const content = prefill === 'answer' ? begunAnswers[answer] : null;
  return { ...base, content, tool_calls: toolCalls(chosen) };
}

function isAllowed(tools: Row['tools'], name: NamedCall[0]): boolean {
  if (tools === 'named') return name === 'get_weather';
  return tools !== 'two allowed' || name === 'get_weather' || name === 'write_note';
}

/** The part of the turn after which a cut response ends: some text in the region that the row names. */
export function cutPlace({ limit }: Row, written: string, intent: ResponseMessage): string {
  const [call] = intent.tool_calls ?? [];
  const sought = {
    roomy: '',
    'in thoughts': 'weather',
    'in the answer': (intent.content ?? '').slice(0, 9),
    'in a name': call?.function.name.slice(0, 5) ?? '',
    'in arguments': /Bern|Oslo|06|Lüfte/.exec(call?.function.arguments ?? '')?.[0] ?? '',
  }[limit];
  const at = sought === '' ? -1 : written.indexOf(sought);
  return at < 0 ? written.slice(0, 24) : written.slice(0, at + sought.length);
}
