/** Grammars that `idiolect generate --tools` compiled: their files give them here when they are loaded. */
import type { SchemaIssue } from '../errors.ts';

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

/** One grammar, and the requests that it is for. */
export interface CompiledGrammar {
  /** SHA-256 of all that the compiler was given, and of its version. Any other request is compiled anew. */
  readonly requests: readonly string[];
  /** SHA-256 of the chat template whose format they write. */
  readonly template: string;
  /** Every keyword of a schema that is not enforced exactly. */
  readonly report: readonly SchemaIssue[];
  readonly root: string;
  readonly rules: Readonly<Record<string, PackedExpression>>;
}

/** Requests that are remembered, those that were used last; an application has few sets of tools. */
const capacity = 1000;
const remembered = new Map<string, CompiledGrammar>();

/** Keeps grammars for requests that are exactly theirs, whatever model and tools they come with. */
export function rememberGrammars(grammars: readonly CompiledGrammar[]): void {
  for (const grammar of grammars) {
    for (const request of grammar.requests) remember(request, grammar);
  }
}

function remember(request: string, grammar: CompiledGrammar): void {
  remembered.delete(request);
  remembered.set(request, grammar);
  const [oldest] = remembered.keys();
  if (remembered.size > capacity && oldest !== undefined) remembered.delete(oldest);
}

/** Whether asking is worth a digest. */
export function hasGrammars(): boolean {
  return remembered.size > 0;
}

/** The grammar of the request with this digest. */
export function rememberedGrammar(request: string): CompiledGrammar | undefined {
  const grammar = remembered.get(request);
  if (grammar !== undefined) remember(request, grammar);
  return grammar;
}

/** All that are remembered for one chat template, given by its SHA-256; the latest come last. */
export function grammarsOfTemplate(template: string): readonly CompiledGrammar[] {
  return [...new Set(remembered.values())].filter((grammar) => grammar.template === template);
}
