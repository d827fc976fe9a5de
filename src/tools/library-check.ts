/**
 * What the library of a schema says about a value. Exporters to JSON Schema leave out what it cannot express (zod's
 * `refine` and `jwt`, valibot's `email`), so that no grammar enforces it.
 */
import type { JsonObject } from '../format/messages.ts';
import { findTool, schemaOf, type ToolList } from './tools.ts';
import { isValidating, type LibraryProblem, problemsOf, type ValidatingSchema } from './validating-schema.ts';

/** Asks the library of one schema. */
export class LibraryCheck {
  readonly #schema: ValidatingSchema;
  #needsTime = false;

  constructor(schema: ValidatingSchema) {
    this.#schema = schema;
  }

  /** Whether it answers with promises: then whoever executes the call asks it again, and waits. */
  get needsTime(): boolean {
    return this.#needsTime;
  }

  /** What is wrong with a value; empty if nothing is, or if the library needs time to say. */
  problemsOf(value: unknown): readonly LibraryProblem[] {
    if (this.#needsTime) return [];
    try {
      // Libraries may change what they are given.
      const verdict = this.#schema['~standard'].validate(structuredClone(value));
      if (!(verdict instanceof Promise)) return problemsOf(verdict.issues ?? []);
      this.#needsTime = true;
      verdict.catch(() => undefined);
      return [];
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return [{ path: [], text: `its library cannot validate it: ${reason}` }];
    }
  }
}

/** Asks the library of `schema`; `null` if it is no library's. */
export function libraryCheck(schema: unknown): LibraryCheck | null {
  return isValidating(schema) ? new LibraryCheck(schema) : null;
}

/** Lists what the libraries of these tools' schemas say about the arguments of a call. */
export function libraryChecks(tools: ToolList): (toolName: string, input: JsonObject) => readonly string[] {
  const known = new Map<string, LibraryCheck | null>();
  return (toolName, input) => {
    const tool = findTool(tools, toolName);
    if (!known.has(toolName)) known.set(toolName, tool === undefined ? null : libraryCheck(schemaOf(tool)));
    return (
      known
        .get(toolName)
        ?.problemsOf(input)
        .map(({ text }) => text) ?? []
    );
  };
}
