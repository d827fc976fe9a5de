/** Laws of the automaton over bytes: it allows what the positions allow byte by byte, and finds each transition once. */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { GrammarError } from '../../src/format/errors.ts';
import { checkGrammar } from '../../src/language/expression/check-grammar.ts';
import {
  characterClass,
  choice,
  type Expression,
  type Grammar,
  literal,
  repeat,
  sequence,
} from '../../src/language/expression/expression.ts';
import { expandUntil } from '../../src/language/expression/until.ts';
import { gbnfExpression } from '../../src/language/gbnf/gbnf-expression.ts';
import { readGbnf } from '../../src/language/gbnf/read-gbnf.ts';
import { advanceByte, type BytePosition, wholePosition } from '../../src/language/matcher/byte-position.ts';
import { ByteAutomaton, dead } from '../../src/language/matcher/masks/byte-automaton.ts';
import { Program } from '../../src/language/matcher/program.ts';
import { type Position, Stacks } from '../../src/language/matcher/stacks.ts';
import { anyGrammar, textsNear } from '../support/random-grammar.ts';

const encoder = new TextEncoder();
const everyByte = Array.from({ length: 0x100 }, (_, byte) => byte);

function stacksOf(grammar: Grammar): { readonly stacks: Stacks; readonly start: Position } {
  const { root, rules } = expandUntil(grammar);
  const stacks = new Stacks(new Program(rules), 50);
  return { stacks, start: stacks.start(root) };
}

/** The places of a text, from its start, byte by byte as far as it is allowed. */
function placesAlong(stacks: Stacks, start: Position, text: string): BytePosition[] {
  const places = [wholePosition(start)];
  for (const byte of encoder.encode(text)) {
    const next = advanceByte(stacks, places.at(-1) ?? wholePosition(start), byte);
    if (next === null) break;
    places.push(next);
  }
  return places;
}

function expectSameBytes(automaton: ByteAutomaton, stacks: Stacks, place: BytePosition): void {
  const state = automaton.stateAt(place);
  for (const byte of everyByte) {
    const next = advanceByte(stacks, place, byte);
    expect([byte, automaton.next(state, byte)]).toEqual([
      byte,
      next === null ? dead : automaton.stateAt(next),
    ]);
  }
}

/** Letters beyond ASCII, at the ends of classes and next to them. */
const letters = [
  '\u0080',
  '¿',
  'À',
  'é',
  'ê',
  'ÿ',
  '߿',
  'ࠀ',
  '퟿',
  '\ue000',
  '€',
  '₭',
  '\uffff',
  '𐀀',
  '😀',
  '😁',
  '\u{10ffff}',
];
const letter = fc.constantFrom(...letters).map((char) => char.codePointAt(0) ?? 0);
const highClass = fc
  .tuple(letter, letter, fc.constantFrom(0, 0x61))
  .map(([one, other, low]) => characterClass([low === 0 ? Math.min(one, other) : low, Math.max(one, other)]));
const highGrammar = fc
  .array(fc.tuple(highClass, fc.constantFrom('', 'a', '1')), { minLength: 1, maxLength: 3 })
  .map((ways): Grammar => {
    const body = repeat(choice(...ways.map(([each, end]) => sequence(each, literal(end)))), 0, 3);
    return { root: 'root', rules: new Map<string, Expression>([['root', body]]) };
  });

function onGrammars(law: (grammar: Grammar, text: string) => void): void {
  const text = fc.array(fc.constantFrom('a', '1', ...letters), { maxLength: 3 }).map((each) => each.join(''));
  const high = fc.tuple(highGrammar, text);
  const any = fc.tuple(anyGrammar, fc.nat(1_000_000)).map(([grammar, seed]): [Grammar, string] => {
    return [grammar, textsNear(grammar, seed, 1)[0] ?? ''];
  });
  fc.assert(
    fc.property(fc.oneof(high, any), ([grammar, near]) => {
      fc.pre(!checkGrammar(grammar, { ambiguity: false }).some(({ severity }) => severity === 'unbuildable'));
      try {
        law(grammar, near);
      } catch (error) {
        if (!(error instanceof GrammarError)) throw error;
      }
    }),
    { numRuns: 40 },
  );
}

test('each byte leads to the state of the place that it leads to, whichever is asked for first', () => {
  onGrammars((grammar, text) => {
    const { stacks, start } = stacksOf(grammar);
    const automaton = new ByteAutomaton(stacks);
    const places = placesAlong(stacks, start, text.slice(0, 6));
    for (const place of places.toReversed()) {
      // The row of ASCII is found as a whole, before or after single transitions.
      const row = place.bits % 2 === 0 ? automaton.ascii(automaton.stateAt(place)) : null;
      expectSameBytes(automaton, stacks, place);
      if (row !== null) expect(row).toEqual(automaton.ascii(automaton.stateAt(place)));
    }
  });
});

test('a row has what each ASCII character leads to', () => {
  onGrammars((grammar, text) => {
    const { stacks, start } = stacksOf(grammar);
    const one = new ByteAutomaton(stacks);
    for (const place of placesAlong(stacks, start, text.slice(0, 6))) {
      const state = one.stateAt(place);
      const row = [...one.ascii(state)];
      const expected = everyByte.slice(0, 0x80).map((byte) => {
        const next = advanceByte(stacks, place, byte);
        return next === null ? dead : one.stateAt(next);
      });
      expect(row).toEqual(expected);
    }
  });
});

test('the letters beyond ASCII that a state allows are those that lead on, and their state is that of each', () => {
  onGrammars((grammar, text) => {
    const { stacks, start } = stacksOf(grammar);
    const automaton = new ByteAutomaton(stacks);
    for (const place of placesAlong(stacks, start, text.slice(0, 6))) {
      const state = automaton.stateAt(place);
      const high = automaton.high(state);
      expect(automaton.high(state)).toBe(high);
      const after = [...letters, 'ÿ', 'ā', '\u00be'].map((char) => {
        return place.part.missing > 0 ? null : stacks.advance(place.position, char.codePointAt(0) ?? 0);
      });
      const targets = after.map((each) => (each === null ? dead : automaton.stateAt(wholePosition(each))));
      if (high === null) expect(targets.every((each) => each === dead)).toBe(true);
      else if (high.target !== null) {
        for (const target of targets) expect([dead, high.target]).toContain(target);
      }
    }
  });
});

test('states are positions, and many of them keep what they lead to', () => {
  const digits = repeat(characterClass([0x30, 0x39]), 0, 300);
  const { stacks, start } = stacksOf({ root: 'root', rules: new Map([['root', digits]]) });
  const automaton = new ByteAutomaton(stacks);
  const states = [automaton.stateAt(wholePosition(start))];
  for (let count = 0; count < 300; count += 1) states.push(automaton.next(states.at(-1) ?? dead, 0x35));
  expect(new Set(states).size).toBe(301);
  expect(states.map((each) => automaton.position(each)?.complete)).toEqual(states.map(() => true));
  // What was found before the table grew, and what the last state allows: nothing.
  const advance = vi.spyOn(stacks, 'advance');
  expect(states.map((each) => automaton.next(each, 0x35))).toEqual([...states.slice(1), dead]);
  advance.mockClear();
  expect(states.map((each) => automaton.next(each, 0x35))).toEqual([...states.slice(1), dead]);
  expect(advance).not.toHaveBeenCalled();
});

test.each([1, 2, 30, 31, 32, 40])('a row of %i classes is right for each character', (count) => {
  // Each class has one character more than the one before, and an end of its own.
  const ways = Array.from({ length: count }, (_, index) => {
    return sequence(characterClass([0x20, 0x20 + index]), literal(String.fromCodePoint(0x41 + index)));
  });
  const { stacks, start } = stacksOf({ root: 'root', rules: new Map([['root', choice(...ways)]]) });
  const automaton = new ByteAutomaton(stacks);
  const row = automaton.ascii(automaton.stateAt(wholePosition(start)));
  for (const byte of everyByte.slice(0, 0x80)) {
    const expected = stacks.advance(start, byte);
    expect(row[byte]).toBe(expected === null ? dead : automaton.stateAt(wholePosition(expected)));
  }
});

test('characters of the same classes are looked up once', () => {
  const { stacks: others, start: first } = stacksOf({
    root: 'root',
    rules: new Map([
      ['root', choice(characterClass([0x30, 0x39]), sequence(characterClass([0x61, 0x7a]), literal('a')))],
    ]),
  });
  const advance = vi.spyOn(others, 'advance');
  const fewer = new ByteAutomaton(others);
  fewer.ascii(fewer.stateAt(wholePosition(first)));
  fewer.ascii(fewer.stateAt(wholePosition(first)));
  expect(advance).toHaveBeenCalledTimes(2);
});

test.each([
  ['one state where all are in the same classes', '[a-zé-ú]', '[0-9é-ú]', true],
  ['no one state where each class has its own', '[é-ê]', '[€]', false],
  ['no one state where a class has more of them', '[é-ê]', '[é-ê€]', false],
])('letters beyond ASCII lead to %s', (_, one, other, isOne) => {
  const source = `root ::= ${one} "1" | ${other} "2"`;
  const { stacks, start } = stacksOf(gbnfExpression(readGbnf(source)));
  const automaton = new ByteAutomaton(stacks);
  const afterLetter = stacks.advance(start, 0xe9) ?? start;
  const target = isOne ? automaton.stateAt(wholePosition(afterLetter)) : null;
  expect(automaton.high(automaton.stateAt(wholePosition(start)))?.target).toBe(target);
});

test.each([
  ['whose rest does not matter', '[\\u0080-ÿ]', true],
  ['of which the last matters', '[\\u0080-þ]', false],
  ['of which the first matters', '[\\u0081-ÿ]', false],
  ['of which only the last is allowed', '[¿ÿ]', false],
])('characters %s have one state within them, or their own', (_, letters, isOne) => {
  const { stacks, start } = stacksOf(gbnfExpression(readGbnf(`root ::= ${letters} "1"`)));
  const automaton = new ByteAutomaton(stacks);
  const state = automaton.stateAt(wholePosition(start));
  const within = [automaton.next(state, 0xc2), automaton.next(state, 0xc3)];
  expect(within).not.toContain(dead);
  expect(within[0] === within[1]).toBe(isOne);
  expectSameBytes(automaton, stacks, wholePosition(start));
});
