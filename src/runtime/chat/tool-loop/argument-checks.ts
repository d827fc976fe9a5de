/** Validates arguments after the call, if the policy allows schemas that no grammar fully enforces. */
import { type ArgumentValidator, argumentValidator } from '../../../grammar/argument-validator.ts';
import { isTooLarge } from '../../../grammar/json-schema/validate/schema-size.ts';
import { normalizeTools, type ToolList } from '../../../tools/tools.ts';

/** By list of tools, so that schemas are compiled once for all chats with it. */
const known = new WeakMap<ToolList, ArgumentValidator>();

/**
 * A function that lists what is wrong with the arguments of a call of `tools`. `null` under the policy `strict`, where
 * the grammar enforces everything.
 */
export function argumentCheck(
  tools: ToolList | undefined,
  policy: 'strict' | 'degrade' | undefined,
): ArgumentValidator | null {
  if (policy !== 'degrade' || tools === undefined) return null;
  const check = known.get(tools) ?? checkOf(tools);
  known.set(tools, check);
  return check;
}

/** For a schema that is too large to check, the report lists what is not enforced. */
function checkOf(tools: ToolList): ArgumentValidator {
  const validate = argumentValidator(tools);
  const unchecked = new Set(
    normalizeTools(tools)
      .filter(({ function: { parameters } }) => parameters !== undefined && isTooLarge(parameters))
      .map((tool) => tool.function.name),
  );
  return (toolName, input) => (unchecked.has(toolName) ? [] : validate(toolName, input));
}
