/** `minLength`, `maxLength`, `pattern`, `format`. */
import type { Term } from '../../language/regular/terms.ts';
import { stringShape } from './any-shape.ts';
import {
  type Assertion,
  assertion,
  atLeast,
  atMost,
  countOf,
  type ExpansionContext,
  type KeywordReader,
} from './assertions.ts';

/** Reads the string keywords. */
export const readStringKeywords: KeywordReader = (schema, node, context) => {
  const found: Assertion[] = [];
  const withLength = (range: { min: number; max: number | null }) => stringShape(context.terms, range);
  const min = countOf(schema.minLength);
  if (min !== null) found.push(atLeast(min, withLength));
  const max = countOf(schema.maxLength);
  if (max !== null) found.push(atMost(max, withLength));
  if (typeof schema.pattern === 'string') {
    const language = context.patternLanguage(node, 'pattern', schema.pattern);
    if (language !== null) found.push(inLanguage(language, context));
  }
  if (typeof schema.format === 'string') {
    const language = context.formatLanguage(node, schema.format);
    if (language !== null) found.push(inLanguage(language, context));
  }
  return found;
};

/** Holds for strings in `language`, fails for others. */
function inLanguage(language: Term, { terms }: ExpansionContext): Assertion {
  return assertion(
    () => [stringShape(terms, { language })],
    () => [stringShape(terms, { language: terms.not(language) })],
  );
}
