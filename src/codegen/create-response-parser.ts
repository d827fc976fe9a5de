/** `createResponseParser`: a streaming parser for the responses of a format. */
import type { ChatFormat } from '../format/chat-format.ts';
import {
  chatFormat,
  checkOption,
  isRecord,
  type OptionRule,
  object,
  requireOption,
} from '../format/option-rules.ts';
import type { ResponseModule } from '../parser/module-contract.ts';
import {
  createModuleParser,
  type ResponseParser,
  type ResponseParserOptions,
} from '../parser/response-parser.ts';
import { normalizeTools, type ToolList } from '../tools/tools.ts';
import { interpretStates } from './interpret-states.ts';
import { lowerToStates } from './lower-to-states.ts';

/** Options of a response parser, with tools in any shape that `normalizeTools` takes. */
export interface CreateParserOptions extends Omit<ResponseParserOptions, 'tools'> {
  /**
   * The tools on offer. Absent: any name may be called, and no types are known. Empty: no call can be
   * made, and its markers are text.
   */
  readonly tools?: ToolList;
}

const source: OptionRule = {
  expected: 'a ChatFormat from analyzeTemplate(), or a responseModule written by idiolect generate',
  allows: (value) => chatFormat.allows(value) || (isRecord(value) && 'contract' in value),
};

const modules = new WeakMap<ChatFormat, ResponseModule>();

/**
 * A streaming parser for the responses of a format, or of a generated module. Model output never makes
 * it throw; what does not fit the format comes out as `malformed` events.
 *
 * Throws `UnsupportedOptionError` when the module was generated for another version of the runtime, and for
 * anything that is neither a format nor a module; `ToolListError` for tools that cannot be read.
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

/** The module of a format met at run time; made once per format. */
function interpretedModule(format: ChatFormat): ResponseModule {
  const known = modules.get(format);
  if (known !== undefined) return known;
  const made = interpretStates(lowerToStates(format));
  modules.set(format, made);
  return made;
}
