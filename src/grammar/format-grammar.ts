/** The grammar of a format by itself, without tools: any function name, any arguments. */
import type { ChatFormat } from '../format/chat-format.ts';
import type { Grammar } from './expression/expression.ts';
import { mergeEqualRules } from './expression/merge-rules.ts';
import { printGbnf } from './gbnf/print-gbnf.ts';
import { turnStart } from './prompt-position.ts';
import { responseGrammar } from './response-grammar.ts';

/** How rules are named that hold wherever a notation is written: `json-value`. */
const notation = /^(?:json|python|nested)-/;

/** A format's grammar as a tree and as GBNF. */
export interface FormatGrammar {
  readonly expression: Grammar;
  readonly gbnf: string;
}

/** The grammar of a whole response: reasoning, text and calls, in the format's own order. */
export function formatGrammar(format: ChatFormat): FormatGrammar {
  const { grammar } = responseGrammar(format, {
    shape: 'whole',
    prompt: { ...turnStart, untouched: false },
    tools: [],
    parallel: true,
    policy: 'degrade',
    argumentOrder: 'schema',
    contentSchema: true,
  });
  const expression = mergeEqualRules(grammar, notation);
  return { expression, gbnf: printGbnf(expression) };
}
