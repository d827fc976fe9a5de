/** `argumentValidator`: what the parser's option `validate` takes. */
import { SchemaError } from '../format/errors.ts';
import type { JsonObject, Tool } from '../format/messages.ts';
import { normalizeTools, type ToolList } from '../tools/tools.ts';
import { compileValidator } from './json-schema/validate/validate.ts';

/** Says what is wrong with the arguments of a call, a line for each problem. */
export type ArgumentValidator = (toolName: string, input: JsonObject) => readonly string[];

/**
 * A function for the parser's option `validate`: what is wrong with the arguments of a call, each problem
 * with its JSON pointer; empty when nothing is. Schemas are compiled once per tool, at its first call. A
 * tool that was not offered is a problem; a schema that cannot be compiled is one too, never an exception.
 * Throws `ToolListError` for tools that cannot be read.
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
      return validate(input).map(
        ({ pointer, message }) => `${pointer === '' ? '(root)' : pointer} ${message}`,
      );
    } catch (error) {
      if (error instanceof SchemaError) return [error.message];
      throw error;
    }
  };
}
