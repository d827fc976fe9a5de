/** `argumentValidator`: validates call arguments, for the parser's option `validate`. */
import { SchemaError } from '../format/errors.ts';
import type { JsonObject, Tool } from '../format/messages.ts';
import { compileValidator, describeFailure } from '../json-schema/validate/validate.ts';
import { libraryChecks } from '../tools/library-check.ts';
import { normalizeTools, type ToolList } from '../tools/tools.ts';

/** Returns the problems with a call's arguments, one line each; empty if there are none. */
export type ArgumentValidator = (toolName: string, input: JsonObject) => readonly string[];

/**
 * Creates a validator for the parser's option `validate`. Each problem names its JSON pointer; no problems give an
 * empty array. A tool's schema is compiled once, at its first call; what the schema takes, its library is asked about,
 * unless that answers with a promise. Calls of unknown tools and schemas that do not compile are reported as problems,
 * never thrown. Throws `ToolListError` for tools that cannot be read.
 */
export function argumentValidator(tools: ToolList): ArgumentValidator {
  const check = validatorOfTools(normalizeTools(tools), argumentCheck);
  const ask = libraryChecks(tools);
  return (toolName, input) => {
    const problems = check(toolName, input);
    return problems.length > 0 ? problems : ask(toolName, input);
  };
}

/** Lists what is wrong with arguments of one tool. */
export type ArgumentCheck = (input: JsonObject) => readonly string[];

/** A validator for `tools`, of which each is checked by what `checkOf` makes at its first call. */
export function validatorOfTools(
  tools: readonly Tool[],
  checkOf: (tool: Tool) => ArgumentCheck,
): ArgumentValidator {
  const offered = new Map(tools.map((tool) => [tool.function.name, tool]));
  const known = new Map<string, ArgumentCheck>();
  return (toolName, input) => {
    const tool = offered.get(toolName);
    if (tool === undefined) return [`no tool ${JSON.stringify(toolName)} was offered`];
    const check = known.get(toolName) ?? checkOf(tool);
    known.set(toolName, check);
    return check(input);
  };
}

/** The check of one tool's arguments; the schema is compiled at the first of them. */
export function argumentCheck({ function: { name, parameters } }: Tool): ArgumentCheck {
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
