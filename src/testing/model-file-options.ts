/** Options of small models, with their rules. */
import {
  integerFrom,
  isRecord,
  type OptionRule,
  type OptionRules,
  type RefusedOptions,
  string,
} from '../format/option-rules.ts';
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

/** Options of `scriptedModel` for a script by position. */
export interface ScriptedModelOptions extends ModelFileOptions {
  /** Token ids to write, in order; usually with an end-of-generation token last. */
  readonly script: readonly number[];
  /** Number of tokens before the script: the length of the prompt. */
  readonly promptLength: number;
}

/** Options of `scriptedModel` for scripts that follow the conversation. */
export interface ScriptedTurnsOptions extends ModelFileOptions {
  /** What to write after which text; one or many turns, in any order. */
  readonly turns: readonly ScriptedTurn[];
  /**
   * Token id that is written if the text ends with no turn's `after` and is not inside a script. Default: the
   * end-of-sequence token of the vocabulary.
   */
  readonly otherwise?: number;
}

/** One turn of a conversation, as token ids. */
export interface ScriptedTurn {
  /**
   * The end of the prompt, which no other turn's prompt ends with, such as the question or the tool's result together
   * with the markers after it.
   */
  readonly after: readonly number[];
  /** What the model then writes; usually with an end-of-generation token last. */
  readonly script: readonly number[];
}

/** A token with a new text and role. */
export interface RenamedToken {
  readonly text: string;
  /** `control`: like an end of turn. `user-defined`: a marker that is one token. */
  readonly role: 'control' | 'user-defined';
}

/** Longer contexts would need gigabytes of weights. */
const longestContext = 2 ** 24;
/** In longer ones, models with `turns` do not distinguish all positions. */
const longestTurns = 2 ** 20;

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

const tokenIds: OptionRule = {
  expected: 'an array of token ids',
  allows: (value) => Array.isArray(value) && value.every(isTokenId),
};

const scriptedTurns: OptionRule = {
  expected: 'an array of turns ({ after, script }, both token ids, and neither empty), one at the least',
  allows: (value) => Array.isArray(value) && value.length > 0 && value.every(isScriptedTurn),
};

const fileRules: OptionRules<ModelFileOptions> = {
  vocabulary: vocabularyRule,
  chatTemplate: string,
  toolUseTemplate: string,
  name: string,
  contextLength: integerFrom(1, longestContext),
};

/** Rules of `tinyModel`. */
export const tinyRules: OptionRules<TinyModelOptions> = {
  ...fileRules,
  seed: integerFrom(0, Number.MAX_SAFE_INTEGER),
};

/** Rules of `scriptedModel`. */
export const scriptedRules: OptionRules<ScriptedModelOptions> = {
  ...fileRules,
  script: tokenIds,
  promptLength: integerFrom(1, longestContext),
};

/** Rules of `scriptedModel` with `turns`. */
export const turnsRules: OptionRules<ScriptedTurnsOptions> = {
  ...fileRules,
  contextLength: integerFrom(1, longestTurns),
  turns: scriptedTurns,
  otherwise: integerFrom(0, Number.MAX_SAFE_INTEGER),
};

/** Options of the script by position, which are not allowed with `turns`. */
export const scriptRefused: RefusedOptions = {
  script: 'each of `turns` has its own',
  promptLength: 'turns follow the text, wherever it stands',
};

function isScriptedTurn(value: unknown): boolean {
  return (
    isRecord(value) &&
    Object.keys(value).every((key) => key === 'after' || key === 'script') &&
    [value.after, value.script].every(
      (tokens) => Array.isArray(tokens) && tokens.length > 0 && tokens.every(isTokenId),
    )
  );
}

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
