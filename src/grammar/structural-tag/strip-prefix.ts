/** Strips a text from the front of an expression, preserving the shape of the rest. */
import { alternatives } from '../../language/expression/alternatives.ts';
import { type Expression, type Grammar, literal, sequence } from '../../language/expression/expression.ts';

/**
 * The rest of `expression` after `text`; `null` if literals alone do not spell `text`. `grammarAfter` handles every
 * grammar, but turns it into automata.
 */
export function stripPrefix(expression: Expression, text: string, { rules }: Grammar): Expression | null {
  const strip = (each: Expression, left: string): Expression | null => {
    if (left === '') return each;
    switch (each.type) {
      case 'literal':
        return each.text.startsWith(left) ? literal(each.text.slice(left.length)) : null;
      case 'sequence':
        return stripSequence(each.items, left);
      case 'choice':
        return oneOfAll(each.alternatives.map((one) => strip(one, left)));
      case 'rule': {
        const body = rules.get(each.name);
        return body === undefined ? null : strip(body, left);
      }
      default:
        return null;
    }
  };
  const stripSequence = ([first, ...rest]: readonly Expression[], left: string): Expression | null => {
    if (first === undefined) return null;
    if (first.type === 'literal' && first.text !== '' && left.startsWith(first.text)) {
      return strip(sequence(...rest), left.slice(first.text.length));
    }
    if (first.type === 'repeat' && first.min === 0 && first.max === 1) {
      return oneOfAll([strip(sequence(first.item, ...rest), left), strip(sequence(...rest), left)]);
    }
    const after = strip(first, left);
    return after === null ? null : sequence(after, ...rest);
  };
  return strip(expression, text);
}

function oneOfAll(all: readonly (Expression | null)[]): Expression | null {
  const possible = all.filter((each) => each !== null);
  return possible.length === 0 ? null : alternatives(...possible);
}
