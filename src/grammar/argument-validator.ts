/** `argumentValidator`: validates call arguments, for the parser's option `validate`. */
import { SchemaError } from '../format/errors.ts';
import type { JsonObject, Tool } from '../format/messages.ts';
import { compileValidator, describeFailure } from '../json-schema/validate/validate.ts';
import { normalizeTools, type ToolList } from '../tools/tools.ts';

/** Returns the problems with a call's arguments, one line each; empty if there are none. */
export type ArgumentValidator = (toolName: string, input: JsonObject) => readonly string[];

/**
 * Creates a validator for the parser's option `validate`. Each problem names its JSON pointer; no problems give an
 * empty array. A tool's schema is compiled once, at its first call. Calls of unknown tools and schemas that do not
 * compile are reported as problems, never thrown. Throws `ToolListError` for tools that cannot be read.
 */
export function argumentValidator(tools: ToolList): ArgumentValidator {
  const offered = new Map(normalizeTools(tools).map((tool) => [tool.function.name, tool]));
  const compiled = new Map<string, (input: JsonObject) => readonly string[]>();
  return (toolName, input) => {
    const tool = offered.get(toolName);
    if (tool === undefined) return [`no tool ${JSON.stringify(toolName)} was offered`];
    const validate = compiled.get(toolName) ?? validatorOf(tool);
    compiled.set(toolName, validate);
    return validate(input);
  };
}

function validatorOf({ function: { name, parameters } }: Tool): (input: JsonObject) => readonly string[] {
  if (parameters === undefined) return () => [];
  const compile = () => compileValidator(parameters, name);
  let validate: ReturnType<typeof compile> | null = null;
  return (input) => {
    try {
      validate ??= compile();
      return validate(input).map(describeFailure);
    } catch (error) {
      if (error instanceof SchemaError) return [error.message];
      throw error;
    }
  };
}
