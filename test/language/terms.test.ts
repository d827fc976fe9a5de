/** Laws of terms: they have the short texts that sets of texts with the same operators have. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { BudgetExceeded, StepBudget } from '../../src/language/expression/budget.ts';
import { allCharacters, type CharacterSet, charactersOf } from '../../src/language/regular/character-set.ts';
import { excludedWords, listedWords, type Term, Terms } from '../../src/language/regular/terms.ts';

const longest = 4;
/** All texts of `a`, `b` and `é` of up to four characters. */
const allTexts = (() => {
  const texts = [''];
  for (const text of texts)
    if (text.length < longest) texts.push(...['a', 'b', 'é'].map((char) => text + char));
  return texts;
})();

type Texts = ReadonlySet<string>;
const none: Texts = new Set();
const onlyEmpty: Texts = new Set(['']);

function joined(one: Texts, other: Texts): Texts {
  return new Set(
    [...one].flatMap((a) => [...other].map((b) => a + b)).filter(({ length }) => length <= longest),
  );
}

function repeated(texts: Texts, min: number, max: number | null): Texts {
  const all = new Set<string>();
  let now = onlyEmpty;
  // Further repetitions add no short text: each that adds something is a character longer.
  for (let count = 0; count <= (max ?? min + longest); count += 1) {
    if (count >= min) for (const text of now) all.add(text);
    now = joined(now, texts);
  }
  return all;
}

/** How a term is made, and the short texts that it has. */
interface Both {
  readonly make: (terms: Terms) => Term;
  readonly texts: Texts;
}

const count = { minLength: 1, maxLength: 3 };
const { both } = fc.letrec<{ both: Both }>((tie) => ({
  both: fc.oneof(
    { maxDepth: 4 },
    fc.uniqueArray(fc.constantFrom('a', 'b', 'é'), count).map((chars): Both => {
      return { make: (terms) => terms.set(charactersOf(chars.join(''))), texts: new Set(chars) };
    }),
    fc.constantFrom('', 'a', 'ab', 'éa').map((text): Both => {
      return { make: (terms) => terms.text(text), texts: new Set([text]) };
    }),
    fc.uniqueArray(fc.constantFrom('', 'a', 'ab', 'aé', 'b', 'bb'), { maxLength: 4 }).map((words): Both => {
      return { make: (terms) => terms.words(words), texts: new Set(words) };
    }),
    fc.constantFrom<Both>(
      { make: (terms) => terms.nothing, texts: none },
      { make: (terms) => terms.everything, texts: new Set(allTexts) },
    ),
    fc.array(tie('both'), count).map(
      (all): Both => ({
        make: (terms) => terms.sequence(...all.map(({ make }) => make(terms))),
        texts: all.map(({ texts }) => texts).reduce(joined, onlyEmpty),
      }),
    ),
    fc.array(tie('both'), count).map(
      (all): Both => ({
        make: (terms) => terms.or(...all.map(({ make }) => make(terms))),
        texts: new Set(all.flatMap(({ texts }) => [...texts])),
      }),
    ),
    fc.array(tie('both'), count).map(
      (all): Both => ({
        make: (terms) => terms.and(...all.map(({ make }) => make(terms))),
        texts: new Set(allTexts.filter((text) => all.every(({ texts }) => texts.has(text)))),
      }),
    ),
    tie('both').map(
      ({ make, texts }): Both => ({
        make: (terms) => terms.not(make(terms)),
        texts: new Set(allTexts.filter((text) => !texts.has(text))),
      }),
    ),
    fc.tuple(tie('both'), fc.nat(2), fc.option(fc.nat(2))).map(([{ make, texts }, min, more]): Both => {
      const max = more === null ? null : min + more;
      return { make: (terms) => terms.loop(make(terms), min, max), texts: repeated(texts, min, max) };
    }),
  ),
}));

test('a term has the texts that its parts say, and says at once whether the empty one is among them', () => {
  fc.assert(
    fc.property(both, ({ make, texts }) => {
      const terms = new Terms(new StepBudget(1_000_000));
      const term = make(terms);
      expect(term.nullable).toBe(texts.has(''));
      expect(allTexts.filter((text) => terms.matches(term, text) !== texts.has(text))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test('terms of the same parts differ by what is asked of them', () => {
  fc.assert(
    fc.property(both, both, (one, other) => {
      const terms = new Terms(new StepBudget(1_000_000));
      const [a, b] = [one.make(terms), other.make(terms)];
      const found = (term: Term) => allTexts.filter((text) => terms.matches(term, text));
      const has = (text: string) => [one.texts.has(text), other.texts.has(text)];
      expect(found(terms.or(a, b))).toEqual(allTexts.filter((text) => has(text).includes(true)));
      expect(found(terms.and(a, b))).toEqual(allTexts.filter((text) => !has(text).includes(false)));
      expect(found(terms.and(a, terms.not(b)))).toEqual(
        allTexts.filter((text) => one.texts.has(text) && !other.texts.has(text)),
      );
    }),
  );
});

test('a term made twice is the same object, and its transitions are found once', () => {
  fc.assert(
    fc.property(both, ({ make }) => {
      const budget = new StepBudget(1_000_000);
      const terms = new Terms(budget);
      const term = make(terms);
      expect(make(terms)).toBe(term);
      const made = terms.transitions(term);
      const { spent } = budget;
      expect(terms.transitions(term)).toBe(made);
      expect(budget.spent).toBe(spent);
    }),
  );
});

test('each character has one transition', () => {
  fc.assert(
    fc.property(both, ({ make }) => {
      const terms = new Terms(new StepBudget(1_000_000));
      const found = terms.transitions(make(terms)).flatMap(([set]) => set);
      const sorted = found.toSorted(([a], [b]) => a - b);
      for (const [index, [first]] of sorted.entries()) {
        expect(first).toBeGreaterThan(sorted[index - 1]?.[1] ?? -1);
      }
      const size = (set: CharacterSet) => set.reduce((sum, [first, last]) => sum + last + 1 - first, 0);
      expect(size(found)).toBe(size(allCharacters));
    }),
  );
});

describe('terms that say nothing more than one of their parts', () => {
  it('are that part', () => {
    fc.assert(
      fc.property(both, ({ make }) => {
        const terms = new Terms(new StepBudget(1_000_000));
        const term = make(terms);
        const { nothing, epsilon, everything } = terms;
        expect(terms.loop(term, 1, 1)).toBe(term);
        expect(terms.not(terms.not(term))).toBe(term);
        expect([terms.or(term, nothing, term), terms.and(everything, term, term)]).toEqual([term, term]);
        expect([terms.sequence(nothing, term), terms.sequence(term, nothing)]).toEqual([nothing, nothing]);
        expect([terms.sequence(epsilon, term), terms.sequence(term, epsilon)]).toEqual([term, term]);
        const word = terms.text('ab');
        expect([terms.or(word, terms.not(word)), terms.and(word, terms.not(word))]).toEqual([
          everything,
          nothing,
        ]);
        if (term.nullable && term !== epsilon) {
          const others = [terms.text('ab'), terms.text('ba')];
          expect(terms.or(term, ...others, epsilon)).toBe(terms.or(term, ...others));
        }
      }),
    );
  });

  it('are the empty text where that is repeated', () => {
    const terms = new Terms(new StepBudget(1000));
    for (const [min, max] of [
      [0, 5],
      [3, null],
      [2, 2],
    ] as const) {
      expect(terms.loop(terms.epsilon, min, max)).toBe(terms.epsilon);
    }
  });
});

test('a list of words can be read off its term, and what is not in a list off that', () => {
  const terms = new Terms(new StepBudget(1000));
  const words = terms.words(['b', 'a', 'b']);
  expect([listedWords(words), excludedWords(words)]).toEqual([['a', 'b'], null]);
  expect([listedWords(terms.not(words)), excludedWords(terms.not(words))]).toEqual([null, ['a', 'b']]);
  const rest = terms.transitions(words).find(([set]) => set[0]?.[0] === 0x61)?.[1] ?? words;
  expect([listedWords(rest), excludedWords(terms.not(rest))]).toEqual([null, null]);
});

test.each([
  ['4,000 different characters in one place are allowed', 3_999, false],
  ['one more is refused', 4_000, true],
])('%s', (_, characters, isRefused) => {
  // Each character leads to another term, and all others to nothing.
  const budget = new StepBudget(10_000_000);
  const terms = new Terms(budget);
  const term = terms.words(
    Array.from({ length: characters }, (_each, index) => {
      return `${String.fromCodePoint(0x4e00 + index)}${index}`;
    }),
  );
  const find = () => terms.transitions(term);
  if (isRefused) expect(find).toThrow(BudgetExceeded);
  else expect(find()).toHaveLength(4_000);
});
