/** Importing a package builds nothing that costs: whoever never reads GBNF pays for no grammar of it. */
import { expect, test, vi } from 'vitest';
import { readGbnf } from '../src/index.ts';

const built = vi.hoisted((): string[] => []);

vi.mock('ohm-js', async (original) => {
  const ohm = await original<typeof import('ohm-js')>();
  const grammar: typeof ohm.grammar = (source, ...rest) => {
    built.push('a grammar of Ohm');
    return ohm.grammar(source, ...rest);
  };
  return { ...ohm, grammar };
});

test('an import builds no grammar; the first use builds one', () => {
  expect(built).toEqual([]);
  readGbnf('root ::= "a"');
  readGbnf('root ::= "b"');
  expect(built).toEqual(['a grammar of Ohm']);
});
