/** Each bound of what a grammar of calls lets a model write: at it, one below and one above. */
import { describe, expect, it } from 'vitest';
import { idOfAnyLength, spellMarkers } from '../../src/grammar/call-grammar.ts';
import { namedCall } from '../../src/grammar/other-names.ts';
import { withListedCharacters } from '../../src/grammar/structural-tag/listed-characters.ts';
import { shortText } from '../../src/grammar/structural-tag/short-text.ts';
import {
  characterClass,
  type Expression,
  literal,
  repeat,
  sequence,
} from '../../src/language/expression/expression.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { turnLayout } from '../../src/layout/turn-layout.ts';
import { tagged } from '../support/sample-formats.ts';

/** Tells whether a text is one of the expression's. */
function textsOf(expression: Expression, rules = new RuleSet()): (text: string) => boolean {
  const start = createMatcher(rules.grammar('root', expression));
  return (text) => {
    const matcher = start.clone();
    return matcher.accept(text) && matcher.complete;
  };
}

describe('what a model writes freely', () => {
  it.each([
    [0, false],
    [1, true],
    [63, true],
    [64, true],
    [65, false],
  ])('is an id of 1 to 64 characters: %i', (length, isAllowed) => {
    expect(textsOf(idOfAnyLength)('a'.repeat(length))).toBe(isAllowed);
  });

  it.each([
    [63, true],
    [64, true],
    [65, false],
  ])('is a name of at most 64 characters that no tool has: %i', (length, isAllowed) => {
    const rules = new RuleSet();
    const isCall = textsOf(namedCall(new Map([['get', literal('!')]]), literal('?'), rules), rules);
    expect(isCall(`${'x'.repeat(length)}?`)).toBe(isAllowed);
    expect(isCall(`${'x'.repeat(length)}!`)).toBe(false);
  });

  it.each([31, 32, 33, 64, 65, 200])('is a name of a tool, however long: %i', (length) => {
    const rules = new RuleSet();
    const name = 'n'.repeat(length);
    const isCall = textsOf(namedCall(new Map([[name, literal('!')]]), literal('?'), rules), rules);
    expect(isCall(`${name}!`)).toBe(true);
    expect(isCall(`${name}?`)).toBe(false);
    expect(isCall(`${name.slice(1)}x?`)).toBe(true);
  });

  it.each([
    [0, true],
    [15, true],
    [16, true],
    [17, false],
  ])(
    'is white space of at most 16 characters in a marker, where no text shows it: %i',
    (length, isAllowed) => {
      const { calls } = turnLayout(tagged);
      if (calls === null) throw new TypeError('the format has calls');
      const marker = spellMarkers({ ...calls, unshown: ['gaps'] }, '<use>\n<fn=');
      expect(textsOf(marker)(`<use>${' '.repeat(length)}<fn=`)).toBe(isAllowed);
    },
  );
});

describe('in a structural tag', () => {
  it.each([
    [9999, 9999],
    [10_000, 10_000],
    [10_001, undefined],
  ])('a text stands for others up to 10,000 characters: %i', (length, found) => {
    const grammar = new RuleSet().grammar('root', literal('a'));
    for (const expression of [
      repeat(literal('a'), length),
      sequence(repeat(literal('a'), length - 5000), literal('b'.repeat(5000))),
    ])
      expect(shortText(expression, grammar)?.length).toBe(found);
  });

  it.each([
    [255, 'choice'],
    [256, 'choice'],
    [257, 'class'],
  ])('up to 256 characters that are not ASCII stand one by one: %i', (count, type) => {
    for (const set of [
      characterClass([0x400, 0x400 + count - 1]),
      characterClass([0x400, 0x41f], [0x500, 0x500 + count - 33]),
    ]) {
      const { rules } = withListedCharacters(new RuleSet().grammar('root', set));
      expect(rules.get('root')?.type).toBe(type);
    }
  });
});
