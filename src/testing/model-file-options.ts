/** Options of small models, and what they may be. */
import { integerFrom, isRecord, type OptionRule, type OptionRules, string } from '../format/option-rules.ts';
import type { GgufMetadata } from './gguf-types.ts';

/** A tokenizer as metadata (`tokenizer.ggml.*`), and how many tokens it has. */
export interface Vocabulary {
  readonly metadata: GgufMetadata;
  readonly size: number;
}

/** What every small model takes. */
export interface ModelFileOptions {
  readonly vocabulary: Vocabulary;
  /** Jinja source, written as `tokenizer.chat_template`. */
  readonly chatTemplate?: string;
  /** Jinja source of the variant for tools, written as `tokenizer.chat_template.tool_use`. */
  readonly toolUseTemplate?: string;
  /** Shown as the model's name. Default: `tiny`. */
  readonly name?: string;
  /** Default: 8192 tokens. */
  readonly contextLength?: number;
}

/** Options of `tinyModel`. */
export interface TinyModelOptions extends ModelFileOptions {
  /** Seed of the random weights. Default: 1. */
  readonly seed?: number;
}

/** Options of `scriptedModel`. */
export interface ScriptedModelOptions extends ModelFileOptions {
  /** Token ids to write, in order; usually with an end-of-generation token last. */
  readonly script: readonly number[];
  /** How many tokens stand before the script: the length of the prompt. */
  readonly promptLength: number;
}

/** A token with a new text and role. */
export interface RenamedToken {
  readonly text: string;
  /** `control`: like an end of turn. `user-defined`: a marker that is one token. */
  readonly role: 'control' | 'user-defined';
}

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
