/** Random grammars and texts near them, for the laws that every back end must obey. */
import fc from 'fast-check';
import { GrammarError } from '../../src/format/errors.ts';
import {
  characterClass,
  choice,
  type Expression,
  exceptCharacters,
  type Grammar,
  literal,
  repeat,
  rule,
  sequence,
  until,
  untilOrEnd,
} from '../../src/language/expression/expression.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';

/** Characters of one, two, three and four bytes, and those of the delimiters. */
const alphabet = ['a', 'b', 'c', '<', '>', 'é', '\n', '€', '😀'];
/** Delimiters that overlap themselves or each other; none contains another. */
const delimiterSets = [['aab'], ['abab'], ['<b>', '</b>'], ['ab', 'bc'], ['é<', '€a'], ['aa', 'ab<']];
const ruleNames = ['root', 'left', 'right'];

const character = fc.constantFrom(...alphabet);
const shortText = fc.string({ unit: character, maxLength: 3 });

const someClass = fc
  .tuple(fc.uniqueArray(character, { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([chars, negated]) => {
    const ranges = chars.map((char): [number, number] => [
      char.codePointAt(0) ?? 0,
      char.codePointAt(0) ?? 0,
    ]);
    return negated ? exceptCharacters(...ranges) : characterClass(...ranges);
  });

const { expression } = fc.letrec<{ expression: Expression }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    shortText.map(literal),
    someClass,
    fc.constantFrom(...ruleNames).map(rule),
    fc.array(tie('expression'), { minLength: 2, maxLength: 3 }).map((items) => sequence(...items)),
    fc.array(tie('expression'), { minLength: 2, maxLength: 3 }).map((each) => choice(...each)),
    decidedChoice(tie('expression')),
    fc
      .tuple(character, tie('expression'), fc.nat(3), fc.option(fc.nat(3)))
      .map(([char, item, min, more]) =>
        repeat(sequence(literal(char), item), min, more === null ? null : min + more),
      ),
    fc.tuple(tie('expression'), fc.nat(2)).map(([item, min]) => repeat(item, min)),
    someUntil(tie('expression')),
  ),
}));

/** Alternatives that begin with different characters. */
function decidedChoice(inner: fc.Arbitrary<Expression>): fc.Arbitrary<Expression> {
  return fc
    .tuple(
      fc.uniqueArray(character, { minLength: 2, maxLength: 3 }),
      fc.array(inner, { minLength: 3, maxLength: 3 }),
    )
    .map(([chars, rests]) =>
      choice(...chars.map((char, index) => sequence(literal(char), rests[index] ?? literal('')))),
    );
}

function someUntil(inner: fc.Arbitrary<Expression>): fc.Arbitrary<Expression> {
  return fc
    .tuple(
      fc.constantFrom(...delimiterSets),
      fc.array(fc.option(inner), { minLength: 2, maxLength: 2 }),
      fc.boolean(),
    )
    .map(([delimiters, nexts, mayEnd]) => {
      const branches = delimiters.map((delimiter, index) => ({ delimiter, next: nexts[index] ?? null }));
      return mayEnd ? untilOrEnd(...branches) : until(...branches);
    });
}

/** Grammars of three rules that may refer to each other in any way. */
export const anyGrammar: fc.Arbitrary<Grammar> = fc
  .tuple(expression, expression, expression)
  .map((bodies) => ({
    root: 'root',
    rules: new Map(ruleNames.map((name, index) => [name, bodies[index] ?? literal('')])),
  }));

/** What the matcher says of a text; `undefined` when the grammar is too ambiguous to go on. */
export function verdict(grammar: Grammar, text: string): boolean | undefined {
  const matcher = createMatcher(grammar, { maxStacks: 30 });
  try {
    return matcher.accept(text) && matcher.complete;
  } catch (error) {
    if (error instanceof GrammarError) return undefined;
    throw error;
  }
}

/** Texts that the grammar derives or nearly derives, and some of the same characters at random. */
export function textsNear(grammar: Grammar, seed: number, count: number): string[] {
  const random = randomNumbers(seed);
  return Array.from({ length: count }, (_, index) => {
    if (index % 3 === 2) return randomText(random, 8);
    const text = derive(grammar, { type: 'rule', name: grammar.root }, random);
    return index % 3 === 0 ? text : mutate(text, random);
  });
}

type Random = (below: number) => number;

/** Numbers from 0 up to, not including, `below` (Park and Miller's generator). */
function randomNumbers(seed: number): Random {
  let state = (seed % 2147483646) + 1;
  return (below) => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
}

/** Expressions that a derivation enters before it takes shortcuts. */
const derivationBudget = 60;

/** A text of the grammar, or when that gets long something near one. */
export function derive(grammar: Grammar, start: Expression, random: Random): string {
  let budget = derivationBudget;
  const all = (items: readonly Expression[]): string => items.map(one).join('');
  const one = (from: Expression): string => {
    budget -= 1;
    if (budget <= 0) return '';
    switch (from.type) {
      case 'literal':
        return from.text;
      case 'class':
        return someOf(from.ranges, random);
      case 'sequence':
        return all(from.items);
      case 'choice':
        return all(from.alternatives.slice(random(from.alternatives.length)).slice(0, 1));
      case 'repeat':
        return all(Array.from({ length: someCount(from.min, from.max, random) }, () => from.item));
      case 'until': {
        const branch = from.branches[random(from.branches.length)];
        if (branch === undefined || (from.mayEnd && random(2) === 0)) return randomText(random, 4);
        return randomText(random, 4) + branch.delimiter + all(branch.next === null ? [] : [branch.next]);
      }
      case 'rule':
        return one(grammar.rules.get(from.name) ?? literal(''));
    }
  };
  return one(start);
}

function someCount(min: number, max: number | null, random: Random): number {
  const most = Math.min(max ?? min + 3, min + 3);
  return min + random(most - min + 1);
}

function someOf(ranges: readonly (readonly [number, number])[], random: Random): string {
  const likely = alphabet.filter((char) =>
    ranges.some(([from, to]) => from <= (char.codePointAt(0) ?? 0) && (char.codePointAt(0) ?? 0) <= to),
  );
  return likely[random(likely.length)] ?? String.fromCodePoint(ranges[0]?.[0] ?? 0x61);
}

function randomText(random: Random, longest: number): string {
  return Array.from({ length: random(longest + 1) }, () => alphabet[random(alphabet.length)] ?? '').join('');
}

/** One character dropped, doubled, or replaced. */
function mutate(text: string, random: Random): string {
  const chars = Array.from(text);
  const place = random(chars.length + 1);
  const change = [[], [chars[place] ?? 'a', chars[place] ?? 'b'], [alphabet[random(alphabet.length)] ?? 'a']];
  chars.splice(place, 1, ...(change[random(3)] ?? []));
  return chars.join('');
}
