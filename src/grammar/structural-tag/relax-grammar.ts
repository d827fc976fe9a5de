/**
 * Rewrites a grammar so that XGrammar's nodes can express its free text, and so that it compiles fast. A node can
 * express less than an automaton, so four things are allowed in addition. The parser reads each like the grammar's
 * own spelling:
 *
 *     text up to "\n</value>", never "</value>" alone   text up to "</value>": the white space may be missing
 *     text up to "<a><a b>", which repeats its prefix   text up to "<a>", then "<a b>" must follow
 *     calls, and white space after the last             white space after each
 *     an id of at most 64 characters                    any length: XGrammar scans the vocabulary for each count
 */

import {
  type Expression,
  type Grammar,
  literal,
  repeat,
  sequence,
  type Until,
  until,
} from '../../language/expression/expression.ts';
import { mapChildren } from '../../language/expression/references.ts';
import { idOfAnyLength } from '../call-grammar.ts';
import { freeText } from './free-text.ts';
import { areFound, findable } from './marker-search.ts';
import { repeatedCalls } from './repeated-calls.ts';

/** Rewrites `grammar` as described above. */
export function relaxGrammar(grammar: Grammar): Grammar {
  const isFree = freeText(grammar);
  const relax = (expression: Expression): Expression => {
    switch (expression.type) {
      case 'sequence':
        return sequence(...blanksAfterEach(expression.items.map(relax), isFree));
      case 'repeat':
        if (expression === idOfAnyLength) return repeat(expression.item, expression.min);
        return mapChildren(expression, relax);
      case 'until':
        return relaxUntil(expression, relax);
      default:
        return mapChildren(expression, relax);
    }
  };
  return {
    root: grammar.root,
    rules: new Map(Array.from(grammar.rules, ([name, body]) => [name, relax(body)])),
  };
}

function relaxUntil({ branches, mayEnd }: Until, relax: (expression: Expression) => Expression): Expression {
  const relaxed = branches.map(({ delimiter, next }) => ({
    delimiter,
    next: next === null ? null : relax(next),
  }));
  const wanted = relaxed.filter(({ next }) => next !== null);
  const refused = relaxed.filter(({ next }) => next === null);
  const [only] = wanted;
  if (mayEnd || only?.next == null || wanted.length > 1) return { type: 'until', branches: relaxed, mayEnd };
  const { delimiter, next } = only;
  const alone = delimiter.trimStart();
  if (refused.length === 1 && refused[0]?.delimiter === alone) return until({ delimiter: alone, next });
  const [marker = delimiter] = findable([delimiter]);
  if (refused.length > 0 || areFound([delimiter])) return { type: 'until', branches: relaxed, mayEnd };
  return until({ delimiter: marker, next: sequence(literal(delimiter.slice(marker.length)), next) });
}

/** Only a literal can follow a node of calls, so the white space after the last call is allowed after each. */
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
