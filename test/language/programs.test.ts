/** Laws of compiled grammars: equal parts are one node, and long texts are compiled in steps as they are at once. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { GrammarError } from '../../src/format/errors.ts';
import {
  characterClass,
  choice,
  type Expression,
  literal,
  repeat,
  rule,
  sequence,
} from '../../src/language/expression/expression.ts';
import { finish } from '../../src/language/expression/steps.ts';
import { countLimit, Program, type ProgramNode } from '../../src/language/matcher/program.ts';

const range = fc.constantFrom<readonly [number, number]>(
  [0x61, 0x61],
  [0x61, 0x62],
  [0xe9, 0xe9],
  [0x63, 0x7a],
);

/** Makes an expression anew at each call. */
type Make = () => Expression;
const { make } = fc.letrec<{ make: Make }>((tie) => ({
  make: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('a', 'b', 'aé', 'ba😀').map((text) => () => literal(text)),
    fc
      .uniqueArray(range, { minLength: 1, maxLength: 2, selector: ([first]) => first })
      .map((ranges) => () => {
        return characterClass(...ranges);
      }),
    fc.constantFrom('r0', 'r1').map((name) => () => rule(name)),
    fc
      .array(tie('make'), { minLength: 2, maxLength: 3 })
      .map((all) => () => sequence(...all.map((each) => each()))),
    fc
      .array(tie('make'), { minLength: 2, maxLength: 3 })
      .map((all) => () => choice(...all.map((each) => each()))),
    fc.tuple(tie('make'), fc.nat(2), fc.option(fc.nat(2))).map(([item, min, more]) => () => {
      return repeat(item(), min, more === null ? null : min + more);
    }),
  ),
}));

/** All nodes from one on, within its body. */
function nodesFrom(first: ProgramNode | null): Set<ProgramNode> {
  const found = new Set<ProgramNode>();
  const visit = (node: ProgramNode | null): void => {
    if (node === null || found.has(node)) return;
    found.add(node);
    visit(node.next);
    if (node.type === 'choice') node.branches.forEach(visit);
    if (node.type === 'loop') visit(node.body);
  };
  visit(first);
  return found;
}

/** What a node does, without what follows. */
function meaning(node: ProgramNode): string {
  const own = {
    character: () => node.type === 'character' && node.set.ranges,
    call: () => node.type === 'call' && node.rule,
    choice: () => node.type === 'choice' && node.branches.map((each) => each?.index ?? null),
    loop: () => node.type === 'loop' && [node.body?.index ?? null, node.min, node.max],
  };
  return JSON.stringify([node.type, own[node.type](), node.next?.index ?? null]);
}

test('rules that say the same have the same nodes, and others have other nodes', () => {
  fc.assert(
    fc.property(fc.array(make, { minLength: 1, maxLength: 5 }), (makes) => {
      const rules = makes.flatMap((each, index): [string, Expression][] => [
        [`r${index}`, each()],
        [`again${index}`, each()],
      ]);
      const program = new Program(new Map(rules));
      const all = new Set<ProgramNode>();
      for (const index of makes.keys()) {
        const body = program.body(`r${index}`);
        expect(program.body(`again${index}`)).toBe(body);
        for (const node of nodesFrom(body)) all.add(node);
      }
      const indexes = new Set(Array.from(all, ({ index }) => index));
      expect(indexes.size).toBe(all.size);
      expect(indexes.has(0)).toBe(false);
      expect(new Set(Array.from(all, meaning)).size).toBe(all.size);
    }),
    { numRuns: 200 },
  );
});

test('a class is a node that matches its characters, whichever classes and texts were there before', () => {
  const ranges = fc.subarray<readonly [number, number]>(
    [
      [0x61, 0x61],
      [0x63, 0x65],
      [0x7a, 0x7a],
      [0xe9, 0xe9],
      [0x1f600, 0x1f64f],
    ],
    { minLength: 1 },
  );
  fc.assert(
    fc.property(fc.array(ranges, { minLength: 1, maxLength: 6 }), (classes) => {
      const rules = classes.map((each, index): [string, Expression] => [
        `r${index}`,
        characterClass(...each),
      ]);
      const program = new Program(new Map([['first', literal('az')], ...rules]));
      program.body('first');
      for (const [index, each] of classes.entries()) {
        expect(program.body(`r${index}`)).toMatchObject({ type: 'character', set: { ranges: each } });
      }
    }),
  );
});

test('a part that something follows has another node than one that ends its rule', () => {
  fc.assert(
    fc.property(make, fc.constantFrom('a', 'é'), (part, following) => {
      const rules: [string, Expression][] = [
        ['following', literal(following)],
        ['alone', sequence(literal('b'), part())],
        ['followed', sequence(literal('b'), part(), literal(following))],
        ['r0', part()],
        ['r0 followed', sequence(part(), literal(following))],
      ];
      // Each body is compiled when it is asked for: the node of what follows is the first of all.
      const program = new Program(new Map(rules));
      const bodies = rules.map(([name]) => program.body(name));
      expect(bodies[2]).not.toBe(bodies[1]);
      expect(bodies[4]).not.toBe(bodies[3]);
    }),
  );
});

/** The characters of a body that is one literal. */
function charactersOf(program: Program, name: string): number[] {
  const codes: number[] = [];
  for (let node = program.body(name); node !== null; node = node.next) {
    if (node.type === 'character') codes.push(node.set.only);
  }
  return codes;
}

function expectRead(text: string): void {
  const program = new Program(new Map([['root', literal(text)]]));
  finish(program.prepare());
  const expected = Array.from(text, (char) => char.codePointAt(0) ?? 0);
  expect(charactersOf(program, 'root').join() === expected.join()).toBe(true);
}

describe('prepared rules', () => {
  const unit = fc.constantFrom('a', 'é', '😀', '\u{10000}', '\uffff');
  // From 24,500 characters on, a literal is a large rule.
  const longText = fc
    .tuple(fc.array(unit, { minLength: 1, maxLength: 5, size: 'max' }), unit)
    .map(([units, last]) => units.join('').repeat(26_000) + last);

  it('read the characters of a long text, whole and in order', () => {
    fc.assert(fc.property(longText, expectRead), { numRuns: 5 });
  });

  it.each([
    ['text of whole characters', '😀'.repeat(26_000)],
    ['text of which every step begins within a character', `${'😀'.repeat(26_000)}a`],
    ['text of the last character that is one unit', `${'\uffff'.repeat(26_000)}a`],
  ])('read a %s', (_, text) => expectRead(text));

  it('have the nodes that they have when they are entered first', () => {
    const names = Array.from({ length: 600 }, (_, index) => literal(`tool${index}`));
    const large = choice(
      ...names,
      sequence(characterClass([0x61, 0x7a]), choice(literal('x'), literal('y'))),
    );
    // Small enough to be compiled at once: what the large rule is made of, one by one.
    const rules = new Map<string, Expression>([['large', large]]);
    for (const [index, each] of names.entries()) rules.set(`small${index}`, each);
    const program = new Program(rules);
    finish(program.prepare());
    const body = program.body('large');
    const branches = body?.type === 'choice' ? body.branches : [];
    expect(branches).toHaveLength(601);
    for (const index of names.keys()) expect(branches[index]).toBe(program.body(`small${index}`));
  });

  it.each([
    ['of 500 parts are compiled when they are entered', 487, true],
    ['of one part more are compiled ahead', 488, false],
  ])('%s', (_, count, isLater) => {
    // A rule counts for ten, a sequence and each class for one, and a text of fifty characters for two.
    const classes = Array.from({ length: count }, () => characterClass([0x61, 0x62]));
    const program = new Program(new Map([['root', sequence(literal('a'.repeat(50)), ...classes)]]));
    expect(program.prepare().next().done).toBe(isLater);
  });
});

it('a repetition is counted up to the limit, and refused beyond it', () => {
  const bodyOf = (min: number, max: number | null) =>
    new Program(new Map([['root', repeat(literal('a'), min, max)]])).body('root');
  expect(bodyOf(0, countLimit - 1)).toMatchObject({ max: countLimit - 1 });
  expect(bodyOf(countLimit - 1, null)).toMatchObject({ min: countLimit - 1 });
  expect(() => bodyOf(0, countLimit)).toThrow(GrammarError);
  expect(() => bodyOf(countLimit, null)).toThrow(GrammarError);
});
