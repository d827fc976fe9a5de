import { describe, expect, it } from 'vitest';
import { alternatives } from '../../src/language/expression/alternatives.ts';
import { choice, literal, optional, rule, sequence } from '../../src/language/expression/expression.ts';

describe('alternatives', () => {
  it('factors common beginnings, so that the next character decides', () => {
    const think = sequence(literal('<think>'), rule('a'));
    const call = sequence(literal('<tool>'), rule('b'));
    const rest = choice(sequence(literal('hink>'), rule('a')), sequence(literal('ool>'), rule('b')));
    expect(alternatives(think, call)).toEqual(sequence(literal('<t'), rest));
  });

  it('makes the rest optional where one text is the beginning of another', () => {
    expect(alternatives(literal('get'), literal('get_all'))).toEqual(
      sequence(literal('get'), optional(literal('_all'))),
    );
  });

  it('does not split a surrogate pair', () => {
    expect(alternatives(literal('😀'), literal('😁'))).toEqual(choice(literal('😀'), literal('😁')));
  });
});
