/** Reports texts that a raw string cannot hold, because they contain what ends it. */
import { BudgetExceeded } from '../../language/expression/budget.ts';
import { listedWords } from '../../language/regular/terms.ts';
import { isObject } from '../document/schema-document.ts';
import type { Compilation } from '../plan/compilation.ts';
import type { Constraint } from '../shapes/constraints.ts';
import type { StringShape } from '../shapes/shapes.ts';

/** Keywords that can list or describe texts; anything else is free text. */
const telling = ['const', 'enum', 'pattern', 'format', 'anyOf', 'oneOf', 'allOf', '$ref'];

/**
 * Reports that some listed or described texts contain `marker` and cannot be written. For free text, that is a
 * property of the format and not of a keyword.
 */
export function reportUnwritten(
  compilation: Compilation,
  constraint: Constraint,
  shapes: readonly StringShape[],
  marker: string,
): void {
  const keyword = telling.find((each) =>
    constraint.nodes.some(({ node: { schema }, holds }) => holds && isObject(schema) && each in schema),
  );
  if (keyword === undefined || marker === '') return;
  if (!shapes.some((shape) => mayHold(compilation, shape, marker))) return;
  const reason = `texts that hold ${JSON.stringify(marker)}, which ends a text in this format, cannot be written`;
  compilation.reportConstraint(constraint, keyword, reason, 'narrowed');
}

function mayHold({ terms, languages }: Compilation, shape: StringShape, marker: string): boolean {
  if (shape.language === terms.everything) return false;
  const words = listedWords(shape.language);
  if (words !== null) return words.some((word) => word.includes(marker));
  const holding = terms.sequence(terms.everything, terms.text(marker), terms.everything);
  try {
    return languages.hasStrings({ ...shape, language: terms.and(shape.language, holding) });
  } catch (error) {
    if (error instanceof BudgetExceeded) return true;
    throw error;
  }
}
