/** `minLength`, `maxLength`, `pattern`, `format`. */
import type { Term } from '../../language/regular/terms.ts';
import type { SchemaNode } from '../document/schema-document.ts';
import { stringShape } from './any-shape.ts';
import {
  type Assertion,
  assertion,
  countAssertions,
  type ExpansionContext,
  type KeywordReader,
} from './assertions.ts';

/** Reads the string keywords. */
export const readStringKeywords: KeywordReader = (schema, node, context) => {
  const found: Assertion[] = [
    ...countAssertions(schema, ['minLength', 'maxLength'], (range) => stringShape(context.terms, range)),
  ];
  if (typeof schema.pattern === 'string') {
    const limited = takeLimits(schema.pattern);
    const language = context.patternLanguage(node, 'pattern', limited?.pattern ?? schema.pattern);
    if (language !== null && limited !== null) {
      found.push(inLimits(schema.pattern, limited, language, node, context));
    } else if (language !== null) found.push(inLanguage(language, context));
  }
  if (typeof schema.format === 'string') {
    const language = context.formatLanguage(node, schema.format);
    if (language !== null) found.push(inLanguage(language, context));
  }
  return found;
};

/** Holds for strings of a pattern with limits, as far as they are written; fails for others. */
function inLimits(
  pattern: string,
  { min, max, allowsOneMore }: LimitedPattern,
  language: Term,
  node: SchemaNode,
  context: ExpansionContext,
): Assertion {
  const { terms } = context;
  const all = () => (allowsOneMore ? context.patternLanguage(node, 'pattern', pattern) : null);
  return assertion(
    () => {
      if (allowsOneMore) {
        const reason = `texts of more than ${max} characters are not written`;
        context.report(node, 'pattern', reason, 'narrowed');
      }
      return [stringShape(terms, { language, min, max })];
    },
    () => {
      const exact = all();
      if (exact !== null) return [stringShape(terms, { language: terms.not(exact) })];
      return [
        stringShape(terms, { language: terms.not(language) }),
        ...(min === 0 ? [] : [stringShape(terms, { max: min - 1 })]),
        ...(max === null ? [] : [stringShape(terms, { min: max + 1 })]),
      ];
    },
  );
}

/** Holds for strings in `language`, fails for others. */
function inLanguage(language: Term, { terms }: ExpansionContext): Assertion {
  return assertion(
    () => [stringShape(terms, { language })],
    () => [stringShape(terms, { language: terms.not(language) })],
  );
}

/** Patterns that begin by limiting the length of the whole text: `^(?=.{1,253}$)`, as validators of host names do. */

/** A pattern without its limits, and these. */
interface LimitedPattern {
  /** The rest of the conditions. */
  readonly pattern: string;
  readonly min: number;
  readonly max: number | null;
  /** Texts of one character more than `max` may be valid, too, by the end of their last character. */
  readonly allowsOneMore: boolean;
}

const limits = /^\^\(\?=\.\{(\d+)(?:(,)(\d*))?\}(\\?[^()\\]\?)?\$\)/su;
/** Up to this length, a lookahead and the rest are a small automaton. */
const short = 60;

/** Takes the limits out of a pattern, whose automaton would count them at every state; `null` if it has none. */
function takeLimits(pattern: string): LimitedPattern | null {
  const [lookahead, least = '', comma = '', most = '', last] = limits.exec(pattern) ?? [];
  if (lookahead === undefined) return null;
  const rest = pattern.slice(lookahead.length);
  const max = comma === '' ? Number(least) : most === '' ? null : Number(most);
  const allowsOneMore = last !== undefined && max !== null;
  // A line end may come last, which `.*` in its place would not take.
  if (last !== undefined && max === null) return null;
  if (hasAlternatives(rest) || (allowsOneMore && max <= short)) return null;
  return { pattern: `^(?=.*$)${rest}`, min: Number(least), max, allowsOneMore };
}

/** Whether a `|` stands outside of all groups. */
function hasAlternatives(pattern: string): boolean {
  let depth = 0;
  for (const [part] of pattern.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]?|[()|]/gsu)) {
    if (part === '(') depth += 1;
    else if (part === ')') depth -= 1;
    else if (part === '|' && depth === 0) return true;
  }
  return false;
}
