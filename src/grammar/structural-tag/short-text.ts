/** Finds one short text of a grammar, as a representative of all of them. */
import type { CodePointRange, Expression, Grammar } from '../../language/expression/expression.ts';

/** Longer texts, in UTF-16 units, are useless. */
const maxUnits = 10_000;

/** A short text of `expression` under the rules of `grammar`; `null` if there is none. */
export function shortText(expression: Expression, { rules }: Grammar): string | null {
  /** By rule: the text found in the first pass that yields one. */
  const known = new Map<string, string>();
  const find = (each: Expression): string | null => {
    switch (each.type) {
      case 'literal':
        return each.text;
      case 'class':
        return String.fromCodePoint(printableCharacter(each.ranges));
      case 'sequence':
        return joined(each.items.map(find));
      case 'choice':
        return shortest(each.alternatives.map(find));
      case 'repeat': {
        const once = each.min === 0 ? '' : find(each.item);
        return once === null || once.length * each.min > maxUnits ? null : once.repeat(each.min);
      }
      case 'until': {
        if (each.mayEnd) return '';
        const ends = each.branches.map(({ delimiter, next }) =>
          next === null ? null : joined([delimiter, find(next)]),
        );
        return shortest(ends);
      }
      case 'rule':
        return known.get(each.name) ?? null;
    }
  };
  for (let before = -1; known.size > before && find(expression) === null; ) {
    before = known.size;
    for (const [name, body] of rules) {
      const text = known.has(name) ? null : find(body);
      if (text !== null) known.set(name, text);
    }
  }
  return find(expression);
}

/** Avoids control characters if there are others. */
function printableCharacter(ranges: readonly CodePointRange[]): number {
  const space = 0x20;
  const [first = space, last = first] = ranges.find((range) => range[1] >= space) ?? ranges[0] ?? [];
  return Math.max(first, Math.min(last, space));
}

function joined(parts: readonly (string | null)[]): string | null {
  const texts = parts.filter((part) => part !== null);
  const whole = texts.join('');
  return texts.length < parts.length || whole.length > maxUnits ? null : whole;
}

function shortest(texts: readonly (string | null)[]): string | null {
  const found = texts.filter((text) => text !== null);
  return found.reduce<string | null>(
    (best, text) => (best === null || text.length < best.length ? text : best),
    null,
  );
}
