/** What is built for one request: a grammar, where it starts, and what it does not enforce. */
import type { ChatFormat } from '../format/chat-format.ts';
import type { SchemaIssue } from '../format/errors.ts';
import type { Grammar } from '../language/expression/expression.ts';

/** Starts a lazy grammar: at the first occurrence of a word, or at the first capture group of a pattern. */
export interface Trigger {
  readonly type: 'word' | 'pattern';
  readonly value: string;
}

/** The grammar of one request. */
export interface BuiltGrammar {
  /** GBNF with start rule `root`; `null` if there is nothing to enforce. */
  readonly grammar: string | null;
  /** The same grammar as an expression tree, for other printers and for matching. */
  readonly expression: Grammar | null;
  /** True if the grammar starts at the first trigger in the output and covers only the text from there on. */
  readonly lazy: boolean;
  readonly triggers: readonly Trigger[];
  /** Special tokens that must reach the parser as text. */
  readonly preservedTokens: readonly string[];
  /** Strings at which generation ends. */
  readonly stops: readonly string[];
  /** Every schema keyword that is not enforced exactly; empty if all are. */
  readonly report: readonly SchemaIssue[];
}

/** That of a request which enforces nothing. */
export function freeGrammar({ preservedTokens, stops }: ChatFormat): BuiltGrammar {
  return { grammar: null, expression: null, lazy: false, triggers: [], report: [], preservedTokens, stops };
}
