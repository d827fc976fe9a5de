/**
 * Rewrites a grammar so that XGrammar's nodes can express its free text, and so that it compiles fast. A node can say
 * less than an automaton, so four things are allowed in addition; the parser reads each of them like the grammar's own
 * spelling:
 *
 *     text up to "\n</value>", never "</value>" alone   text up to "</value>": the white space may be missing
 *     text up to "<a><a b>", a beginning within itself  text up to "<a>", and "<a b>" has to follow
 *     calls, and white space after the last             white space after each
 *     an id of at most 64 characters                    of any number: XGrammar goes through the vocabulary for each
 */

import { idOfAnyLength } from '../call-grammar.ts';
import {
  type Expression,
  type Grammar,
  literal,
  repeat,
  sequence,
  type Until,
  until,
} from '../expression/expression.ts';
import { mapChildren } from '../expression/references.ts';
import { freeText } from './free-text.ts';
import { areFound, findable } from './marker-search.ts';
import { repeatedCalls } from './repeated-calls.ts';

/** See the top of this file. */
export function easeGrammar(grammar: Grammar): Grammar {
  const isFree = freeText(grammar);
  const ease = (expression: Expression): Expression => {
    switch (expression.type) {
      case 'sequence':
        return sequence(...blanksAfterEach(expression.items.map(ease), isFree));
      case 'repeat':
        if (expression === idOfAnyLength) return repeat(expression.item, expression.min);
        return mapChildren(expression, ease);
      case 'until':
        return easeUntil(expression, ease);
      default:
        return mapChildren(expression, ease);
    }
  };
  return {
    root: grammar.root,
    rules: new Map(Array.from(grammar.rules, ([name, body]) => [name, ease(body)])),
  };
}

function easeUntil({ branches, mayEnd }: Until, ease: (expression: Expression) => Expression): Expression {
  const eased = branches.map(({ delimiter, next }) => ({
    delimiter,
    next: next === null ? null : ease(next),
  }));
  const wanted = eased.filter(({ next }) => next !== null);
  const refused = eased.filter(({ next }) => next === null);
  const [only] = wanted;
  if (mayEnd || only?.next == null || wanted.length > 1) return { type: 'until', branches: eased, mayEnd };
  const { delimiter, next } = only;
  const alone = delimiter.trimStart();
  if (refused.length === 1 && refused[0]?.delimiter === alone) return until({ delimiter: alone, next });
  const [marker = delimiter] = findable([delimiter]);
  if (refused.length > 0 || areFound([delimiter])) return { type: 'until', branches: eased, mayEnd };
  return until({ delimiter: marker, next: sequence(literal(delimiter.slice(marker.length)), next) });
}

/** Nothing may come after a node of calls, unless it is a text. */
function blanksAfterEach(
  items: readonly Expression[],
  isFree: (expression: Expression) => boolean,
): readonly Expression[] {
  const last = items.at(-1);
  if (last?.type !== 'repeat' || last.min > 0 || last.item.type !== 'class') return items;
  for (const [at, item] of items.entries()) {
    const calls = isFree(item) ? repeatedCalls(items, at) : null;
    if (calls?.repetitionAt !== items.length - 2) continue;
    const { body, separator } = calls;
    return [...items.slice(0, at), ...body, last, repeat(sequence(literal(separator), ...body, last))];
  }
  return items;
}
