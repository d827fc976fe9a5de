/** The sampling options of all APIs. */
import { integerFrom, numberBetween, numberFrom, withoutUndefined } from '../../format/option-rules.ts';
import type { SamplingOptions } from '../../runtime/chat/chat-options.ts';
import { samplingRules } from '../../runtime/chat/sampling-rules.ts';
import { invalid } from '../errors.ts';
import type { Body } from '../read-body.ts';
import { numberField } from './request-fields.ts';

/** The fields read here; those from `top_k` on exist in local servers, the last two under different names. */
export const samplingFields = [
  'temperature',
  'top_p',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'top_k',
  'min_p',
  'repeat_penalty',
  'repetition_penalty',
] as const;

const anyInteger = integerFrom(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);

/** The limits of OpenAI's API. */
const penalty = {
  expected: 'a number from -2 to 2',
  allows: (value: unknown) => typeof value === 'number' && value >= -2 && value <= 2,
};

/** The options of a chat; absent fields are omitted. */
export function readSampling(body: Body): SamplingOptions {
  return withoutUndefined({
    temperature: numberField(body, 'temperature', numberBetween(0, 2)),
    topP: numberField(body, 'top_p', numberFrom(0, 1)),
    topK: readTopK(body),
    minP: numberField(body, 'min_p', numberFrom(0, 1)),
    presencePenalty: numberField(body, 'presence_penalty', penalty),
    frequencyPenalty: numberField(body, 'frequency_penalty', penalty),
    repeatPenalty: readRepeatPenalty(body),
    seed: readSeed(numberField(body, 'seed', anyInteger)),
  });
}

function readRepeatPenalty(body: Body): number | undefined {
  const [name = '', other] = ['repeat_penalty', 'repetition_penalty'].filter((each) => body[each] != null);
  if (other !== undefined) throw invalid(other, `${other} is ${name} by another name; leave one of them out`);
  return numberField(body, name, samplingRules.repeatPenalty);
}

/** −1 means all of them in another server. */
function readTopK(body: Body): number | undefined {
  if (body.top_k === -1) return 0;
  return numberField(body, 'top_k', integerFrom(0, Number.MAX_SAFE_INTEGER));
}

/** The maximum number of tokens; −1 means no limit in other servers. */
export function readLimit(body: Body, name: string): number | undefined {
  if (body[name] === -1) return Number.MAX_SAFE_INTEGER;
  return numberField(body, name, integerFrom(1, Number.POSITIVE_INFINITY));
}

/** −1 means a random seed in another server; other negative numbers are ordinary seeds. */
function readSeed(seed: number | undefined): number | undefined {
  if (seed === undefined || seed === -1) return undefined;
  return seed < 0 ? seed + Number.MAX_SAFE_INTEGER : seed;
}

/** How many of the likeliest tokens to report with each token of the answer. */
export function readTopLogprobs(body: Body): number | undefined {
  return numberField(body, 'top_logprobs', integerFrom(0, 20));
}

/** One or several texts at which the response ends. */
export function readStops(body: Body, name: string): readonly string[] | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined) return undefined;
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  return texts.flatMap((text, index) => {
    if (typeof text === 'string') return text === '' ? [] : [text];
    throw invalid(Array.isArray(value) ? `${name}[${index}]` : name, `${name} must be a string, or a list`);
  });
}
