/** Random texts of a grammar, to try out what is said of all of them. */
import type { Expression, Grammar } from './expression.ts';
import { unreachable } from './expression.ts';

/** Beyond so many rules inside each other, the shortest way out is taken. */
const maxDepth = 10;

/** Draws texts of `grammar`, which holds no `until`, with numbers in [0, 1). */
export function textSampler(grammar: Grammar, random: () => number): () => string {
  const heights = ruleHeights(grammar);
  const among = (count: number) => Math.floor(random() * count);
  const draw = (expression: Expression, depth: number): string => {
    switch (expression.type) {
      case 'literal':
        return expression.text;
      case 'class': {
        const [from, to] = expression.ranges[among(expression.ranges.length)] ?? [0x61, 0x61];
        // Characters that a keyboard has are the likeliest.
        return String.fromCodePoint(from + among(Math.min(to - from, 0x5e) + 1));
      }
      case 'sequence':
        return expression.items.map((item) => draw(item, depth)).join('');
      case 'choice': {
        const { alternatives } = expression;
        const least = heightOf(expression, heights);
        const open =
          depth < maxDepth ? alternatives : alternatives.filter((each) => heightOf(each, heights) <= least);
        return draw(open[among(open.length)] ?? expression, depth);
      }
      case 'repeat': {
        const { item, min, max } = expression;
        const count = Math.min(min + (depth < maxDepth ? among(4) : 0), max ?? Number.POSITIVE_INFINITY);
        return Array.from({ length: count }, () => draw(item, depth)).join('');
      }
      case 'rule':
        return draw(bodyOf(grammar, expression.name), depth + 1);
      case 'until':
        throw new TypeError('until is expanded before drawing');
      default:
        return unreachable(expression);
    }
  };
  return () => draw(bodyOf(grammar, grammar.root), 0);
}

function bodyOf({ rules }: Grammar, name: string): Expression {
  const body = rules.get(name);
  if (body === undefined) throw new TypeError(`there is no rule ${name}`);
  return body;
}

/** For each rule, how many rules deep its shortest text goes. */
function ruleHeights({ rules }: Grammar): ReadonlyMap<string, number> {
  const heights = new Map<string, number>();
  for (let changed = true; changed; ) {
    changed = false;
    for (const [name, body] of rules) {
      const height = heightOf(body, heights) + 1;
      if (height >= (heights.get(name) ?? Number.POSITIVE_INFINITY)) continue;
      heights.set(name, height);
      changed = true;
    }
  }
  return heights;
}

function heightOf(expression: Expression, heights: ReadonlyMap<string, number>): number {
  switch (expression.type) {
    case 'sequence':
      return expression.items.reduce((most, item) => Math.max(most, heightOf(item, heights)), 0);
    case 'choice':
      return expression.alternatives.reduce(
        (least, each) => Math.min(least, heightOf(each, heights)),
        Number.POSITIVE_INFINITY,
      );
    case 'repeat':
      return expression.min === 0 ? 0 : heightOf(expression.item, heights);
    case 'rule':
      return heights.get(expression.name) ?? Number.POSITIVE_INFINITY;
    default:
      return 0;
  }
}
