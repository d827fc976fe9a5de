/** What the options of small models may be. */
import { integerFrom, isRecord, type OptionRule, type OptionRules, string } from '../format/option-rules.ts';
import type { ScriptedModelOptions } from './scripted-model.ts';
import type { ModelFileOptions, TinyModelOptions } from './tiny-model.ts';

/** Longer contexts than any model has would be gigabytes of weights. */
const longestContext = 2 ** 24;

/** What `vocabularyOf` returns. */
export const vocabularyRule: OptionRule = {
  expected: 'a vocabulary that vocabularyOf() returns',
  allows: (value) => isRecord(value) && value.metadata instanceof Map && typeof value.size === 'number',
};

/** New texts and roles of tokens, by id. */
export const renamedTokens: OptionRule = {
  expected: 'a Map from ids to { text, role }, the role being "control" or "user-defined"',
  allows: (value) =>
    value instanceof Map && [...value].every(([id, token]) => isTokenId(id) && isRenamed(token)),
};

const tokenIds: OptionRule = {
  expected: 'an array of token ids',
  allows: (value) => Array.isArray(value) && value.every(isTokenId),
};

const fileRules: OptionRules<ModelFileOptions> = {
  vocabulary: vocabularyRule,
  chatTemplate: string,
  toolUseTemplate: string,
  name: string,
  contextLength: integerFrom(1, longestContext),
};

/** Of `tinyModel`. */
export const tinyRules: OptionRules<TinyModelOptions> = {
  ...fileRules,
  seed: integerFrom(0, Number.MAX_SAFE_INTEGER),
};

/** Of `scriptedModel`. */
export const scriptedRules: OptionRules<ScriptedModelOptions> = {
  ...fileRules,
  script: tokenIds,
  promptLength: integerFrom(1, longestContext),
};

function isTokenId(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isRenamed(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value.text === 'string' &&
    (value.role === 'control' || value.role === 'user-defined')
  );
}
