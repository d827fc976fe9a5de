/** Tools of a request as options of a chat, whichever API they came through. */
import type { Tool, ToolChoice } from '../format/messages.ts';
import type { ChatOptions } from '../runtime/chat/chat-options.ts';
import type { ToolList } from '../tools/tools.ts';
import { invalid } from './errors.ts';
import type { Body } from './read-body.ts';
import { present } from './request-fields.ts';

/** What is asked of the tools. */
export interface AskedTools {
  /** As they came, or in OpenAI's shape; read by the chat, which refuses what it cannot offer. */
  readonly tools: readonly unknown[];
  readonly choice: ToolChoice | undefined;
  /** Whether several calls may be made; `undefined` where it is not said. */
  readonly parallel: boolean | undefined;
}

/** The options. Throws `RequestError` where a call is demanded and there are no tools. */
export function toolOptions({ tools, choice, parallel }: AskedTools): Partial<ChatOptions> {
  if (tools.length === 0) {
    if (choice === undefined || choice === 'none' || choice === 'auto') return {};
    throw invalid('tool_choice', 'tool_choice demands a call, and there are no tools');
  }
  return {
    tools: tools as unknown as ToolList,
    ...present({ toolChoice: choice }),
    // To allow what the format cannot do is no demand; to forbid it is.
    ...(parallel === false ? { parallelToolCalls: false } : {}),
  };
}

/** A tool whose fields stand next to each other; `schema` names the one of its arguments. Throws `RequestError`. */
export function flatTool(tool: Body, schema: string, index: number): Tool {
  const { name, description } = tool;
  const path = `tools[${index}]`;
  if (typeof name !== 'string') throw invalid(`${path}.name`, `${path}.name must be a string`);
  const parameters = tool[schema] ?? undefined;
  const called = { name, ...(typeof description === 'string' ? { description } : {}) };
  return {
    type: 'function',
    function: { ...called, ...(parameters === undefined ? {} : { parameters: parameters as never }) },
  };
}

/** Throws `RequestError` for a tool that is none of the client's own functions. */
export function requireKind(tool: Body, kinds: readonly unknown[], index: number): void {
  if (kinds.includes(tool.type)) return;
  const reason = `tools[${index}].type: only functions of your own can be called, got ${JSON.stringify(tool.type)}`;
  throw invalid(`tools[${index}].type`, reason, 'unsupported_parameter');
}

/** One tool by its name. */
export function namedTool(name: string): ToolChoice {
  return { type: 'function', function: { name } };
}
