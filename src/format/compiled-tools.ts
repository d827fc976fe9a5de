/** Tools compiled by `idiolect generate --tools`: their files register them here when they are loaded. */
import type { SchemaIssue } from './errors.ts';
import type { Tool } from './messages.ts';
import { array, isRecord, type OptionRule, requireOption } from './option-rules.ts';

/** An expression of a grammar, packed for a table. A string is literal text, an array a sequence. */
export type PackedExpression =
  | string
  | readonly PackedExpression[]
  /** A rule, by name. */
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

/** The compiled arguments of one schema. */
export interface CompiledArguments {
  /** SHA-256 of the schema as JSON. */
  readonly schema: string;
  readonly value: PackedExpression;
  /** Every keyword that is not enforced exactly. */
  readonly report: readonly SchemaIssue[];
}

/** The arguments of a set of tools, compiled for the grammars of one format. */
export interface CompiledTools {
  /** SHA-256 of everything else that determines the result: the compiler's version, the format, its options. */
  readonly compiler: string;
  /** SHA-256 of the format's chat template. */
  readonly template: string;
  /** Requests with another policy are compiled anew. */
  readonly policy: 'strict' | 'degrade';
  readonly arguments: readonly CompiledArguments[];
  /** The rules that arguments refer to. */
  readonly rules: Readonly<Record<string, PackedExpression>>;
}

/** Tools, and their compiled arguments. */
interface RememberedTools {
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

/** How many sets of tools are kept, the latest ones; an application has few. */
const capacity = 100;
const remembered = new Map<string, RememberedTools>();

/**
 * Keeps what was compiled from `tools`. Chats with these tools, or some of them, need not wait for the compiler, and
 * models loaded later are prepared for them. Throws `UnsupportedOptionError` for data that `generate` did not write.
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

/** Everything kept for one chat template, given its SHA-256; latest first. */
export function toolsOfTemplate(template: string): readonly RememberedTools[] {
  return [...remembered.values()].filter(({ compiled }) => compiled.template === template).reverse();
}
