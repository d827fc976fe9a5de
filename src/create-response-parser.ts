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

const modules = new WeakMap<ChatFormat, ResponseModule>();

/**
 * A streaming parser for the responses of a format, or of a generated module. Model output never makes
 * it throw; what does not fit the format comes out as `malformed` events.
 *
 * Throws `UnsupportedOptionError` when the module was generated for another version of the runtime, and for
 * anything that is neither a format nor a module.
 */
export function createResponseParser(
  formatOrModule: ChatFormat | ResponseModule,
  options?: ResponseParserOptions,
): ResponseParser {
  checkSource(formatOrModule);
  const responseModule = 'contract' in formatOrModule ? formatOrModule : interpretedModule(formatOrModule);
  return createModuleParser(responseModule, options);
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
