/**
 * Reads the tools of a request to `/v1/responses`. Models call functions only, so tools in a namespace become
 * functions with prefixed names, and a tool that takes free text becomes one with a single argument. The answer
 * converts calls back.
 */
import type { Tool, ToolChoice } from '../../format/messages.ts';
import { isRecord } from '../../format/option-rules.ts';
import { invalid } from '../errors.ts';
import { objectList } from '../fields/request-fields.ts';
import {
  flatTool,
  type GivenTool,
  givenTools,
  hostedTypes,
  namedTool,
  requireKind,
} from '../fields/tool-fields.ts';
import type { Body } from '../read-body.ts';

/** A tool as the client calls it. */
export interface ClientTool {
  readonly type: 'function' | 'custom';
  readonly name: string;
  readonly namespace?: string;
}

/** The tools of a request. */
export interface ResponsesTools {
  readonly tools: readonly Tool[];
  /** By the name of its function for the model. */
  readonly byFunction: ReadonlyMap<string, ClientTool>;
  /** Tools that OpenAI would execute; omitted. */
  readonly hosted: readonly string[];
}

/** Reads the tools. Throws `RequestError` for one that cannot be offered. */
export function readResponsesTools(body: Body): ResponsesTools {
  const { own, hosted } = givenTools(body, hostedTypes);
  const byFunction = new Map<string, ClientTool>();
  const tools = own.flatMap((given) => {
    if (given.tool.type !== 'namespace') return [readTool(given, undefined, byFunction)];
    return readNamespace(given, byFunction);
  });
  return { tools, byFunction, hosted };
}

function readNamespace({ tool, path }: GivenTool, byFunction: Map<string, ClientTool>): readonly Tool[] {
  const { name } = tool;
  if (typeof name !== 'string') throw invalid(`${path}.name`, `${path}.name must be a string`);
  return (objectList(tool, 'tools') ?? []).map((inner, index) =>
    readTool({ tool: inner, path: `${path}.tools[${index}]` }, name, byFunction),
  );
}

function readTool(
  given: GivenTool,
  namespace: string | undefined,
  byFunction: Map<string, ClientTool>,
): Tool {
  requireKind(given, ['function', 'custom']);
  const { type } = given.tool;
  const tool = type === 'custom' ? textTool(given) : flatTool(given, 'parameters');
  const { name } = tool.function;
  const called = functionName(name, namespace);
  byFunction.set(called, {
    type: type === 'custom' ? 'custom' : 'function',
    name,
    ...(namespace === undefined ? {} : { namespace }),
  });
  return { ...tool, function: { ...tool.function, name: called } };
}

/** The name of a tool's function: `mcp__files__read` for `read` of `mcp__files`. */
export function functionName(name: string, namespace: string | undefined): string {
  if (namespace === undefined) return name;
  return namespace.endsWith('__') ? `${namespace}${name}` : `${namespace}__${name}`;
}

/** The single argument of a tool with free text. */
export const textArgument = 'input';

const textParameters = {
  type: 'object',
  properties: { [textArgument]: { type: 'string' } },
  required: [textArgument],
  additionalProperties: false,
} as const;

/** Only the grammar of a schema is enforced; the grammar of a text becomes part of the prompt. */
function textTool(given: GivenTool): Tool {
  const { function: called } = flatTool(given, '');
  const { description = '' } = called;
  const { syntax, definition } = isRecord(given.tool.format) ? given.tool.format : {};
  const isTold = typeof syntax === 'string' && typeof definition === 'string';
  const grammar = isTold
    ? [`The text in ${textArgument} follows this ${syntax} grammar:\n${definition}`]
    : [];
  const told = [...(description === '' ? [] : [description]), ...grammar].join('\n\n');
  return {
    type: 'function',
    function: {
      ...called,
      ...(told === '' ? {} : { description: told }),
      parameters: textParameters as never,
    },
  };
}

/** The choices of other APIs, with names next to their types. */
export function readChoice(choice: unknown): ToolChoice | undefined {
  if (choice === undefined || choice === 'auto' || choice === 'required' || choice === 'none') return choice;
  const { type, mode, tools } = isRecord(choice) ? choice : {};
  const name = chosenFunction(choice);
  if (name !== null) return namedTool(name);
  if (type === 'allowed_tools' && (mode === 'auto' || mode === 'required') && Array.isArray(tools)) {
    const allowed = tools.map(
      (tool: unknown) => ({ type: 'function', function: allowedTool(tool) }) as const,
    );
    return { type: 'allowed_tools', allowed_tools: { mode, tools: allowed } };
  }
  const expected =
    '"auto", "required", "none", { type: "function", name } or { type: "allowed_tools", mode, tools }';
  throw invalid('tool_choice', `tool_choice must be ${expected}`);
}

function allowedTool(tool: unknown): { readonly name: string } {
  const name = chosenFunction(tool);
  if (name !== null) return { name };
  throw invalid('tool_choice', 'tool_choice.tools must be a list of { type: "function", name }');
}

function chosenFunction(tool: unknown): string | null {
  if (!isRecord(tool) || typeof tool.name !== 'string') return null;
  if (tool.type !== undefined && tool.type !== 'function' && tool.type !== 'custom') return null;
  return functionName(tool.name, typeof tool.namespace === 'string' ? tool.namespace : undefined);
}
