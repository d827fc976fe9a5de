/** Importing a package builds nothing that costs: whoever never reads GBNF pays for no grammar of it. */
import { expect, test, vi } from 'vitest';
import { compileValidator, readGbnf } from '../src/index.ts';

const built = vi.hoisted((): string[] => []);

vi.mock('ohm-js', async (original) => {
  const ohm = await original<typeof import('ohm-js')>();
  const grammar: typeof ohm.grammar = (source, ...rest) => {
    built.push('a grammar of Ohm');
    return ohm.grammar(source, ...rest);
  };
  return { ...ohm, grammar };
});

vi.mock('ajv/dist/2020.js', async (original) => {
  const ajv = await original<typeof import('ajv/dist/2020.js')>();
  class Counted extends ajv.Ajv2020 {
    constructor(...given: ConstructorParameters<typeof ajv.Ajv2020>) {
      super(...given);
      built.push('a validator of Ajv');
    }
  }
  return { ...ajv, Ajv2020: Counted };
});

test('an import builds neither grammars nor validators; the first use builds one', () => {
  expect(built).toEqual([]);
  readGbnf('root ::= "a"');
  readGbnf('root ::= "b"');
  compileValidator({ type: 'string' });
  expect(built).toEqual(['a grammar of Ohm', 'a validator of Ajv']);
});
