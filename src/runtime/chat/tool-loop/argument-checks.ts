/** Checks of arguments after the call, where the policy lets schemas pass that no grammar enforces in full. */
import { type ArgumentValidator, argumentValidator } from '../../../grammar/argument-validator.ts';
import type { ToolList } from '../../../tools/tools.ts';

/** By the list of tools, so that schemas are compiled once however many chats have it. */
const known = new WeakMap<ToolList, ArgumentValidator>();

/**
 * Says what is wrong with the arguments of a call of `tools`. `null` under the policy `strict`, where the
 * grammar has let nothing invalid through.
 */
export function argumentCheck(
  tools: ToolList | undefined,
  policy: 'strict' | 'degrade' | undefined,
): ArgumentValidator | null {
  if (policy !== 'degrade' || tools === undefined) return null;
  const check = known.get(tools) ?? argumentValidator(tools);
  known.set(tools, check);
  return check;
}
