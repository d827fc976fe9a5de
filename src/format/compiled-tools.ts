/** Tools that `idiolect generate --tools` compiled: their files give them here when they are loaded. */
import type { SchemaIssue } from './errors.ts';
import type { Tool } from './messages.ts';
import { array, isRecord, type OptionRule, requireOption } from './option-rules.ts';

/** An expression of a grammar as a table holds it. A string is that text, a list one after the other. */
export type PackedExpression =
  | string
  | readonly PackedExpression[]
  /** A rule by its name. */
  | { readonly rule: string }
  /** One code point; ranges in hexadecimal digits: `9-a 20`. */
  | { readonly class: string }
  | { readonly choice: readonly PackedExpression[] }
  /** `max: null` is unbounded. */
  | { readonly repeat: PackedExpression; readonly min: number; readonly max: number | null }
  | {
      readonly until: readonly (readonly [delimiter: string, next: PackedExpression | null])[];
      readonly mayEnd: boolean;
    };

/** The arguments of one schema. */
export interface CompiledArguments {
  /** SHA-256 of the schema as JSON. */
  readonly schema: string;
  readonly value: PackedExpression;
  /** Every keyword that is not enforced exactly. */
  readonly report: readonly SchemaIssue[];
}

/** The arguments of a set of tools as the grammars of one format write them. */
export interface CompiledTools {
  /** SHA-256 of all else that they were made of: the compiler's version, the format, its options. */
  readonly compiler: string;
  /** SHA-256 of the chat template whose format they are in. */
  readonly template: string;
  /** Requests with another one are compiled anew. */
  readonly policy: 'strict' | 'degrade';
  readonly arguments: readonly CompiledArguments[];
  /** The rules that arguments refer to. */
  readonly rules: Readonly<Record<string, PackedExpression>>;
}

/** Tools, and what was compiled of them ahead. */
export interface RememberedTools {
  readonly tools: readonly Tool[];
  readonly compiled: CompiledTools;
}

const compiledTools: OptionRule = {
  expected: 'what idiolect generate --tools compiled',
  allows: (value) =>
    isRecord(value) &&
    Array.isArray(value.arguments) &&
    value.arguments.every(isRecord) &&
    isRecord(value.rules),
};

/** Sets of tools that are remembered, those that came last; an application has few. */
const capacity = 100;
const remembered = new Map<string, RememberedTools>();

/**
 * Keeps what was compiled of `tools`. Chats with these tools, or some of them, do not wait for the compiler,
 * and a model that is loaded later is prepared for them. Throws `UnsupportedOptionError` for what is not as
 * `generate` writes it.
 */
export function rememberTools(tools: readonly Tool[], compiled: CompiledTools): void {
  requireOption('tools', tools, array);
  requireOption('compiled', compiled, compiledTools);
  const key = [compiled.compiler, ...compiled.arguments.map(({ schema }) => schema)].join(' ');
  remembered.delete(key);
  remembered.set(key, { tools, compiled });
  const [oldest] = remembered.keys();
  if (remembered.size > capacity && oldest !== undefined) remembered.delete(oldest);
}

/** All that are remembered for one chat template, given by its SHA-256; the latest come first. */
export function toolsOfTemplate(template: string): readonly RememberedTools[] {
  return [...remembered.values()].filter(({ compiled }) => compiled.template === template).reverse();
}
