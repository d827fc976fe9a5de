/** Options for building a grammar. */
import type { Tool, ToolChoice } from '../format/messages.ts';
import type { SchemaInput } from '../tools/standard-schema.ts';
import type { ToolList } from '../tools/tools.ts';

/** Options of a request. */
export interface GrammarOptions {
  /** Tools on offer, in any form that `normalizeTools` accepts. Default: none. */
  readonly tools?: ToolList | undefined;
  /**
   * Default: `auto`. The grammar then starts at the first call outside reasoning; a call inside unclosed reasoning is
   * parsed as a call, but not constrained.
   */
  readonly toolChoice?: ToolChoice | undefined;
  /** Allows several calls. Default: true if the format supports it, but false if `toolChoice` names a tool. */
  readonly parallelToolCalls?: boolean | undefined;
  /** Constrains the content to JSON that conforms to this schema, or to any JSON object. */
  readonly responseFormat?: ResponseFormat | undefined;
  /** The part of the assistant's turn that the prompt already contains. Default: only the start of the turn. */
  readonly generationPrompt?: string | undefined;
  /**
   * `strict` (default): throw `SchemaError` for a schema that cannot be fully enforced. `degrade`: accept and report
   * it; the caller validates those calls afterwards.
   */
  readonly policy?: 'strict' | 'degrade' | undefined;
  /**
   * The order of arguments and nested keys. `later` (default): the schema's, but up to five optional ones may also come
   * later than in their turn. `schema`: the schema's. `any`: any.
   */
  readonly argumentOrder?: 'schema' | 'later' | 'any' | undefined;
  /**
   * The names that calls under `auto` may have. `offered`: those on offer, so that a model that means another tool calls
   * one of them. `any`: the model's own; whoever reads the response refuses a name that is not on offer. A call that is
   * required has an offered name. Default: `offered`; in chats, which refuse and tell other names, `any`.
   */
  readonly toolNames?: 'offered' | 'any' | undefined;
}

/** `GrammarOptions` with tools in OpenAI's shape. */
export interface PlainGrammarOptions extends Omit<GrammarOptions, 'tools'> {
  readonly tools?: readonly Tool[] | undefined;
  /**
   * Whether a call in place of an answer in JSON may also be bare JSON, which the parser must read leniently, and
   * validate: an answer may look like one. Default: false.
   */
  readonly bareCalls?: boolean | undefined;
  /**
   * Whether an answer to a schema is on one line, because its schema's library may refuse it while it is written: what
   * comes in its place is then another value, not the same one in another layout. Default: where the grammar says so.
   */
  readonly oneLine?: boolean | undefined;
  /** If thoughts are bounded by whoever reads the response, none come again before a demanded call. Default: unbounded. */
  readonly thinkingBudget?: number | undefined;
}

/** OpenAI's `response_format`. */
export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema';
      /** Plain JSON Schema, or a library's object that implements Standard JSON Schema. */
      /** `name`, `description` and `strict` are OpenAI's; every schema is enforced, and no template shows them. */
      readonly json_schema: {
        readonly schema: SchemaInput;
        readonly name?: string | undefined;
        readonly description?: string | undefined;
        readonly strict?: boolean | null | undefined;
      };
    };

/** Options that change how schemas are compiled. */
export interface ArgumentOptions {
  readonly policy: 'strict' | 'degrade';
  readonly argumentOrder: 'schema' | 'later' | 'any';
}
