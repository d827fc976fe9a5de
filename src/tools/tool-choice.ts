/** Which tools a request's `toolChoice` lets the model call. */
import { ToolError, UnsupportedOptionError } from '../format/errors.ts';
import type { AllowedTools, Tool, ToolChoice } from '../format/messages.ts';

/** Resolves `toolChoice`: the tools that may be called, and the choice among them. Throws like `chosenTools`. */
export function allowedTools(
  tools: readonly Tool[],
  choice: ToolChoice,
): { readonly offered: readonly Tool[]; readonly choice: Exclude<ToolChoice, AllowedTools> } {
  if (typeof choice === 'string') return { offered: tools, choice };
  if (choice.type === 'function') return { offered: tools, choice };
  const { mode, tools: allowed } = choice.allowed_tools;
  const offered = new Set(allowed.flatMap((named) => chosenTools(tools, named)));
  return { offered: tools.filter((tool) => offered.has(tool)), choice: mode };
}

/** The tools that `toolChoice` lets the model call. Throws like `chosenTools`. */
export function toolsOfChoice(tools: readonly Tool[], toolChoice: ToolChoice = 'auto'): readonly Tool[] {
  if (toolChoice === 'none') return [];
  const { offered, choice } = allowedTools(tools, toolChoice);
  return chosenTools(offered, choice);
}

/** The tools of a choice that is resolved. Throws `ToolError` if it names an unknown one, and `UnsupportedOptionError`. */
export function chosenTools(
  offered: readonly Tool[],
  choice: Exclude<ToolChoice, AllowedTools>,
): readonly Tool[] {
  if (typeof choice === 'string') {
    if (choice !== 'required' || offered.length > 0) return offered;
    throw new UnsupportedOptionError({ option: 'toolChoice', reason: '`required` needs at least one tool' });
  }
  const { name } = choice.function;
  const chosen = offered.filter((tool) => tool.function.name === name);
  if (chosen.length > 0) return chosen;
  throw new ToolError({ tool: name, reason: 'toolChoice names it, but it is not among the tools' });
}
