/** The sampling options of all APIs. */
import { searchedTexts, withoutUndefined } from '../../format/option-rules.ts';
import type { ChatOptions, SamplingOptions } from '../../runtime/chat/chat-options.ts';
import { samplingRules } from '../../runtime/chat/sampling-rules.ts';
import { invalid } from '../errors.ts';
import type { Body } from '../read-body.ts';
import {
  anyRule,
  type FieldRule,
  type FieldTable,
  integerRule,
  listRule,
  numberRule,
  onlyRule,
  textRule,
} from './field-table.ts';
import { numberField } from './request-fields.ts';

const penalty = numberRule(-2, 2);
const repeatPenalty: FieldRule = {
  ...samplingRules.repeatPenalty,
  schema: { type: 'number', exclusiveMinimum: 0, maximum: 2 },
};

/** The fields read here; those from `top_k` on exist in local servers, the last two under different names. */
export const samplingFields = {
  temperature: numberRule(0, 2),
  top_p: numberRule(0, 1),
  seed: integerRule(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  presence_penalty: penalty,
  frequency_penalty: penalty,
  top_k: integerRule(-1, Number.MAX_SAFE_INTEGER),
  min_p: numberRule(0, 1),
  repeat_penalty: repeatPenalty,
  repetition_penalty: repeatPenalty,
} as const satisfies FieldTable;

/** A number of tokens; −1 means no limit in other servers. */
export const limitRule = anyRule(onlyRule(-1), integerRule(1));

/** One or several texts at which the response ends. */
export const stopRule = anyRule(textRule, listRule({ type: 'string' }));

/** How many of the likeliest tokens to report. */
export const topLogprobsRule = integerRule(0, 20);

/** The options of a chat; absent fields are omitted. */
export function readSampling(body: Body): SamplingOptions {
  return withoutUndefined({
    temperature: numberField(body, 'temperature'),
    topP: numberField(body, 'top_p'),
    topK: readTopK(body),
    minP: numberField(body, 'min_p'),
    presencePenalty: numberField(body, 'presence_penalty'),
    frequencyPenalty: numberField(body, 'frequency_penalty'),
    repeatPenalty: readRepeatPenalty(body),
    seed: readSeed(numberField(body, 'seed')),
  });
}

function readRepeatPenalty(body: Body): number | undefined {
  const [name = '', other] = ['repeat_penalty', 'repetition_penalty'].filter((each) => body[each] != null);
  if (other !== undefined) throw invalid(other, `${other} is ${name} by another name; leave one of them out`);
  return numberField(body, name);
}

/** −1 means all of them in another server. */
function readTopK(body: Body): number | undefined {
  if (body.top_k === -1) return 0;
  return numberField(body, 'top_k');
}

/** The maximum number of tokens; −1 means no limit in other servers. */
export function readLimit(body: Body, name: string): number | undefined {
  if (body[name] === -1) return Number.MAX_SAFE_INTEGER;
  return numberField(body, name);
}

/** −1 means a random seed in another server; other negative numbers are ordinary seeds. */
function readSeed(seed: number | undefined): number | undefined {
  if (seed === undefined || seed === -1) return undefined;
  return seed < 0 ? seed + Number.MAX_SAFE_INTEGER : seed;
}

/** How many of the likeliest tokens to report with each token of the answer. */
export function readTopLogprobs(body: Body): number | undefined {
  return numberField(body, 'top_logprobs');
}

/** One or several texts at which the response ends. */
export function readStops(body: Body, name: string): readonly string[] | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined) return undefined;
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  const stops = texts.flatMap((text, index) => {
    if (typeof text === 'string') return text === '' ? [] : [text];
    throw invalid(Array.isArray(value) ? `${name}[${index}]` : name, `${name} must be a string, or a list`);
  });
  if (searchedTexts.allows(stops)) return stops;
  throw invalid(name, `${name} must be ${searchedTexts.expected}`);
}

/** The field `name` of stops, if the answer is JSON: a grammar decides where that ends, and no stop counts in it. */
export function unheardStops(
  name: string,
  { stop = [], responseFormat }: Pick<ChatOptions, 'stop' | 'responseFormat'>,
): readonly string[] {
  return stop.length > 0 && (responseFormat?.type ?? 'text') !== 'text' ? [name] : [];
}
