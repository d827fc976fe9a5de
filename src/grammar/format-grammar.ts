/** The grammar of a format without tools: any function name, any arguments. */
import type { ChatFormat } from '../format/chat-format.ts';
import type { Grammar } from '../language/expression/expression.ts';
import { mergeEqualRules } from '../language/expression/merge-rules.ts';
import { finish } from '../language/expression/steps.ts';
import { printGbnf } from '../language/gbnf/print-gbnf.ts';
import { turnStart } from './prompt-position.ts';
import { responseGrammar } from './response-grammar.ts';

/** Names of rules that describe a notation rather than a place in the format, such as `json-value`. */
const notation = /^(?:json|python|nested)-/;

/** A format's grammar as a tree and as GBNF. */
interface FormatGrammar {
  readonly expression: Grammar;
  readonly gbnf: string;
}

/** Builds the grammar of a whole response: reasoning, text and calls, in the format's order. */
export function formatGrammar(format: ChatFormat): FormatGrammar {
  const { grammar } = finish(
    responseGrammar(format, {
      shape: 'whole',
      prompt: { ...turnStart, untouched: false },
      tools: [],
      parallel: true,
      policy: 'degrade',
      argumentOrder: 'schema',
      otherNames: false,
      moreThoughts: true,
      contentSchema: true,
    }),
  );
  const expression = mergeEqualRules(grammar, notation);
  return { expression, gbnf: printGbnf(expression) };
}
