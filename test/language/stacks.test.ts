/** Laws of the matcher's positions: what they allow, judged by regular expressions, and which of them are one object. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { GrammarError } from '../../src/format/errors.ts';
import {
  choice,
  type Expression,
  empty,
  literal,
  repeat,
  rule,
  sequence,
} from '../../src/language/expression/expression.ts';
import { countLimit, Program } from '../../src/language/matcher/program.ts';
import { rest } from '../../src/language/matcher/rest-of-grammar.ts';
import { defaultStackLimit, type Position, StackFrame, Stacks } from '../../src/language/matcher/stacks.ts';

function stacksOf(rules: Record<string, Expression>, stackLimit = defaultStackLimit): Stacks {
  return new Stacks(new Program(new Map(Object.entries(rules))), stackLimit);
}

function walk(stacks: Stacks, text: string): Position | null {
  let position: Position | null = stacks.start('root');
  for (const char of text) position = position && stacks.advance(position, char.codePointAt(0) ?? 0);
  return position;
}

/** An expression, and the regular expression that means the same. */
interface Both {
  readonly expression: Expression;
  readonly source: string;
}

const { both } = fc.letrec<{ both: Both }>((tie) => ({
  both: fc.oneof(
    { maxDepth: 4 },
    fc
      .constantFrom('a', 'b', 'ab', 'ba', '')
      .map((text) => ({ expression: text === '' ? empty : literal(text), source: text })),
    fc.array(tie('both'), { minLength: 2, maxLength: 3 }).map((items) => ({
      expression: sequence(...items.map(({ expression }) => expression)),
      source: items.map(({ source }) => source).join(''),
    })),
    fc.array(tie('both'), { minLength: 2, maxLength: 3 }).map((items) => ({
      expression: choice(...items.map(({ expression }) => expression)),
      source: `(?:${items.map(({ source }) => source).join('|')})`,
    })),
    fc.tuple(tie('both'), fc.nat(3), fc.option(fc.nat(2))).map(
      ([{ expression, source }, min, more]): Both => ({
        expression: repeat(expression, min, more === null ? null : min + more),
        source: `(?:${source}){${min},${more === null ? '' : min + more}}`,
      }),
    ),
  ),
}));

/** All texts of `a` and `b` of up to six characters. */
const allTexts = Array.from({ length: 127 }, (_, number) => (number + 1).toString(2).slice(1)).map((bits) =>
  bits.replaceAll('0', 'a').replaceAll('1', 'b'),
);

/** Rules of which each is entered by its name in others. */
function inRules(items: readonly Both[]): Record<string, Expression> {
  const rules = items.map(({ expression }, index): [string, Expression] => [`r${index}`, expression]);
  return { root: sequence(...rules.map(([name]) => rule(name))), ...Object.fromEntries(rules) };
}

test('all short texts may end where a regular expression that means the same matches', () => {
  fc.assert(
    fc.property(fc.array(both, { minLength: 1, maxLength: 3 }), (items) => {
      const stacks = stacksOf(inRules(items));
      const judge = new RegExp(`^${items.map(({ source }) => source).join('')}$`, 'u');
      const wrong = allTexts.filter((text) => (walk(stacks, text)?.complete ?? false) !== judge.test(text));
      expect(wrong).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

test('a text leads to one position each time, with each of its frames once, and a number of its own', () => {
  fc.assert(
    fc.property(fc.array(both, { minLength: 1, maxLength: 3 }), (items) => {
      const stacks = stacksOf(inRules(items));
      const byNumber = new Map<number, Position>();
      for (const text of allTexts) {
        const position = walk(stacks, text);
        expect(walk(stacks, text)).toBe(position);
        if (position === null) continue;
        const frames = position.characters.map(({ frame }) => frame);
        expect(new Set(frames).size).toBe(frames.length);
        expect(byNumber.get(position.number) ?? position).toBe(position);
        byNumber.set(position.number, position);
      }
    }),
    { numRuns: 50 },
  );
});

test('what may follow a text is the grammar of the rest, judged by the regular expression of the whole', () => {
  fc.assert(
    fc.property(fc.array(both, { minLength: 1, maxLength: 2 }), (items) => {
      const rules = inRules(items);
      const judge = new RegExp(`^${items.map(({ source }) => source).join('')}$`, 'u');
      const short = allTexts.slice(0, 15);
      for (const before of short) {
        const position = walk(stacksOf(rules), before);
        if (position === null) continue;
        const after = stacksOf({ ...rules, root: rest(position) });
        const wrong = short.filter(
          (text) => (walk(after, text)?.complete ?? false) !== judge.test(before + text),
        );
        expect({ before, wrong }).toEqual({ before, wrong: [] });
      }
    }),
    { numRuns: 60 },
  );
});

test('a frame keeps what is pushed on it, by node and count', () => {
  const set = { ranges: [], only: -1, ascii: new Uint32Array(4) };
  const near = (places: readonly number[]) => places.flatMap((place) => [place, place + 1]);
  const nodes = near([1, countLimit - 1, countLimit + 1, 7 * countLimit, 2 ** 30]).map((index) => {
    return { type: 'character', index, next: null, expression: empty, set } as const;
  });
  const counts = near([0, 2, countLimit / 2, countLimit - 2]);
  const pushed = nodes.flatMap((node) => counts.map((count) => ({ node, count })));
  fc.assert(
    fc.property(fc.shuffledSubarray(pushed, { minLength: pushed.length }), (order) => {
      const below = new StackFrame(null, 0, null);
      const frames = order.map(({ node, count }) => below.above(node, count));
      expect(new Set(frames).size).toBe(order.length);
      for (const [index, { node, count }] of order.entries()) {
        expect(frames[index]).toMatchObject({ node, count });
        expect(below.above(node, count)).toBe(frames[index]);
      }
    }),
    { numRuns: 10 },
  );
});

describe('bounds', () => {
  it.each([2, 7])('%i stacks at once are allowed where no more are needed', (count) => {
    const ways = Array.from({ length: count }, (_, index) => literal(`a${index}`));
    expect(walk(stacksOf({ root: choice(...ways) }, count), 'a')?.characters).toHaveLength(count);
    expect(walk(stacksOf({ root: choice(...ways) }, count + 1), 'a')).not.toBeNull();
    expect(() => walk(stacksOf({ root: choice(...ways) }, count - 1), 'a')).toThrow(GrammarError);
  });

  it('100,000 frames are met before one character, and no more', () => {
    // A call is a frame, and so is the character behind the last.
    const calls = Array.from({ length: 100_000 }, (_, index): [string, Expression] => {
      return [`r${index}`, rule(`r${index + 1}`)];
    });
    const program = new Program(new Map([...calls, ['r100000', literal('a')]]));
    const from = (name: string) => new Stacks(program, defaultStackLimit).start(name).characters.length;
    expect([from('r2'), from('r1')]).toEqual([1, 1]);
    expect(() => from('r0')).toThrow('100000 steps');
  });

  it('10,000 positions with several stacks are remembered, and all are forgotten before one more', () => {
    const many = repeat(literal('a'), 0, 20_000);
    const stacks = stacksOf({ root: choice(sequence(many, literal('b')), sequence(many, literal('c'))) });
    const first = walk(stacks, 'a');
    expect(first?.frames).toHaveLength(2);
    walk(stacks, 'a'.repeat(10_000));
    expect(walk(stacks, 'a')).toBe(first);
    const last = walk(stacks, 'a'.repeat(10_001));
    expect(last && stacks.advance(last, 0x63)?.complete).toBe(true);
    expect(walk(stacks, 'a')).not.toBe(first);
    expect(walk(stacks, 'ab')?.complete).toBe(true);
  });
});
