/** What a matcher takes for a character, where it stands, and which grammars it takes, without an engine's word. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { GrammarError, UnsupportedOptionError } from '../../src/format/errors.ts';
import {
  characterClass,
  choice,
  type Expression,
  literal,
  repeat,
  rule,
  sequence,
} from '../../src/language/expression/expression.ts';
import { tokenCharacter } from '../../src/language/gbnf/token-character.ts';
import { createMatcher, type Matcher, type MatcherOptions } from '../../src/language/matcher/matcher.ts';

const encoder = new TextEncoder();

function matcherOf(root: Expression, options?: MatcherOptions): Matcher {
  return createMatcher({ root: 'root', rules: new Map([['root', root]]) }, options);
}

const onlyReplacement = characterClass([0xfffd, 0xfffd]);
const around = characterClass([0xd7ff, 0xd7ff], [0xe000, 0xe000]);

test.each(['\ud800', '\udbff', '\udc00', '\udfff'])('half of a character counts as U+FFFD: %j', (text) => {
  expect(matcherOf(onlyReplacement).accept(text)).toBe(true);
  expect(matcherOf(around).accept(text)).toBe(false);
  // As an encoder writes it.
  expect(matcherOf(onlyReplacement).accept(encoder.encode(text))).toBe(true);
});

test.each(['\ud7ff', '\ue000'])('the characters next to those halves are themselves: %j', (text) => {
  expect(matcherOf(around).accept(text)).toBe(true);
  expect(matcherOf(onlyReplacement).accept(text)).toBe(false);
});

test('as much of a text is allowed as of its bytes, and what is allowed can be accepted', () => {
  const characters = ['\0', 'a', 'b', '\u007f', '\u0080', 'é', '€', '\uffff', '\u{10000}', '😀'];
  const classes = fc.subarray(characters, { minLength: 1 }).map((chars) => {
    return characterClass(
      ...chars.map((char): [number, number] => [char.codePointAt(0) ?? 0, char.codePointAt(0) ?? 0]),
    );
  });
  const grammar = fc.array(fc.tuple(classes, fc.nat(2)), { minLength: 1, maxLength: 3 }).map((items) => {
    return sequence(...items.map(([each, most]) => repeat(each, 0, most === 0 ? null : most)));
  });
  const someText = fc.array(fc.constantFrom(...characters), { maxLength: 6 });
  fc.assert(
    fc.property(grammar, someText, (root, chars) => {
      const matcher = matcherOf(root);
      const text = chars.join('');
      const length = matcher.allowedLength(text);
      expect(length).toBeLessThanOrEqual(text.length);
      const bytes = encoder.encode(text);
      const whole = encoder.encode(text.slice(0, length)).length;
      // Bytes may end within a character that is not allowed, after its beginning.
      expect(matcher.allowedLength(bytes)).toBeGreaterThanOrEqual(whole);
      expect(matcher.allows(text)).toBe(length === text.length);
      expect(matcher.allows(bytes)).toBe(length === text.length);
      const clone = matcher.clone();
      expect(matcher.accept(text.slice(0, length)) && clone.accept(bytes.subarray(0, whole))).toBe(true);
      expect(clone.state).toBe(matcher.state);
    }),
  );
});

describe('a matcher within a character', () => {
  const [first = 0, second = 0, third = 0] = encoder.encode('€');

  it('is in another state than before it, and after each byte', () => {
    const matcher = matcherOf(repeat(characterClass([0x20ac, 0x20ac])));
    const states = [first, second, third].map((byte) => {
      const { state } = matcher;
      matcher.accept(Uint8Array.of(byte));
      expect([matcher.complete, matcher.withinCharacter]).toEqual([byte === third, byte !== third]);
      return state;
    });
    expect(new Set(states).size).toBe(3);
    // One character is where another one was: the repetition has no end.
    const { state } = matcher;
    matcher.accept('€');
    expect(matcher.state).toBe(state);
  });

  it('allows no token, and no text but the empty one', () => {
    const matcher = matcherOf(sequence(literal('€'), characterClass([tokenCharacter(7), tokenCharacter(7)])));
    matcher.accept(Uint8Array.of(first));
    const { state } = matcher;
    expect([
      matcher.withinCharacter,
      matcher.acceptToken(7),
      matcher.accept('€'),
      matcher.accept(''),
    ]).toEqual([true, false, false, true]);
    expect(matcher.state).toBe(state);
    expect(matcher.accept(Uint8Array.of(second, third)) && matcher.acceptToken(7)).toBe(true);
    expect([matcher.complete, matcher.withinCharacter]).toEqual([true, false]);
  });
});

test('forced text ends where the text may end, and where a character is left to choose', () => {
  expect(matcherOf(literal('a\0b')).forced()).toBe('a\0b');
  expect(matcherOf(sequence(literal('ab'), repeat(literal('c'), 0, 1), literal('d'))).forced()).toBe('ab');
  expect(matcherOf(sequence(literal('ab'), repeat(literal('c')))).forced()).toBe('ab');
  expect(
    matcherOf(choice(literal('ab'), sequence(literal('a'), characterClass([0x62, 0x62])))).forced(),
  ).toBe('ab');
  expect(
    matcherOf(sequence(literal('a'), characterClass([tokenCharacter(7), tokenCharacter(7)]))).forced(),
  ).toBe('a');
});

describe('a grammar', () => {
  it('may repeat what may be empty', () => {
    const matcher = matcherOf(repeat(repeat(literal('a'), 0, 1)));
    expect([matcher.complete, matcher.accept('aaa'), matcher.complete]).toEqual([true, true, true]);
  });

  it('is refused where a rule begins with itself, or is not there', () => {
    expect(() => matcherOf(choice(literal('a'), sequence(rule('root'), literal('b'))))).toThrow(GrammarError);
    expect(() => matcherOf(rule('none'))).toThrow(GrammarError);
  });

  it.each([
    [1000, undefined],
    [1000, 1000],
    [3, 3],
  ])('may need %i stacks at once where that is the bound: %j', (most, maxStacks) => {
    const ways = (count: number) =>
      choice(...Array.from({ length: count }, (_, index) => literal(`a${index}`)));
    const options = maxStacks === undefined ? {} : { maxStacks };
    expect(matcherOf(ways(most - 1), options).accept('a1')).toBe(true);
    expect(matcherOf(ways(most), options).accept('a1')).toBe(true);
    expect(() => matcherOf(ways(most + 1), options).accept('a1')).toThrow(GrammarError);
  });
});

test('what is neither a text nor bytes is refused', () => {
  const matcher = matcherOf(literal('a'));
  for (const value of [5, null, ['a'], { length: 0 }] as never[]) {
    for (const call of [
      () => matcher.accept(value),
      () => matcher.allows(value),
      () => matcher.allowedLength(value),
    ]) {
      expect(call).toThrow(UnsupportedOptionError);
    }
  }
});
