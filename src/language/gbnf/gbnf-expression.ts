/** Converts GBNF to an expression tree, with the engine's semantics where the two differ. */
import { GrammarError } from '../../format/errors.ts';
import { callback, integerFrom, type OptionRules, readOptions } from '../../format/option-rules.ts';
import {
  characterClass,
  choiceOf,
  classExcept,
  classOf,
  type Expression,
  empty,
  exceptCharacters,
  type Grammar,
  literal,
  maxCodePoint,
  repeat,
  rule,
  sequenceOf,
} from '../expression/expression.ts';
import { createMatcher, type Matcher, type MatcherOptions } from '../matcher/matcher.ts';
import {
  engineRepetitionLimit,
  type GbnfClass,
  type GbnfGrammar,
  type GbnfNode,
  type GbnfToken,
} from './gbnf.ts';
import { readGbnf } from './read-gbnf.ts';
import { tokenClass } from './token-character.ts';

/** How to resolve what GBNF text alone does not define. */
export interface GbnfReading {
  /**
   * Resolves a token terminal to an id, to be fed with `acceptToken`, or to a text. By default, ids stand for
   * themselves, and names, which only a vocabulary can resolve, are rejected.
   */
  readonly resolveToken?: (token: number | string) => number | string | undefined;
}

/**
 * The expression tree that llama.cpp's engine would match. The last definition of a rule wins, a count above 2,000 is
 * unbounded, an empty class matches the empty text, and a token is a code point beyond Unicode.
 *
 * @throws GrammarError for an unresolved token terminal.
 */
export function gbnfExpression(grammar: GbnfGrammar, reading: GbnfReading = {}): Grammar {
  const rules = new Map(grammar.rules.map(({ name, body }) => [name, expressionOf(body, reading)]));
  return { root: 'root', rules };
}

const matcherRules: OptionRules<GbnfReading & MatcherOptions> = {
  resolveToken: callback,
  maxStacks: integerFrom(1, Number.MAX_SAFE_INTEGER),
};

/**
 * Creates a matcher for GBNF text.
 *
 * @throws GrammarError if the text is not valid GBNF or cannot be matched, UnsupportedOptionError for a wrong option.
 */
export function createGbnfMatcher(text: string, given: GbnfReading & MatcherOptions = {}): Matcher {
  const options = readOptions(given, matcherRules);
  return createMatcher(gbnfExpression(readGbnf(text), options), options);
}

function expressionOf(node: GbnfNode, reading: GbnfReading): Expression {
  switch (node.type) {
    case 'literal':
      return literalExpression(node.text);
    case 'class':
      return classExpression(node);
    case 'any':
      return exceptCharacters();
    case 'token':
      return tokenExpression(node, reading);
    case 'reference':
      return rule(node.name);
    case 'sequence':
      return sequenceOf(node.items.map((item) => expressionOf(item, reading)));
    case 'choice':
      return choiceOf(node.alternatives.map((each) => expressionOf(each, reading)));
    case 'repeat': {
      const { min, max } = node;
      const kept = max !== null && max > engineRepetitionLimit ? null : max;
      return repeat(expressionOf(node.item, reading), min, kept);
    }
  }
}

/** No sampler produces NUL, so a literal that contains it matches nothing. */
function literalExpression(text: string): Expression {
  const parts = text.split('\0').map(literal);
  return sequenceOf(parts.flatMap((part, index) => (index === 0 ? [part] : [characterClass(), part])));
}

function classExpression({ negated, ranges }: GbnfClass): Expression {
  if (ranges.length === 0) return empty;
  const kept = ranges
    .map(([from, to]): [number, number] => [from, Math.min(to, maxCodePoint)])
    .filter(([from, to]) => from <= to);
  return negated ? classExcept(kept) : classOf(kept);
}

function tokenExpression({ negated, token }: GbnfToken, { resolveToken }: GbnfReading): Expression {
  const name = `${negated ? '!' : ''}${typeof token === 'number' ? `<[${token}]>` : token}`;
  const resolved = resolveToken === undefined ? token : resolveToken(token);
  if (typeof resolved === 'number') return tokenClass(resolved, negated);
  if (resolved === undefined || resolveToken === undefined) {
    throw new GrammarError({ reason: `token ${name} cannot be resolved without a vocabulary` });
  }
  if (negated) throw new GrammarError({ reason: `${name} stands for any other token, which is not text` });
  return literal(resolved);
}
