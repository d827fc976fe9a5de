/** `createResponseParser`: a streaming parser for the responses of a format. */
import type { ChatFormat } from './chat-format.ts';
import { interpretStates } from './codegen/interpret-states.ts';
import { lowerToStates } from './codegen/lower-to-states.ts';
import { UnsupportedOptionError } from './errors.ts';
import type { ResponseModule } from './runtime/module-contract.ts';
import {
  createModuleParser,
  type ResponseParser,
  type ResponseParserOptions,
} from './runtime/response-parser.ts';
import { normalizeTools, type ToolList } from './tools.ts';

/** Options of a response parser, with tools in any shape that `normalizeTools` takes. */
export interface CreateParserOptions extends Omit<ResponseParserOptions, 'tools'> {
  /**
   * The tools on offer. Absent: any name may be called, and no types are known. Empty: no call can be
   * made, and its markers are text.
   */
  readonly tools?: ToolList;
}

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
  checkSource(formatOrModule);
  const responseModule = 'contract' in formatOrModule ? formatOrModule : interpretedModule(formatOrModule);
  const { tools, ...others } = options;
  return createModuleParser(
    responseModule,
    tools === undefined ? others : { ...others, tools: normalizeTools(tools) },
  );
}

/** Refuses what callers in JavaScript may give by mistake. */
function checkSource(given: unknown): void {
  const isObject = typeof given === 'object' && given !== null;
  if (isObject && ('contract' in given || ('turn' in given && 'content' in given))) return;
  throw new UnsupportedOptionError({
    option: 'formatOrModule',
    reason: `${isObject ? 'this object' : String(given)} is neither a chat format nor a generated module; give the format of analyzeTemplate(), or a responseModule of idiolect generate`,
  });
}

/** The module of a format met at run time; made once per format. */
function interpretedModule(format: ChatFormat): ResponseModule {
  const known = modules.get(format);
  if (known !== undefined) return known;
  const made = interpretStates(lowerToStates(format));
  modules.set(format, made);
  return made;
}
