/** `createResponseParser`: a streaming parser for the responses of a format. */
import type { ChatFormat } from './chat-format.ts';
import { interpretStates } from './codegen/interpret-states.ts';
import { lowerToStates } from './codegen/lower-to-states.ts';
import type { ResponseModule } from './runtime/module-contract.ts';
import {
  createModuleParser,
  type ResponseParser,
  type ResponseParserOptions,
} from './runtime/response-parser.ts';

const modules = new WeakMap<ChatFormat, ResponseModule>();

/**
 * A streaming parser for the responses of a format, or of a generated module. Model output never makes
 * it throw; what does not fit the format comes out as `malformed` events.
 *
 * Throws `UnsupportedOptionError` when the module was generated for another version of the runtime.
 */
export function createResponseParser(
  formatOrModule: ChatFormat | ResponseModule,
  options?: ResponseParserOptions,
): ResponseParser {
  const responseModule = 'contract' in formatOrModule ? formatOrModule : interpretedModule(formatOrModule);
  return createModuleParser(responseModule, options);
}

/** The module of a format met at run time; made once per format. */
function interpretedModule(format: ChatFormat): ResponseModule {
  const known = modules.get(format);
  if (known !== undefined) return known;
  const made = interpretStates(lowerToStates(format));
  modules.set(format, made);
  return made;
}
