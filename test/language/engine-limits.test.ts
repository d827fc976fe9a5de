/** The bounds of grammars that are handed to an engine, and that long names stay within them. */
import { describe, expect, it } from 'vitest';
import { format } from '../../generated/qwen-qwen3-0.6b/index.ts';
import { GrammarError } from '../../src/format/errors.ts';
import { buildGrammar } from '../../src/index.ts';
import { requireBounded } from '../../src/language/gbnf/engine-limits.ts';
import { createGbnfMatcher } from '../../src/language/gbnf/gbnf-expression.ts';

const groups = (depth: number): string => `root ::= ${'('.repeat(depth)}"a"${')'.repeat(depth)}\n`;
const chain = (length: number): string =>
  Array.from({ length }, (_, at) => `r${at} ::= ${at + 1 < length ? `r${at + 1}` : '"a"'}`).join('\n');
const letters = (count: number): string => `root ::= ${Array(count).fill('"a"').join(' | ')}\n`;

describe('a grammar for an engine', () => {
  it.each([
    ['groups', groups(100), groups(101)],
    ['a chain of rules', chain(30_000), chain(30_001)],
    ['alternatives', letters(12_000), letters(12_001)],
  ])('is refused beyond a bound of its %s, before the engine sees it', (_, within, beyond) => {
    expect(() => requireBounded(within)).not.toThrow();
    expect(() => requireBounded(beyond)).toThrow(GrammarError);
  });

  it('may write any number of signs in literals and classes', () => {
    const signs = `root ::= "${'(|\\"'.repeat(20_000)}" [${'(|\\]'.repeat(20_000)}]`;
    expect(() => requireBounded(signs)).not.toThrow();
  });

  it.each([1, 64, 128, 5_000])('is within them for names of %i characters', (length) => {
    const names = [0, 1, 2].map((start) => 'abcdefghij_klmn'.repeat(length).slice(start, start + length));
    const tools = names.map((name) => ({ type: 'function', function: { name } }) as const);
    const grammar = buildGrammar(format, { tools }).grammar ?? '';
    expect(() => requireBounded(grammar)).not.toThrow();
    const matcher = createGbnfMatcher(grammar);
    expect(matcher.accept(`<tool_call>\n{"name": "${names[1]}", "arguments": {}`)).toBe(true);
  });
});
