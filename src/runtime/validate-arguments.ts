/** Checks a call's arguments against the schema of its tool. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject, Tool } from '../messages.ts';

type Validator = (input: JsonObject) => readonly string[];

/**
 * A function for the parser's option `validate`: what is wrong with the arguments of a call, each problem
 * with its JSON pointer; empty when nothing is. Schemas are compiled once per tool, at its first call. A
 * tool that was not offered is a problem; a schema that cannot be compiled is one too, never an exception.
 */
export function argumentValidator(
  tools: readonly Tool[],
): (toolName: string, input: JsonObject) => readonly string[] {
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false, logger: false });
  const offered = new Map(tools.map((tool) => [tool.function.name, tool]));
  const compiled = new Map<string, Validator>();
  return (toolName, input) => {
    const tool = offered.get(toolName);
    if (tool === undefined) return [`no tool ${JSON.stringify(toolName)} was offered`];
    const validator = compiled.get(toolName) ?? compile(ajv, tool);
    compiled.set(toolName, validator);
    return validator(input);
  };
}

function compile(ajv: Ajv2020, tool: Tool): Validator {
  const schema = tool.function.parameters;
  if (schema === undefined) return () => [];
  try {
    const validate = ajv.compile(schema);
    return (input) => {
      if (validate(input)) return [];
      return (validate.errors ?? []).map(
        ({ instancePath, message }) => `${instancePath === '' ? '(root)' : instancePath} ${message ?? ''}`,
      );
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return () => [`the schema of ${tool.function.name} cannot be checked: ${reason}`];
  }
}
