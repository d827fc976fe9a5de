/** Options of small models, with their rules. */
import { integerFrom, isRecord, type OptionRule, type OptionRules, string } from '../format/option-rules.ts';
import type { GgufMetadata } from './gguf-types.ts';

/** A tokenizer as metadata (`tokenizer.ggml.*`), and its number of tokens. */
export interface Vocabulary {
  readonly metadata: GgufMetadata;
  readonly size: number;
}

/** Options of every small model. */
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

/** A token with a new text and role. */
export interface RenamedToken {
  readonly text: string;
  /** `control`: like an end of turn. `user-defined`: a marker that is one token. */
  readonly role: 'control' | 'user-defined';
}

/** Longer contexts would need gigabytes of weights. */
export const maxContextSize = 2 ** 24;
/** The result of `vocabularyOf`. */
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

/** Rules of every small model. */
export const fileRules: OptionRules<ModelFileOptions> = {
  vocabulary: vocabularyRule,
  chatTemplate: string,
  toolUseTemplate: string,
  name: string,
  contextLength: integerFrom(1, maxContextSize),
};

/** Rules of `tinyModel`. */
export const tinyRules: OptionRules<TinyModelOptions> = {
  ...fileRules,
  seed: integerFrom(0, Number.MAX_SAFE_INTEGER),
};

/** Whether it can be a token. */
export function isTokenId(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isRenamed(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value.text === 'string' &&
    (value.role === 'control' || value.role === 'user-defined')
  );
}
