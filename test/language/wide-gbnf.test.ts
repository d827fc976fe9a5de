/** A grammar with much of one kind, as anyone may write it, is read in time that grows with its length. */
import { expect, test } from 'vitest';
import { type GbnfGrammar, type GbnfNode, writeGbnf } from '../../src/language/gbnf/gbnf.ts';
import { createGbnfMatcher, gbnfExpression } from '../../src/language/gbnf/gbnf-expression.ts';
import { lintGbnf } from '../../src/language/gbnf/lint-gbnf.ts';
import { readGbnf } from '../../src/language/gbnf/read-gbnf.ts';
import { sampled } from '../support/sample.ts';

const numbers = (size: number): readonly number[] => Array.from({ length: size }, (_, at) => at);
/** No two of them are neighbours, so that a class of them has as many ranges. */
const characters = (size: number): string =>
  numbers(size)
    .map((at) => String.fromCodePoint(0x20000 + 2 * at))
    .join('');

/** More than a call can have arguments. */
const size = 130_000;

/** Those that are read as a whole by a parser of expressions, which takes 50 µs for each part, have fewer. */
const grammars: Readonly<Record<string, () => string>> = {
  'ranges of a class': () => `root ::= [${characters(size)}]`,
  'ranges that a class lacks': () => `root ::= [^${characters(size)}]`,
  'characters that nothing writes': () => `root ::= "${'\\x00'.repeat(size)}"`,
  rules: () =>
    `root ::= r0\n${numbers(size)
      .map((at) => `r${at} ::= "x" r${at + 1}`)
      .join('\n')}\nr${size} ::= "y"`,
  'undefined rules': () =>
    `root ::= ${numbers(size / 10)
      .map((at) => `"${at}" r${at}`)
      .join('|')}`,
};

/** Seconds of processor time: some two are usual, and what takes quadratic time takes minutes. */
const most = 40;

test.each(sampled(Object.keys(grammars), 2))(
  'a grammar with very many of these is read, checked and written: %s',
  (name) => {
    const text = grammars[name]?.() ?? '';
    const before = process.cpuUsage();
    const grammar = readGbnf(text);
    lintGbnf(grammar);
    expect(writeGbnf(readGbnf(writeGbnf(grammar)))).toBe(writeGbnf(grammar));
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(most);
  },
);

test.each(['choice', 'sequence'] as const)('a %s has more parts than a call can have arguments', (type) => {
  const parts = numbers(size).map((): GbnfNode => ({ type: 'reference', name: 'a' }));
  const body: GbnfNode = type === 'choice' ? { type, alternatives: parts } : { type, items: parts };
  const grammar: GbnfGrammar = {
    rules: [
      { name: 'root', body },
      { name: 'a', body: { type: 'literal', text: 'x' } },
    ],
  };
  expect(lintGbnf(grammar).map(({ severity }) => severity)).not.toContain('unbuildable');
  const root = gbnfExpression(grammar).rules.get('root');
  expect(root).toMatchObject({ type });
});

test('a matcher accepts the last one of very many ranges, and no other character', () => {
  const matcher = createGbnfMatcher(grammars['ranges of a class']?.() ?? '');
  const last = 0x20000 + 2 * (size - 1);
  expect(matcher.clone().accept(String.fromCodePoint(last))).toBe(true);
  expect(matcher.clone().accept(String.fromCodePoint(last + 1))).toBe(false);
});
