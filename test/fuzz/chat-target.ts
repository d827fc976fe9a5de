/**
 * Tools and answers of any schema, in chats under the templates of every layout, with a model that draws at random:
 * what is handed out is valid, wherever it was cut, and the message is what its events add up to.
 */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { JsonSchema } from '../../src/format/messages.ts';
import { analyzeTemplate, compileValidator } from '../../src/index.ts';
import type { ResponseMessage } from '../../src/parser/events.ts';
import { foldEvents } from '../../src/parser/index.ts';
import {
  type ChatEvent,
  type ChatOptions,
  connectEngine,
  type EngineModel,
} from '../../src/runtime/engine/index.ts';
import { type RestlessEngine, restlessEngine } from '../support/restless-engine.ts';
import { seededRandom } from '../support/sample-grammar.ts';
import { spineTemplates } from '../support/spine-templates.ts';
import { type FuzzTarget, numberOf, typed } from './fuzz-target.ts';
import { mutatedJson } from './mutated-json.ts';
import { schema } from './tool-targets.ts';

interface Chats {
  readonly engine: RestlessEngine;
  readonly model: EngineModel;
}

const chats = new Map<string, Chats>();
for (const { name, source } of await spineTemplates()) {
  const { preservedTokens, stops } = analyzeTemplate(source).format;
  const trimmed = stops.map((stop) => stop.trim());
  const [end = '<|end|>'] = trimmed;
  const specials = { controls: [...new Set([...trimmed, end])], markers: preservedTokens, end };
  const engine = restlessEngine(source, specials, Math.random);
  chats.set(name, { engine, model: await connectEngine(engine, { requireTools: false }) });
}

/** Options of chats; `answer` stands for a `responseFormat` of the schema. */
const requests: readonly Readonly<Record<string, unknown>>[] = [
  { toolChoice: 'required', maxTokens: 100 },
  { toolChoice: 'auto', maxTokens: 60, thinking: true },
  { toolChoice: 'required', parallelToolCalls: false, policy: 'degrade', thinkingBudget: 4, maxTokens: 80 },
  { answer: true, maxTokens: 100, policy: 'degrade' },
  { toolChoice: 'none', answer: true, maxTokens: 60, injectForcedText: false },
  { toolChoice: 'auto', answer: true, maxTokens: 60, stop: ['}'], thinking: false },
];
const written = requests.map((each) => JSON.stringify(each));
const keys = [
  ...[
    'toolChoice',
    'parallelToolCalls',
    'policy',
    'thinking',
    'thinkingBudget',
    'maxTokens',
    'answer',
    'stop',
  ],
  ...['injectForcedText', 'speculate', 'reasoningFormat', 'stopIn', 'maxOutputTokens', 'tellOverruled'],
];
const leaves = [
  ...['required', 'auto', 'none', 'f', 'strict', 'degrade', 'separate', 'response', 'answer', '"', 'a', '<'],
  ...[0, 1, 2, 8, 40, 90, true, false, null, [], ['}'], ['": '], ['a', ','], { type: 'function', name: 'f' }],
];

interface Asked {
  readonly template: string;
  /** Of the arguments of `f`, and of the answer. */
  readonly schema: string;
  readonly request: string;
}

const names = Array.from(chats.keys());

/** See the top of this file. */
export const chat: FuzzTarget = {
  seeds: schema.seeds.map((each, index) =>
    JSON.stringify({
      template: names[index % names.length],
      schema: each,
      request: written[index % written.length],
    }),
  ),
  near: (input) => {
    const asked = JSON.parse(input) as Asked;
    return fc
      .record({
        template: fc.oneof(fc.constant(asked.template), fc.constantFrom(...names)),
        schema: fc.oneof(fc.constant(asked.schema), schema.near(asked.schema)),
        request: fc.oneof(
          // Most of what is changed in a request is refused at once.
          { weight: 3, arbitrary: fc.constantFrom(asked.request, ...written) },
          { weight: 1, arbitrary: mutatedJson([JSON.parse(asked.request)], keys, leaves) },
        ),
      })
      .map((each) => JSON.stringify(each));
  },
  attempt: async (input) => {
    const asked = JSON.parse(input) as Asked;
    const { engine, model } = chats.get(asked.template) ?? requireTemplate(asked.template);
    engine.random = seededRandom(numberOf(input));
    const parameters = JSON.parse(asked.schema) as JsonSchema;
    await typed(async () => {
      const run = model.chat(optionsOf(JSON.parse(asked.request), parameters));
      const events: ChatEvent[] = [];
      for await (const event of run) events.push(event);
      requireSum(events, await run.message);
      requireOrder(events);
      requireValid(events, parameters, JSON.parse(asked.request)?.answer === true);
    });
  },
};

function requireTemplate(name: string): never {
  throw new RangeError(name);
}

function optionsOf(request: Readonly<Record<string, unknown>> | null, parameters: JsonSchema): ChatOptions {
  const { answer, ...options }: Readonly<Record<string, unknown>> = { maxTokens: 60, ...request };
  const json_schema = { name: 'answer', schema: parameters };
  return {
    messages: [{ role: 'user', content: 'Well?' }],
    tools: [
      { type: 'function', function: { name: 'f', parameters } },
      { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } },
    ],
    ...(answer === true ? { responseFormat: { type: 'json_schema', json_schema } } : {}),
    ...options,
  } as ChatOptions;
}

/** Throws where the message is not what the events say. */
function requireSum(events: readonly ChatEvent[], message: ResponseMessage): void {
  const { content, reasoning, calls } = foldEvents(events);
  const made = calls.filter(({ complete }) => complete).map(({ name, input }) => [name, input]);
  const ids = events.flatMap((event) =>
    event.type === 'tool-call' ? [event.writtenId ?? event.toolCallId] : [],
  );
  // An answer that does not fit its schema was streamed, and is withdrawn.
  const isWithdrawn = message.content === null && events.some(({ type }) => type === 'malformed');
  const folded = { content: isWithdrawn ? '' : content, reasoning, calls: made, ids };
  const written = message.tool_calls ?? [];
  const told = {
    content: message.content ?? '',
    reasoning: message.reasoning_content ?? '',
    calls: written.map(({ function: { name, arguments: text } }) => [name, text]),
    ids: written.map(({ id }) => id),
  };
  if (!isDeepStrictEqual(told, folded))
    throw new Error(`the message is another than its events: ${JSON.stringify({ told, folded })}`);
}

/** Throws where the ranges of events go back, or the tokens do not add up. */
function requireOrder(events: readonly ChatEvent[]): void {
  let last = 0;
  for (const { type, start, end } of events) {
    // An answer that is withdrawn is told as a whole.
    const isBack = start < last && type !== 'malformed';
    if (isBack || end < start) throw new Error(`${type} at ${start} to ${end}, after ${last}`);
    last = Math.max(last, start);
  }
  const finish = events.at(-1);
  if (finish?.type !== 'finish' || finish.usage === undefined) throw new Error('no finish');
  const { completionTokens, reasoningTokens, textTokens, callTokens, injectedTokens } = finish.usage;
  const isCounted = completionTokens === reasoningTokens + textTokens + callTokens;
  if (!isCounted || injectedTokens > completionTokens) throw new Error(JSON.stringify(finish.usage));
}

/** Throws where something invalid was handed out. */
function requireValid(events: readonly ChatEvent[], parameters: JsonSchema, isAnswer: boolean): void {
  const validate = compileValidator(parameters);
  for (const event of events)
    if (event.type === 'tool-call' && event.toolName === 'f' && validate(event.arguments).length > 0)
      throw new Error(`handed out, and invalid: ${event.input}`);
  const { content, calls } = foldEvents(events);
  const end = events.at(-1);
  if (end?.type !== 'finish') throw new Error('no finish');
  const isTold = end.reason !== 'stop' || events.some(({ type }) => type === 'malformed') || calls.length > 0;
  if (!isAnswer || isTold || end.stopSequence !== undefined) return;
  if (validate(JSON.parse(content)).length > 0) throw new Error(`answered, and invalid: ${content}`);
}
