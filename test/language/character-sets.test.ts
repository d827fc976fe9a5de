/** Laws of classes and sets of characters: each is what its name says of every character, and has one form. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CodePointRange,
  characterClass,
  empty,
  exceptCharacters,
  literal,
  maxCodePoint,
  optional,
  repeat,
  sequence,
  until,
  untilOrEnd,
  without,
} from '../../src/language/expression/expression.ts';
import {
  allCharacters,
  type CharacterSet,
  characterSet,
  charactersOf,
  combinePartitions,
  complementSet,
  intersectSets,
  mapPartition,
  setHas,
  setKey,
  setsIntersect,
  subtractSets,
  uniteSets,
} from '../../src/language/regular/character-set.ts';

const numRuns = process.env.LAWS === 'long' ? 20_000 : 120;

/** Characters at every border: those that follow one another, NUL, the end of ASCII, the surrogates, the last one. */
const points = [
  ...Array.from({ length: 10 }, (_, at) => at),
  ...[0x7e, 0x7f, 0x80, 0x81, 0xd7fe, 0xd7ff, 0xd800, 0xdbff, 0xdffe, 0xdfff, 0xe000, 0xe001],
  ...[maxCodePoint - 2, maxCodePoint - 1, maxCodePoint],
];
const isCharacter = (point: number): boolean => point > 0 && (point < 0xd800 || point > 0xdfff);
const characters = points.filter(isCharacter);

const range = fc
  .tuple(fc.constantFrom(...points), fc.constantFrom(...points))
  .map(([one, other]): CodePointRange => [Math.min(one, other), Math.max(one, other)]);
const short = fc
  .tuple(fc.constantFrom(...points), fc.nat(1))
  .map(([from, more]): CodePointRange => [from, Math.min(from + more, maxCodePoint)]);
const ranges = fc.array(fc.oneof(short, short, range), { maxLength: 6 });

const isIn = (given: readonly CodePointRange[], point: number): boolean =>
  given.some(([from, to]) => from <= point && point <= to);

/** The characters of a set among those that are looked at; its form has to be the one form. */
function membersOf(set: CharacterSet): readonly number[] {
  for (const [index, [from, to]] of set.entries()) {
    expect([from <= to, isCharacter(from), isCharacter(to)]).toEqual([true, true, true]);
    expect(from < 0xd800 && to > 0xdfff, 'over the surrogates').toBe(false);
    expect(from, `${set.join('|')}`).toBeGreaterThan((set[index - 1]?.[1] ?? -1) + 1);
  }
  return points.filter((point) => isIn(set, point));
}

function forAll(law: (a: readonly CodePointRange[], b: readonly CodePointRange[]) => void): void {
  fc.assert(fc.property(ranges, ranges, law), { numRuns });
}

describe('a class of characters', () => {
  it('has the characters of its ranges, but NUL and surrogates', () => {
    forAll((a) => {
      expect(membersOf(characterClass(...a).ranges)).toEqual(characters.filter((point) => isIn(a, point)));
    });
  });

  it('of exceptions has all others', () => {
    forAll((a) => {
      const others = characters.filter((point) => !isIn(a, point));
      expect(membersOf(exceptCharacters(...a).ranges)).toEqual(others);
    });
  });

  it('that is repeated no times is the empty text, and once it is itself', () => {
    const digit = characterClass([0x30, 0x39]);
    expect([repeat(digit, 0, 0), literal('')]).toEqual([empty, empty]);
    expect(repeat(digit, 1, 1)).toBe(digit);
  });
});

describe('an expression', () => {
  const letter = characterClass([0x61, 0x7a]);

  it('of texts one after the other is that of all of them, however they are grouped', () => {
    const texts = fc.array(fc.constantFrom('', 'a', 'bc'), { maxLength: 5 });
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        const [first, second] = [one.map(literal), other.map(literal)];
        expect(sequence(...first, ...second)).toEqual(literal([...one, ...other].join('')));
        expect(sequence(sequence(...first), letter, sequence(...second))).toEqual(
          sequence(...first, letter, ...second),
        );
      }),
      { numRuns },
    );
  });

  it('that may be left out is there once at most, and an end is free only where it is said', () => {
    expect(optional(letter)).toEqual(repeat(letter, 0, 1));
    expect([until().mayEnd, untilOrEnd().mayEnd, without('a').mayEnd]).toEqual([false, true, true]);
  });
});

describe('a set of characters', () => {
  it('is united, cut and subtracted as sets are', () => {
    forAll((a, b) => {
      const [left, right] = [characterSet(...a), characterSet(...b)];
      const where = (test: (inA: boolean, inB: boolean) => boolean) =>
        characters.filter((point) => test(isIn(a, point), isIn(b, point)));
      const common = where((inA, inB) => inA && inB);
      expect(membersOf(uniteSets(left, right))).toEqual(where((inA, inB) => inA || inB));
      expect(membersOf(intersectSets(left, right))).toEqual(common);
      expect(membersOf(subtractSets(left, right))).toEqual(where((inA, inB) => inA && !inB));
      expect(membersOf(complementSet(left))).toEqual(where((inA) => !inA));
      expect(setsIntersect(left, right)).toBe(intersectSets(left, right).length > 0);
      if (common.length > 0) expect(setsIntersect(left, right)).toBe(true);
    });
  });

  it('has its characters, and a key that no other set has', () => {
    forAll((a, b) => {
      const [left, right] = [characterSet(...a), characterSet(...b)];
      expect(points.filter((point) => setHas(left, point))).toEqual(membersOf(left));
      expect(setKey(left) === setKey(right)).toBe(JSON.stringify(left) === JSON.stringify(right));
      expect(setKey(left)).toBe(setKey(characterSet(...a)));
    });
  });

  it('is made of all characters, of none, and of those of a text', () => {
    expect(membersOf(allCharacters)).toEqual(characters);
    expect(membersOf(characterSet())).toEqual([]);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...points), { maxLength: 4 }), (list) => {
        const text = list.map((point) => `${String.fromCodePoint(point)}`).join('');
        const given = Array.from(text, (each) => each.codePointAt(0));
        const wanted = characters.filter((point) => given.includes(point));
        expect(membersOf(charactersOf(text))).toEqual(wanted);
      }),
      { numRuns },
    );
  });
});

describe('a partition of the characters', () => {
  const partition = ranges.map((given) => {
    const inside = characterSet(...given);
    return [
      [inside, 1],
      [complementSet(inside), 0],
    ] as const;
  });

  it('combined with another one or changed has one outcome for each character, each outcome once', () => {
    fc.assert(
      fc.property(partition, partition, partition, (a, b, c) => {
        const sum = (one: number, other: number) => one + other;
        const two = combinePartitions(a, b, sum, String);
        const three = combinePartitions(two, c, sum, String);
        const odd = mapPartition(three, (count) => count % 2, String);
        for (const point of characters) {
          const count = [a, b, c].filter(([[inside]]) => setHas(inside, point)).length;
          expect(three.filter(([set]) => setHas(set, point)).map(([, outcome]) => outcome)).toEqual([count]);
          expect(odd.filter(([set]) => setHas(set, point)).map(([, outcome]) => outcome)).toEqual([
            count % 2,
          ]);
        }
        for (const each of [two, three, odd]) {
          expect(new Set(each.map(([, outcome]) => outcome)).size).toBe(each.length);
          for (const [set] of each) membersOf(set);
        }
      }),
      { numRuns },
    );
  });
});
