/** Options of scripted models, with their rules. */
import {
  integerFrom,
  isRecord,
  type OptionRule,
  type OptionRules,
  type RefusedOptions,
} from '../../../src/format/option-rules.ts';
import {
  fileRules,
  isTokenId,
  type ModelFileOptions,
  maxContextSize,
} from '../../../src/testing/model-file-options.ts';

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

/** In longer ones, models with `turns` do not distinguish all positions. */
const longestTurns = 2 ** 20;

const tokenIds: OptionRule = {
  expected: 'an array of token ids',
  allows: (value) => Array.isArray(value) && value.every(isTokenId),
};

const scriptedTurns: OptionRule = {
  expected: 'an array of turns ({ after, script }, both token ids, and neither empty), one at the least',
  allows: (value) => Array.isArray(value) && value.length > 0 && value.every(isScriptedTurn),
};

/** Rules of `scriptedModel`. */
export const scriptedRules: OptionRules<ScriptedModelOptions> = {
  ...fileRules,
  script: tokenIds,
  promptLength: integerFrom(1, maxContextSize),
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
