/** Options from outside the type checker: a number that is none must not become a run without an end. */
import { UnsupportedOptionError } from '../../../errors.ts';
import type { ChatOptions } from './chat.ts';
import type { LoadModelOptions } from './load-model.ts';
import type { RunToolsOptions } from './run-tools.ts';

/** Which values an option may have. */
interface NumberRule<Option> {
  readonly option: Option;
  readonly min: number;
  readonly max: number;
  readonly whole: boolean;
}

const anything = Number.POSITIVE_INFINITY;
const chatRules: readonly NumberRule<keyof ChatOptions>[] = [
  { option: 'maxTokens', min: 0, max: anything, whole: true },
  { option: 'thinkingBudget', min: 0, max: anything, whole: true },
  { option: 'temperature', min: 0, max: Number.MAX_VALUE, whole: false },
  { option: 'topK', min: 0, max: Number.MAX_SAFE_INTEGER, whole: true },
  { option: 'topP', min: 0, max: 1, whole: false },
  { option: 'minP', min: 0, max: 1, whole: false },
  { option: 'seed', min: 0, max: Number.MAX_SAFE_INTEGER, whole: true },
];

const runRules: readonly NumberRule<keyof RunToolsOptions>[] = [
  { option: 'maxSteps', min: 1, max: anything, whole: true },
];

const largest = 2 ** 31 - 1;
const loadRules: readonly NumberRule<keyof LoadModelOptions>[] = [
  { option: 'contextSize', min: 1, max: largest, whole: true },
  { option: 'sequences', min: 1, max: largest, whole: true },
  { option: 'threads', min: 0, max: largest, whole: true },
];

/** Throws `UnsupportedOptionError` for the first option of a run that is not what its type says. */
export function checkRunOptions(options: RunToolsOptions): void {
  for (const rule of runRules) checkNumber(rule, options[rule.option]);
}

/** Throws `UnsupportedOptionError` for the first option of a model that is not what its type says. */
export function checkLoadOptions(options: LoadModelOptions): void {
  for (const rule of loadRules) checkNumber(rule, options[rule.option]);
}

/** Throws `UnsupportedOptionError` for the first option of a chat that is not what its type says. */
export function checkChatOptions(options: ChatOptions): void {
  for (const rule of chatRules) checkNumber(rule, options[rule.option]);
  if (!Array.isArray(options.messages)) refuse('messages', 'is a list of messages');
  const stop: unknown = options.stop ?? [];
  if (!Array.isArray(stop) || stop.some((each) => typeof each !== 'string' || each === '')) {
    refuse('stop', 'is a list of texts, none of them empty');
  }
}

function checkNumber({ option, min, max, whole }: NumberRule<string>, value: unknown): void {
  if (value === undefined) return;
  const isWhole = Number.isInteger(value) || value === anything;
  if (typeof value === 'number' && value >= min && value <= max && (isWhole || !whole)) return;
  const limits = max <= 1 ? `from ${min} to ${max}` : `of ${min} or more`;
  refuse(option, `is a ${whole ? 'whole number' : 'number'} ${limits}, and not ${String(value)}`);
}

function refuse(option: string, reason: string): never {
  throw new UnsupportedOptionError({ option, reason });
}
