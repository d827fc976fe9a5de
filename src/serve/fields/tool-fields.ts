/** Converts the tools of a request in any API to options of a chat. */
import type { Tool, ToolChoice } from '../../format/messages.ts';
import { isRecord, withoutUndefined } from '../../format/option-rules.ts';
import type { ChatOptions } from '../../runtime/chat/chat-options.ts';
import type { ToolList } from '../../tools/tools.ts';
import { invalid } from '../errors.ts';
import type { Body } from '../read-body.ts';
import { objectList } from './request-fields.ts';

/** A tool in a request. */
export interface GivenTool {
  readonly tool: Body;
  /** Its path: `tools[2]`. */
  readonly path: string;
}

/** The tools of a request: those of the client, and those that a provider would execute. */
export interface GivenTools {
  readonly own: readonly GivenTool[];
  /** Hosted tools do not exist here: they are omitted, and listed in the answer. */
  readonly hosted: readonly string[];
}

/** Tools that OpenAI executes. */
export const hostedTypes =
  /^(web_search|web_search_preview|file_search|code_interpreter|image_generation|tool_search|programmatic_tool_calling)(_\d.*)?$/;

/** The field `tools`; `hosted`: types of tools that an API executes itself. */
export function givenTools(body: Body, hosted?: RegExp): GivenTools {
  const all = (objectList(body, 'tools') ?? []).map((tool, index) => ({ tool, path: `tools[${index}]` }));
  const isHosted = ({ tool }: GivenTool): boolean =>
    typeof tool.type === 'string' && hosted?.test(tool.type) === true;
  return {
    own: all.filter((given) => !isHosted(given)),
    hosted: all.filter(isHosted).map(({ tool }) => `tools.${String(tool.type)}`),
  };
}

/** What a request asks about tools. */
export interface AskedTools {
  /** In OpenAI's shape; the chat validates them. */
  readonly tools: readonly (Body | Tool)[];
  readonly choice: ToolChoice | undefined;
  /** Whether several calls are allowed; `undefined` if not specified. */
  readonly parallel: boolean | undefined;
}

/** The options. Throws `RequestError` if a call is required and there are no tools. */
export function toolOptions({ tools, choice, parallel }: AskedTools): Partial<ChatOptions> {
  if (tools.length === 0) {
    if (choice === undefined || choice === 'none' || choice === 'auto') return {};
    throw invalid('tool_choice', 'tool_choice requires a call, but there are no tools');
  }
  requireOffered(tools, choice);
  return {
    tools: tools as unknown as ToolList,
    ...withoutUndefined({ toolChoice: choice }),
    // Allowing what the format cannot do requires nothing; forbidding it does.
    ...(parallel === false ? { parallelToolCalls: false } : {}),
  };
}

/** A choice of what is not there is at fault, not the tools. */
function requireOffered(tools: AskedTools['tools'], choice: ToolChoice | undefined): void {
  const offered = new Set<unknown>(
    tools.map((tool) => (isRecord(tool.function) ? tool.function.name : null)),
  );
  const missing = chosenNames(choice).find((name) => !offered.has(name));
  if (missing === undefined) return;
  throw invalid('tool_choice', `tool_choice: there is no tool ${JSON.stringify(missing)} among the tools`);
}

function chosenNames(choice: ToolChoice | undefined): readonly string[] {
  if (choice === undefined || typeof choice === 'string') return [];
  if (choice.type === 'function') return [choice.function.name];
  return choice.allowed_tools.tools.map((tool) => tool.function.name);
}

/** A tool without nesting; `schema` is the key of its arguments' schema. Throws `RequestError`. */
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

/** Throws `RequestError` for a tool without a schema: only its provider knows the arguments of its type. */
export function requireKind({ tool, path }: GivenTool, kinds: readonly unknown[]): void {
  if (kinds.includes(tool.type)) return;
  if (typeof tool.type !== 'string') throw invalid(`${path}.type`, `${path}.type must be "function"`);
  const reason = `${path}.type: the arguments of ${JSON.stringify(tool.type)} are not known here; offer it as a function of your own`;
  throw invalid(`${path}.type`, reason, 'unsupported_parameter');
}

/** The field that forbids or allows several calls. */
export function readParallel(body: Body): boolean | undefined {
  const { parallel_tool_calls: parallel } = body;
  return typeof parallel === 'boolean' ? parallel : undefined;
}

/** The choice of one tool, by name. */
export function namedTool(name: string): ToolChoice {
  return { type: 'function', function: { name } };
}
