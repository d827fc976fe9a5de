/**
 * Tools as people have them: OpenAI's shape, lists of MCP servers, schemas in plain JSON Schema or of a
 * validation library. One function makes them one; types say what a call of them holds.
 */

import type { JsonObject, JsonSchema, Tool } from '../format/messages.ts';
import type { ResponseEvent, ToolCallEvent } from '../parser/events.ts';
import { isLibrarySchema } from './library-schema.ts';
import { plainSchema } from './plain-schema.ts';
import { readToolList, requireExecutable } from './read-tool-list.ts';
import type { ParsedValue, SchemaValue } from './schema-value.ts';
import type { StandardJsonSchema } from './standard-schema.ts';

/**
 * JSON Schema, or an object of a library that implements Standard JSON Schema (zod, arktype, valibot).
 * Plain objects are taken as other packages type them; what is not JSON Schema is refused at run time.
 */
export type ToolSchema = JsonSchema | StandardJsonSchema | Readonly<Record<string, unknown>>;

/** What a tool's `execute` receives next to its arguments. */
export interface CallContext {
  readonly toolCallId: string;
  /** Aborted when the run is, or is left: the result is no longer needed. */
  readonly signal: AbortSignal;
}

/** Carries out the calls of a tool. The model is told what it returns or throws. */
type Execute<Arguments> = (input: Arguments, context: CallContext) => unknown;

interface Executable {
  /** Carries out a call in `runTools`; not told to the model. `never` lets it take what its schema says. */
  readonly execute?: Execute<never> | undefined;
}

/** A tool in the shape of OpenAI's Chat Completions API. */
interface FunctionTool extends Executable {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description?: string | undefined;
    readonly parameters?: ToolSchema | undefined;
  };
}

/** A tool with its name outside: as an MCP server lists it, or with `parameters`. */
interface NamedTool extends Executable {
  readonly name: string;
  readonly description?: string | undefined;
  readonly parameters?: ToolSchema | undefined;
  /** MCP's word for `parameters`. */
  readonly inputSchema?: ToolSchema | undefined;
}

/** A tool in any of the shapes that are taken. */
export type ToolInput = FunctionTool | NamedTool;

/** Tools, or what an MCP client's `listTools` returns. */
export type ToolList = readonly ToolInput[] | { readonly tools: readonly ToolInput[] };

/** The tools of a list, one by one. */
export type EachTool<Tools extends ToolList> = Tools extends readonly (infer Each)[]
  ? Each
  : Tools extends { readonly tools: readonly (infer Each)[] }
    ? Each
    : never;

/** A tool's name, as a literal where the compiler knows it. */
export type ToolName<Each> = Each extends { readonly function: { readonly name: infer Name } }
  ? Name
  : Each extends { readonly name: infer Name }
    ? Name
    : string;

type SchemaOf<Each> = Each extends { readonly function: infer Inner }
  ? Inner extends { readonly parameters: infer Schema }
    ? Schema
    : unknown
  : Each extends { readonly parameters: infer Schema }
    ? Schema
    : Each extends { readonly inputSchema: infer Schema }
      ? Schema
      : unknown;

/** The arguments of a call of a tool; any object where the compiler does not know the schema. */
export type ToolArguments<Each> =
  SchemaValue<SchemaOf<Each>> extends infer Value
    ? JsonObject extends Value
      ? JsonObject
      : Value extends object
        ? Value
        : JsonObject
    : never;

/** The names of the tools on offer. */
type NameAmong<Tools extends ToolList> = ToolName<EachTool<Tools>> & string;

/** `toolChoice` that can name only tools on offer. */
export type ToolChoiceOf<Tools extends ToolList> =
  | 'auto'
  | 'required'
  | 'none'
  | NamedChoice<NameAmong<Tools>>
  | {
      readonly type: 'allowed_tools';
      readonly allowed_tools: {
        readonly mode: 'auto' | 'required';
        readonly tools: readonly NamedChoice<NameAmong<Tools>>[];
      };
    };

interface NamedChoice<Name extends string> {
  readonly type: 'function';
  readonly function: { readonly name: Name };
}

/** What `execute` of a tool comes to. */
export type ToolOutput<Each> = Each extends { readonly execute: (...given: never) => infer Result }
  ? Awaited<Result>
  : unknown;

/** A call of one of the tools: `name` says which, and so what `arguments` are. */
export type ToolCallOf<Tools extends ToolList> = CallOfEach<EachTool<Tools>>;

type CallOfEach<Each> = Each extends unknown
  ? { readonly id: string; readonly name: ToolName<Each>; readonly arguments: ToolArguments<Each> }
  : never;

/** The events of a response to a request with `Tools`: `toolName` of a `tool-call` narrows `arguments`. */
export type ChatEvent<Tools extends ToolList> =
  | Exclude<ResponseEvent, ToolCallEvent>
  | CallEventOfEach<EachTool<Tools>>;

type CallEventOfEach<Each> = Each extends unknown
  ? Omit<ToolCallEvent, 'toolName' | 'arguments'> & {
      readonly toolName: ToolName<Each>;
      readonly arguments: ToolArguments<Each>;
    }
  : never;

/**
 * A tool with what carries it out: `execute` gets arguments of the type that `parameters` describes
 * (`as const` is not needed here). Returns what it was given. Throws `ToolListError` where a name or an `execute`
 * is missing; the schema is read later, with the list that the tool stands in.
 */
export function defineTool<const Name extends string, const Schema extends ToolSchema, Result>(tool: {
  readonly name: Name;
  readonly description?: string;
  readonly parameters: Schema;
  /** Carries out a call. The model is told what it returns or throws. */
  readonly execute: (input: ParsedValue<Schema>, context: CallContext) => Result;
}): {
  readonly name: Name;
  readonly description?: string;
  readonly parameters: Schema;
  /** Carries out a call. The model is told what it returns or throws. */
  readonly execute: (input: ParsedValue<Schema>, context: CallContext) => Result;
} {
  requireExecutable(tool, 'defineTool');
  return tool;
}

/**
 * The tools in OpenAI's shape with plain JSON Schema, as templates and grammars take them. Tools that are
 * so already stay the same objects. Throws `ToolListError`, and `SchemaError` for a schema that is not JSON or too large.
 */
export function normalizeTools(list: ToolList): readonly Tool[] {
  const given: unknown = isList(list) ? list : list?.tools;
  // What is not a list at all is refused where lists are read.
  if (!isList(given)) return readToolList(list, 'tools');
  if (given.length === 0) return [];
  if (!given.every(isPlain)) return readToolList(given, 'tools');
  const tools = given.map(withPlainSchema);
  return tools.every((tool, index) => tool === given[index]) ? given : tools;
}

/** Schemas that have been looked at, and what they are as JSON: the same lists come with each request. */
const known = new WeakMap<object, JsonSchema>();

function withPlainSchema(tool: Tool): Tool {
  const { name, parameters } = tool.function;
  if (typeof parameters !== 'object' || parameters === null) return tool;
  const plain = known.get(parameters) ?? plainSchema(parameters, name);
  known.set(parameters, plain);
  return plain === parameters ? tool : { ...tool, function: { ...tool.function, parameters: plain } };
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** The tool with this name. */
export function findTool(list: ToolList, name: string): ToolInput | undefined {
  const given: readonly ToolInput[] = 'tools' in list ? list.tools : list;
  return given.find((tool) => ('function' in tool ? tool.function.name : tool.name) === name);
}

/** The schema of a tool's arguments as it was given. */
export function schemaOf(tool: ToolInput): ToolSchema | undefined {
  return 'function' in tool ? tool.function.parameters : (tool.parameters ?? tool.inputSchema);
}

/** In OpenAI's shape already, with nothing that a template should not see. */
function isPlain(tool: unknown): tool is Tool {
  // A list from outside may hold anything; what is not a tool is refused where lists are read.
  if (typeof tool !== 'object' || tool === null || 'execute' in tool) return false;
  if (!('type' in tool) || tool.type !== 'function' || !('function' in tool)) return false;
  const { function: inner } = tool;
  if (typeof inner !== 'object' || inner === null || !('name' in inner)) return false;
  if (typeof inner.name !== 'string' || inner.name === '') return false;
  if ('description' in inner && typeof (inner.description ?? '') !== 'string') return false;
  // Without parameters, what else it holds may be meant as such.
  if (!('parameters' in inner))
    return Object.keys(inner).every((key) => key === 'name' || key === 'description');
  const parameters: unknown = inner.parameters ?? true;
  return (
    typeof parameters === 'boolean' ||
    (typeof parameters === 'object' &&
      parameters !== null &&
      !Array.isArray(parameters) &&
      !isLibrarySchema(parameters))
  );
}
