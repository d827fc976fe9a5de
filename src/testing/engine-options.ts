/** Options of engines in JavaScript, with their rules. */

import { UnsupportedOptionError } from '../format/errors.ts';
import {
  chatTemplate,
  integerFrom,
  isRecord,
  type OptionRule,
  type OptionRules,
  oneOf,
  string,
  stringArray,
} from '../format/option-rules.ts';
import type { JavaScriptEngineOptions } from './evaluator/file-engine.ts';
import { maxContextSize } from './model-file-options.ts';
import type { ToyFormat } from './toy/templates.ts';
import { type SpecialTexts, toySpecials } from './toy/vocabulary.ts';

/** The template of an engine, and the texts that are tokens by themselves. */
export interface TemplateOptions {
  /** Which of the toy's templates is used, if no other is given, and whose special tokens. Default: `json`. */
  readonly format?: ToyFormat;
  /** Jinja source of a chat template. Default: the toy's. */
  readonly chatTemplate?: string;
  /** Texts that are control tokens, such as `<|im_end|>`; `end` is one without being listed. Default: the toy's. */
  readonly controls?: readonly string[];
  /** Texts that are user-defined tokens, such as `<tool_call>`. Default: the toy's. */
  readonly markers?: readonly string[];
  /** The control token that ends a turn. Default: the toy's, `<|im_end|>` in most formats. */
  readonly end?: string;
  /** Shown as the model's name. */
  readonly name?: string;
  /** Tokens available to prompt and response together. Default: 8192. */
  readonly contextSize?: number;
}

/** Options of `scriptedEngine`. */
export interface ScriptedEngineOptions extends TemplateOptions {
  /** What is written after what. */
  readonly turns: readonly ScriptedTurn[];
}

/** What a model writes in one turn. */
export interface ScriptedTurn {
  /**
   * A text of the prompt, such as the question or a tool's result. Of all turns, that one is written whose text comes
   * last in the prompt. Default: '', which is in every prompt and comes before every other.
   */
  readonly after?: string;
  /**
   * What is written, in the format of the template: a text, in which markers are the tokens that they are; or pieces,
   * of which each has tokens of its own, and only a piece that is nothing but a marker is its token. The end of the
   * turn comes after it.
   */
  readonly script: string | readonly string[];
}

/** Options of `tinyEngine`. */
export interface TinyEngineOptions extends TemplateOptions {
  /** Seed of the random weights. Default: 1. */
  readonly seed?: number;
}

/**
 * The special tokens that the options ask for. Throws `UnsupportedOptionError` for controls without the end of a turn.
 */
export function specialsOf({ format = 'json', controls, markers, end }: TemplateOptions): SpecialTexts {
  const toy = toySpecials(format);
  const listed = controls ?? toy.controls;
  if (end === undefined && !listed.includes(toy.end)) {
    const reason = `must say which of the controls (${listed.join(', ')}) ends a turn`;
    throw new UnsupportedOptionError({ option: 'end', reason });
  }
  const ending = end ?? toy.end;
  return {
    controls: listed.includes(ending) ? listed : [...listed, ending],
    markers: (markers ?? toy.markers).filter((marker) => marker !== ending),
    end: ending,
  };
}

const turns: OptionRule = {
  expected: 'an array of turns ({ after, script }, a text and a text or an array of texts)',
  allows: (value) => Array.isArray(value) && value.every(isTurn),
};

const contextSize = integerFrom(1, maxContextSize);

/** Rules of `toyEngine`. */
export const toyEngineRules: OptionRules<JavaScriptEngineOptions> = { contextSize };

const templateRules: OptionRules<TemplateOptions> = {
  format: oneOf('json', 'tags', 'channels'),
  chatTemplate,
  controls: stringArray,
  markers: stringArray,
  end: {
    expected: 'a text of at least one character',
    allows: (end) => typeof end === 'string' && end !== '',
  },
  name: string,
  contextSize,
};

/** Rules of `scriptedEngine`. */
export const scriptedEngineRules: OptionRules<ScriptedEngineOptions> = { ...templateRules, turns };

/** Rules of `tinyEngine`. */
export const tinyEngineRules: OptionRules<TinyEngineOptions> = {
  ...templateRules,
  seed: integerFrom(0, Number.MAX_SAFE_INTEGER),
};

function isTurn(value: unknown): boolean {
  if (!isRecord(value) || !Object.keys(value).every((key) => key === 'after' || key === 'script'))
    return false;
  const { after = '', script } = value;
  return typeof after === 'string' && (typeof script === 'string' || isTextList(script));
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
