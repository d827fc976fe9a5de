/** `createResponseParser`: a streaming parser for the responses of a format. */
import type { ChatFormat } from '../format/chat-format.ts';
import { memoize } from '../format/memoize.ts';
import {
  chatFormat,
  checkOption,
  isRecord,
  type OptionRule,
  object,
  requireOption,
} from '../format/option-rules.ts';
import { defineParser } from '../parser/define-parser.ts';
import type { ResponseModule } from '../parser/module-contract.ts';
import { createModuleParser } from '../parser/module-parser.ts';
import type { ResponseParser, ResponseParserOptions } from '../parser/response-parser.ts';
import { stateOf } from '../parser/steps/steps.ts';
import { normalizeTools, type ToolList } from '../tools/tools.ts';
import { lowerToStates } from './lower-to-states.ts';
import type { ParserProgram } from './states.ts';

/** Options of a response parser, with tools in any form that `normalizeTools` accepts. */
export interface CreateParserOptions extends Omit<ResponseParserOptions, 'tools'> {
  /**
   * The tools offered. Absent: any name may be called, and no types are known. Empty: no calls are possible, and their
   * markers are text.
   */
  readonly tools?: ToolList;
}

const source: OptionRule = {
  expected: 'a ChatFormat from analyzeTemplate(), or a responseModule written by idiolect generate',
  allows: (value) => chatFormat.allows(value) || (isRecord(value) && 'contract' in value),
};

/**
 * A streaming parser for the responses of a format, or of a generated module. It never throws because of model output;
 * text that does not fit the format is emitted as `malformed` events.
 *
 * Throws `UnsupportedOptionError` if the module was generated for another version of the runtime, or the argument is
 * neither a format nor a module; `ToolListError` if tools cannot be read.
 */
export function createResponseParser(
  formatOrModule: ChatFormat | ResponseModule,
  options: CreateParserOptions = {},
): ResponseParser {
  requireOption('formatOrModule', formatOrModule, source);
  checkOption('options', options, object);
  const responseModule = 'contract' in formatOrModule ? formatOrModule : interpretedModule(formatOrModule);
  const { tools = null, ...others } = options;
  return createModuleParser(
    responseModule,
    tools === null ? others : { ...others, tools: normalizeTools(tools) },
  );
}

/** The module of a format that is known only at run time; made once per format. */
export const interpretedModule = memoize(
  (format: ChatFormat): ResponseModule => interpretStates(lowerToStates(format)),
);

/** A module that is equivalent to the one generated from `program`. */
export function interpretStates({ states, ...program }: ParserProgram): ResponseModule {
  const named = states.map(({ name, step }) => [name, stateOf(step)] as const);
  return defineParser({ ...program, states: Object.fromEntries(named) });
}
