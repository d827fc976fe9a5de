/** Packs expressions into the compact form of generated files, and unpacks them. */

import type { PackedExpression } from '../../format/compiled-tools.ts';
import { GrammarError } from '../../format/errors.ts';
import type { CharacterClass, CodePointRange, Expression } from './expression.ts';

/** Packs an expression. */
export function packExpression(expression: Expression): PackedExpression {
  switch (expression.type) {
    case 'literal':
      return expression.text;
    case 'class':
      return { class: expression.ranges.map(packRange).join(' ') };
    case 'sequence':
      return expression.items.map(packExpression);
    case 'choice':
      return { choice: expression.alternatives.map(packExpression) };
    case 'repeat':
      return { repeat: packExpression(expression.item), min: expression.min, max: expression.max };
    case 'until': {
      const branches = expression.branches.map(
        ({ delimiter, next }) => [delimiter, next === null ? null : packExpression(next)] as const,
      );
      return { until: branches, mayEnd: expression.mayEnd };
    }
    case 'rule':
      return { rule: expression.name };
  }
}

/** Unpacks an expression; `renamed` gives the names of its rules. Throws `GrammarError` for a corrupt table. */
export function unpackExpression(
  packed: PackedExpression,
  renamed: (name: string) => string = (name) => name,
): Expression {
  const unpack = (each: PackedExpression): Expression => unpackExpression(each, renamed);
  if (typeof packed === 'string') return { type: 'literal', text: packed };
  if (isList(packed)) return { type: 'sequence', items: packed.map(unpack) };
  if ('rule' in packed) return { type: 'rule', name: renamed(packed.rule) };
  if ('class' in packed) return unpackClass(packed.class);
  if ('choice' in packed) return { type: 'choice', alternatives: packed.choice.map(unpack) };
  if ('repeat' in packed) {
    return { type: 'repeat', item: unpack(packed.repeat), min: packed.min, max: packed.max };
  }
  const branches = packed.until.map(([delimiter, next]) => ({
    delimiter,
    next: next === null ? null : unpack(next),
  }));
  return { type: 'until', branches, mayEnd: packed.mayEnd };
}

function isList(packed: PackedExpression): packed is readonly PackedExpression[] {
  return Array.isArray(packed);
}

function packRange([from, to]: CodePointRange): string {
  return from === to ? from.toString(16) : `${from.toString(16)}-${to.toString(16)}`;
}

function unpackClass(text: string): CharacterClass {
  const ranges = text.split(' ').map((range): CodePointRange => {
    const [from, to = from] = range.split('-').map((digits) => Number.parseInt(digits, 16));
    if (from === undefined || to === undefined || Number.isNaN(from + to)) {
      throw new GrammarError({
        reason: `${JSON.stringify(text)} in a table of compiled tools is not a character class`,
      });
    }
    return [from, to];
  });
  return { type: 'class', ranges };
}
