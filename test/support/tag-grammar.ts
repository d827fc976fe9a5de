/** A structural tag as one grammar, for engines that know only those: what XGrammar would enforce. */

import type { StructuralTag, TagFormat } from '../../src/grammar/structural-tag/structural-tag.ts';
import {
  choice,
  type Expression,
  empty,
  literal,
  repeat,
  rule,
  sequence,
  until,
  untilOrEnd,
} from '../../src/language/expression/expression.ts';
import { mapChildren } from '../../src/language/expression/references.ts';
import { gbnfExpression } from '../../src/language/gbnf/gbnf-expression.ts';
import { printGbnf } from '../../src/language/gbnf/print-gbnf.ts';
import { readGbnf } from '../../src/language/gbnf/read-gbnf.ts';

/** GBNF of all texts that a tag allows. */
export function tagGrammar({ format }: StructuralTag): string {
  const rules = new Map<string, Expression>();
  rules.set('root', expressionOf(format, rules));
  return printGbnf({ root: 'root', rules });
}

function expressionOf(node: TagFormat, rules: Map<string, Expression>): Expression {
  const inner = (each: TagFormat): Expression => expressionOf(each, rules);
  switch (node.type) {
    case 'const_string':
      return literal(node.value);
    case 'any_text':
      return untilOrEnd();
    case 'grammar':
      return imported(node.grammar, rules);
    case 'sequence':
      return sequence(...node.elements.map(inner));
    case 'or':
      return choice(...node.elements.map(inner));
    case 'tag':
      return node.content.type === 'any_text'
        ? sequence(literal(node.begin), until({ delimiter: node.end, next: empty }))
        : sequence(literal(node.begin), inner(node.content), literal(node.end));
    case 'tags_with_separator': {
      const one = choice(...node.tags.map(inner));
      const several = sequence(one, repeat(sequence(literal(node.separator), one)));
      return node.at_least_one ? several : choice(several, empty);
    }
    case 'triggered_tags':
      return untilOrEnd(
        ...node.tags.map(({ begin, content, end }) => ({
          delimiter: begin,
          next: sequence(inner(content), literal(end)),
        })),
      );
  }
}

/** A grammar's rules under names of their own. */
function imported(gbnf: string, rules: Map<string, Expression>): Expression {
  const prefix = `part-${rules.size}-`;
  const grammar = gbnfExpression(readGbnf(gbnf));
  for (const [name, body] of grammar.rules) rules.set(prefix + name, renamed(body, prefix));
  return rule(prefix + grammar.root);
}

function renamed(expression: Expression, prefix: string): Expression {
  if (expression.type === 'rule') return rule(prefix + expression.name);
  return mapChildren(expression, (inner) => renamed(inner, prefix));
}
