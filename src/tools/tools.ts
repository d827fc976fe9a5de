/**
 * Tools in all common shapes: OpenAI's, lists of MCP servers, schemas in plain JSON Schema or of a validation library.
 * They are normalised to one shape; types describe their calls.
 */

import type { JsonObject, JsonSchema, Tool } from '../format/messages.ts';
import type { Steps } from '../language/expression/steps.ts';
import type { Assurance, ResponseEvent, ToolCallEvent } from '../parser/events.ts';
import { canBeSchema, isLibrarySchema } from './library-schema.ts';
import { plainSchema, plainSchemaSteps } from './plain-schema.ts';
import { readToolList, requireExecutable } from './read-tool-list.ts';
import type { ParsedValue, SchemaValue } from './schema-value.ts';
import type { StandardJsonSchema } from './standard-schema.ts';

/**
 * JSON Schema, or an object of a library that implements Standard JSON Schema (zod, arktype, valibot). Plain objects
 * are accepted as other packages type them; anything but JSON Schema is rejected at run time.
 */
export type ToolSchema = JsonSchema | StandardJsonSchema | Readonly<Record<string, unknown>>;

/** The second argument of a tool's `execute`. */
export interface CallContext {
  readonly toolCallId: string;
  /** Aborted when the run is aborted or left: the result is no longer needed. */
  readonly signal: AbortSignal;
}

/** Executes the calls of a tool. The model reads what it returns or throws. */
type Execute<Arguments> = (input: Arguments, context: CallContext) => unknown;

interface Executable {
  /** Executes a call in `runTools`; not part of the prompt. `never` lets it take what its schema describes. */
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

/** A tool with its name at the top level: as an MCP server lists it, or with `parameters`. */
interface NamedTool extends Executable {
  readonly name: string;
  readonly description?: string | undefined;
  readonly parameters?: ToolSchema | undefined;
  /** MCP's name for `parameters`. */
  readonly inputSchema?: ToolSchema | undefined;
}

/** A tool in any accepted shape. */
export type ToolInput = FunctionTool | NamedTool;

/** Tools, or the result of an MCP client's `listTools`. */
export type ToolList = readonly ToolInput[] | { readonly tools: readonly ToolInput[] };

/** The tools of a list, one by one. */
export type EachTool<Tools extends ToolList> = Tools extends readonly (infer Each)[]
  ? Each
  : Tools extends { readonly tools: readonly (infer Each)[] }
    ? Each
    : never;

/** A tool's name, as a literal if the compiler knows it. */
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

/** The arguments of a call of a tool; any object if the compiler does not know the schema. */
export type ToolArguments<Each> =
  SchemaValue<SchemaOf<Each>> extends infer Value
    ? JsonObject extends Value
      ? HasNames<Value> extends true
        ? Value
        : JsonObject
      : Value extends object
        ? Value
        : JsonObject
    : never;

/** Whether a type names properties; where all are optional, any object is assignable to it. */
type HasNames<Value> = [Value] extends [object]
  ? string extends keyof Value
    ? false
    : [keyof Value] extends [never]
      ? false
      : true
  : false;

/** The names of the offered tools. */
type NameAmong<Tools extends ToolList> = ToolName<EachTool<Tools>> & string;

/** `toolChoice` that can only name offered tools. */
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

/** The resolved result of a tool's `execute`. */
export type ToolOutput<Each> = Each extends { readonly execute: (...given: never) => infer Result }
  ? Awaited<Result>
  : unknown;

/** A call of one of the tools: `name` determines the type of `arguments`. */
export type ToolCallOf<Tools extends ToolList> = CallOfEach<EachTool<Tools>>;

type CallOfEach<Each> = Each extends unknown
  ? {
      readonly id: string;
      readonly name: ToolName<Each>;
      readonly arguments: ToolArguments<Each>;
      /** Why the arguments are known to be valid; always there in a call of a chat. */
      readonly assurance?: Assurance;
    }
  : never;

/** The events of a response to a request with `Tools`: `toolName` of a `tool-call` narrows `arguments`. */
export type ChatEvent<Tools extends ToolList = ToolList> =
  | Exclude<ResponseEvent, ToolCallEvent>
  | CallEventOfEach<EachTool<Tools>>;

type CallEventOfEach<Each> = Each extends unknown
  ? Omit<ToolCallEvent, 'toolName' | 'arguments'> & {
      readonly toolName: ToolName<Each>;
      readonly arguments: ToolArguments<Each>;
    }
  : never;

/**
 * A tool with its implementation: `execute` receives arguments of the type that `parameters` describes (`as const` is
 * not needed here). Returns its argument. Throws `ToolListError` if a name or an `execute` is missing; the schema is
 * validated later, with the list of tools.
 */
export function defineTool<const Name extends string, const Schema extends ToolSchema, Result>(tool: {
  readonly name: Name;
  readonly description?: string;
  readonly parameters: Schema;
  /** Executes a call. The model reads what it returns or throws. */
  readonly execute: (input: ParsedValue<Schema>, context: CallContext) => Result;
}): {
  readonly name: Name;
  readonly description?: string;
  readonly parameters: Schema;
  /** Executes a call. The model reads what it returns or throws. */
  readonly execute: (input: ParsedValue<Schema>, context: CallContext) => Result;
} {
  requireExecutable(tool, 'defineTool');
  return tool;
}

/**
 * The tools in OpenAI's shape with plain JSON Schema, as templates and grammars need them. Tools already in that shape
 * stay the same objects. Throws `ToolListError`, and `SchemaError` for a schema that is not JSON or too large.
 */
export function normalizeTools(list: ToolList): readonly Tool[] {
  const given: unknown = isList(list) ? list : list?.tools;
  // Anything but a list is rejected by `readToolList`.
  if (!isList(given)) return readToolList(list, 'tools');
  if (!given.every(isPlain)) return readToolList(given, 'tools');
  const tools = given.map(withPlainSchema);
  return tools.every((tool, index) => tool === given[index]) ? given : tools;
}

/** `normalizeTools` in steps. */
export function* normalizeToolsSteps(list: ToolList): Steps<readonly Tool[]> {
  const given: unknown = isList(list) ? list : list?.tools;
  if (isList(given) && given.every(isPlain))
    for (const { function: tool } of given) {
      const { name, parameters } = tool;
      if (typeof parameters !== 'object' || parameters === null || known.has(parameters)) continue;
      known.set(parameters, yield* plainSchemaSteps(parameters, name));
      yield;
    }
  return normalizeTools(list);
}

/** Validated schemas, and their JSON: the same lists come with each request. */
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

/** The schema of a tool's arguments, as given. */
export function schemaOf(tool: ToolInput): ToolSchema | undefined {
  return 'function' in tool ? tool.function.parameters : (tool.parameters ?? tool.inputSchema);
}

/** Whether the tool has OpenAI's shape already, without properties that a template should not see. */
function isPlain(tool: unknown): tool is Tool {
  // A list of a caller may contain anything; `readToolList` rejects what is not a tool.
  if (typeof tool !== 'object' || tool === null || 'execute' in tool) return false;
  if (!('type' in tool) || tool.type !== 'function' || !('function' in tool)) return false;
  const { function: inner } = tool;
  if (typeof inner !== 'object' || inner === null || !('name' in inner)) return false;
  if (typeof inner.name !== 'string' || inner.name === '') return false;
  if ('description' in inner && typeof (inner.description ?? '') !== 'string') return false;
  // Without parameters, another key may be meant as such.
  if (!('parameters' in inner))
    return Object.keys(inner).every((key) => key === 'name' || key === 'description');
  const parameters: unknown = inner.parameters ?? true;
  return canBeSchema(parameters) && !isLibrarySchema(parameters);
}
