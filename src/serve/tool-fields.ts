/** Tools of a request as options of a chat, whichever API they came through. */
import type { Tool, ToolChoice } from '../format/messages.ts';
import { boolean } from '../format/option-rules.ts';
import type { ChatOptions } from '../runtime/chat/chat-options.ts';
import type { ToolList } from '../tools/tools.ts';
import { invalid } from './errors.ts';
import type { Body } from './read-body.ts';
import { field, objectList, present } from './request-fields.ts';

/** How an API writes its tools, and what it says of them. */
export interface AskedTools {
  /** Values of `type` of the client's own functions. */
  readonly kinds: readonly unknown[];
  /** A tool in OpenAI's shape; what is in it is read by the chat, which refuses what it cannot offer. */
  readonly toTool: (tool: Body, index: number) => Body | Tool;
  readonly choice: ToolChoice | undefined;
  /** Whether several calls may be made; `undefined` where it is not said. */
  readonly parallel: boolean | undefined;
}

/** The options. Throws `RequestError`, also where a call is demanded and there are no tools. */
export function readTools(body: Body, { kinds, toTool, choice, parallel }: AskedTools): Partial<ChatOptions> {
  const tools = (objectList(body, 'tools') ?? []).map((tool, index) => {
    requireKind(tool, kinds, index);
    return toTool(tool, index);
  });
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
function requireKind(tool: Body, kinds: readonly unknown[], index: number): void {
  if (kinds.includes(tool.type)) return;
  const reason = `tools[${index}].type: only functions of your own can be called, got ${JSON.stringify(tool.type)}`;
  throw invalid(`tools[${index}].type`, reason, 'unsupported_parameter');
}

/** The field that forbids several calls, or allows them. */
export function readParallel(body: Body): boolean | undefined {
  const parallel = field(body, 'parallel_tool_calls', boolean);
  return parallel === undefined ? undefined : parallel === true;
}

/** One tool by its name. */
export function namedTool(name: string): ToolChoice {
  return { type: 'function', function: { name } };
}
