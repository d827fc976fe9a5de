/** What a grammar is asked for. */
import type { Tool, ToolChoice } from '../format/messages.ts';
import type { SchemaInput } from '../tools/standard-schema.ts';
import type { ToolList } from '../tools/tools.ts';

/** What a request asks for. */
export interface GrammarOptions {
  /** Tools on offer, in any form that `normalizeTools` accepts. Default: none. */
  readonly tools?: ToolList;
  /**
   * Default: `auto`. The grammar then begins with the first call outside of reasoning; a call inside thoughts that
   * are never closed is read as a call, but is unconstrained.
   */
  readonly toolChoice?: ToolChoice;
  /** Allows several calls. Default: if the format supports it; one call where `toolChoice` names a tool. */
  readonly parallelToolCalls?: boolean;
  /** The content must be JSON that fits this schema (or, without a schema, any JSON object). */
  readonly responseFormat?: ResponseFormat;
  /** The part of the assistant's turn that is already in the prompt. Default: only its start. */
  readonly generationPrompt?: string;
  /**
   * `strict` (default): a schema that cannot be fully enforced is a `SchemaError`. `degrade`: it is
   * accepted and reported; validate those calls afterwards.
   */
  readonly policy?: 'strict' | 'degrade';
  /** `schema` (default): arguments, and keys within them, come in the schema's order. `any`: in any order. */
  readonly argumentOrder?: 'schema' | 'any';
}

/** The same with tools in OpenAI's shape. */
export interface PlainGrammarOptions extends Omit<GrammarOptions, 'tools'> {
  readonly tools?: readonly Tool[];
}

/** OpenAI's `response_format`. */
export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema';
      /** Plain JSON Schema, or an object of a library that implements Standard JSON Schema. */
      readonly json_schema: { readonly schema: SchemaInput };
    };
