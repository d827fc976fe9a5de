/** Loads what enforces responses when the first chat needs it: a page that only talks gets by without. */

import { UnsupportedOptionError } from '../../../format/errors.ts';
import type { Tool } from '../../../format/messages.ts';
import type { ChatOptions } from '../chat-options.ts';
import { EnforcedText } from '../checks/enforced-text.ts';
import type { EnforcedReading, Enforcement } from './enforcement.ts';

/** Whether any response to a request is allowed, so that no grammar is needed. */
export function enforcesNothing(
  { toolChoice = 'auto', responseFormat, thinkingBudget }: ChatOptions,
  tools: readonly Tool[],
): boolean {
  const demandsNothing = toolChoice === 'auto' || toolChoice === 'none';
  const answersText = responseFormat === undefined || responseFormat.type === 'text';
  return tools.length === 0 && demandsNothing && answersText && thinkingBudget === undefined;
}

/** How a response is guarded of which nothing is enforced: without tools, no call is read. */
export function unguarded(): EnforcedReading {
  return {
    guard: {
      // It reads the text of its response, so each has its own.
      enforced: new EnforcedText(new Set()),
      validate: (toolName) => [`the tool ${JSON.stringify(toolName)} is not allowed here`],
      judgeAnswer: null,
    },
    restOf: () => null,
    answerStart: () => null,
    checks: null,
  };
}

/** What enforces the responses of one model, as soon as it is needed. */
export class LateEnforcement {
  #loaded: Enforcement | null;

  constructor(loaded: Enforcement | null = null) {
    this.#loaded = loaded;
  }

  async load(): Promise<Enforcement> {
    if (this.#loaded === null) {
      const { Enforcement: Loaded } = await import('./enforcement.ts');
      // Another chat may have needed it meanwhile.
      this.#loaded ??= new Loaded();
    }
    return this.#loaded;
  }

  /** Throws `UnsupportedOptionError` before it is loaded. */
  get loaded(): Enforcement {
    if (this.#loaded !== null) return this.#loaded;
    const reason = 'what enforces them is not loaded yet: await prepare() with these options first';
    throw new UnsupportedOptionError({ option: 'tools', reason });
  }
}
