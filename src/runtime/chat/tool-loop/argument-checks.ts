/** Validates arguments after the call, if the policy allows schemas that no grammar fully enforces. */
import { memoize } from '../../../format/memoize.ts';
import { type ArgumentValidator, argumentValidator } from '../../../grammar/argument-validator.ts';
import { isTooLarge } from '../../../json-schema/validate/schema-size.ts';
import { normalizeTools, type ToolList } from '../../../tools/tools.ts';

/**
 * A function that lists what is wrong with the arguments of a call of `tools`. `null` under the policy `strict`, where
 * the grammar enforces everything.
 */
export function argumentCheck(
  tools: ToolList | undefined,
  policy: 'strict' | 'degrade' | undefined,
): ArgumentValidator | null {
  return policy !== 'degrade' || tools === undefined ? null : checkOf(tools);
}

/**
 * The check of a list of tools, whose schemas are compiled once for all chats with it. For a schema that is too large
 * to check, the report lists what is not enforced.
 */
const checkOf = memoize((tools: ToolList): ArgumentValidator => {
  const validate = argumentValidator(tools);
  const unchecked = new Set(
    normalizeTools(tools)
      .filter(({ function: { parameters } }) => parameters !== undefined && isTooLarge(parameters))
      .map((tool) => tool.function.name),
  );
  return (toolName, input) => (unchecked.has(toolName) ? [] : validate(toolName, input));
});
