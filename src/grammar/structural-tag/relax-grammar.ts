/**
 * Rewrites a grammar so that XGrammar's nodes can express its free text, and so that it compiles fast. A node can
 * express less than an automaton, so five things are allowed in addition. The parser reads all but
 * the last like the grammar's own spelling:
 *
 *     text up to "\n</value>", never "</value>" alone   text up to "</value>": the white space may be missing
 *     text up to "<a><a b>", which repeats its prefix   text up to "<a>", then "<a b>" must follow
 *     calls, and white space after the last             white space after each
 *     an id of at most 64 characters                    any length: XGrammar scans the vocabulary for each count
 *     thoughts without an end of the turn               any thoughts
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
import { findable } from './marker-search.ts';
import { repeatedCalls } from './repeated-calls.ts';

/**
 * Rewrites `grammar` as described above. `endsCount`: but for the last of these, which whoever reads the response can
 * see for themselves.
 */
export function relaxGrammar(grammar: Grammar, endsCount = false): Grammar {
  const isFree = freeText(grammar);
  const relax = (expression: Expression): Expression => {
    switch (expression.type) {
      case 'sequence':
        return sequence(...blanksAfterEach(expression.items.map(relax), isFree));
      case 'repeat':
        if (expression === idOfAnyLength) return repeat(expression.item, expression.min);
        return mapChildren(expression, relax);
      case 'until':
        return relaxUntil(expression, relax, endsCount);
      default:
        return mapChildren(expression, relax);
    }
  };
  return {
    root: grammar.root,
    rules: new Map(Array.from(grammar.rules, ([name, body]) => [name, relax(body)])),
  };
}

function relaxUntil(
  { branches, mayEnd }: Until,
  relax: (expression: Expression) => Expression,
  endsCount: boolean,
): Expression {
  const relaxed = branches.map(({ delimiter, next }) => ({
    delimiter,
    next: next === null ? null : relax(next),
  }));
  const wanted = relaxed.filter(({ next }) => next !== null);
  const refused = relaxed.filter(({ next }) => next === null);
  const [only] = wanted;
  if (mayEnd || only?.next == null || wanted.length > 1) return { type: 'until', branches: relaxed, mayEnd };
  const { delimiter, next } = only;
  const isBare = refused.some((each) => each.delimiter === delimiter.trimStart());
  const [marker = delimiter] = isBare ? [delimiter.trimStart()] : findable([delimiter]);
  const after = isBare ? '' : delimiter.slice(marker.length);
  const ends = refused.filter((each) => !each.delimiter.includes(marker));
  return until({ delimiter: marker, next: sequence(literal(after), next) }, ...(endsCount ? ends : []));
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
