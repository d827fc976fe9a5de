/** Tools of a request as options of a chat, whichever API they came through. */
import type { Tool, ToolChoice } from '../format/messages.ts';
import { boolean } from '../format/option-rules.ts';
import type { ChatOptions } from '../runtime/chat/chat-options.ts';
import type { ToolList } from '../tools/tools.ts';
import { invalid } from './errors.ts';
import type { Body } from './read-body.ts';
import { field, objectList, present } from './request-fields.ts';

/** A tool as a request has it. */
export interface GivenTool {
  readonly tool: Body;
  /** Where it is: `tools[2]`. */
  readonly path: string;
}

/** The tools of a request: those that its sender runs, and those that a provider would run for it. */
export interface GivenTools {
  readonly own: readonly GivenTool[];
  /** There are none of these here: they are left out, and named in the answer. */
  readonly hosted: readonly string[];
}

/** The field `tools`; `hosted`: types of tools that an API runs itself. */
export function givenTools(body: Body, hosted?: RegExp): GivenTools {
  const all = (objectList(body, 'tools') ?? []).map((tool, index) => ({ tool, path: `tools[${index}]` }));
  const isHosted = ({ tool }: GivenTool): boolean =>
    typeof tool.type === 'string' && hosted?.test(tool.type) === true;
  return {
    own: all.filter((given) => !isHosted(given)),
    hosted: all.filter(isHosted).map(({ tool }) => `tools.${String(tool.type)}`),
  };
}

/** What is asked of tools. */
export interface AskedTools {
  /** In OpenAI's shape; what is in them is read by the chat, which refuses what it cannot offer. */
  readonly tools: readonly (Body | Tool)[];
  readonly choice: ToolChoice | undefined;
  /** Whether several calls may be made; `undefined` where it is not said. */
  readonly parallel: boolean | undefined;
}

/** The options. Throws `RequestError` where a call is demanded and there are no tools. */
export function toolOptions({ tools, choice, parallel }: AskedTools): Partial<ChatOptions> {
  if (tools.length === 0) {
    if (choice === undefined || choice === 'none' || choice === 'auto') return {};
    throw invalid('tool_choice', 'tool_choice requires a call, but there are no tools');
  }
  return {
    tools: tools as unknown as ToolList,
    ...present({ toolChoice: choice }),
    // To allow what the format cannot do is no demand; to forbid it is.
    ...(parallel === false ? { parallelToolCalls: false } : {}),
  };
}

/** A tool whose fields stand next to each other; `schema` names the one of its arguments. Throws `RequestError`. */
export function flatTool({ tool, path }: GivenTool, schema: string): Tool {
  const { name, description } = tool;
  if (typeof name !== 'string') throw invalid(`${path}.name`, `${path}.name must be a string`);
  const parameters = tool[schema] ?? undefined;
  const called = { name, ...(typeof description === 'string' ? { description } : {}) };
  return {
    type: 'function',
    function: { ...called, ...(parameters === undefined ? {} : { parameters: parameters as never }) },
  };
}

/** Throws `RequestError` for a tool that says nothing of its arguments: its type means them, and only to its provider. */
export function requireKind({ tool, path }: GivenTool, kinds: readonly unknown[]): void {
  if (kinds.includes(tool.type)) return;
  if (typeof tool.type !== 'string') throw invalid(`${path}.type`, `${path}.type must be "function"`);
  const reason = `${path}.type: the arguments of ${JSON.stringify(tool.type)} are not known here; offer it as a function of your own`;
  throw invalid(`${path}.type`, reason, 'unsupported_parameter');
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
