/** Every combination that a covering array promises occurs in one of its rows, and none that is forbidden. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../scripts/toy/random.ts';
import { coveringArray, type Dimensions, type RowOf } from '../support/covering/covering-array.ts';

type Row = RowOf<Dimensions>;

/** Up to five dimensions of up to five values. */
const someDimensions = fc
  .array(fc.integer({ min: 1, max: 5 }), { minLength: 3, maxLength: 5 })
  .map((sizes) =>
    Object.fromEntries(
      sizes.map((size, index) => [`d${index}`, Array.from({ length: size }, (_, value) => `v${value}`)]),
    ),
  );

const someValue = fc.tuple(fc.nat({ max: 4 }), fc.nat({ max: 4 }));

/** Pairs of values that do not go together. */
const somePairs = fc.array(fc.tuple(someValue, someValue), { maxLength: 6 });

/** All rows, by the definition. */
function everyRow(dimensions: Dimensions): readonly Row[] {
  return Object.entries(dimensions).reduce<readonly Row[]>(
    (rows, [name, values]) => rows.flatMap((row) => values.map((value) => ({ ...row, [name]: value }))),
    [{}],
  );
}

/** The combinations of a row in every two dimensions, and in every three of `triples`. */
function combinations(row: Row, triples: readonly string[]): readonly string[] {
  const names = Object.keys(row);
  const found: string[] = [];
  for (const [index, one] of names.entries())
    for (const [at, two] of names.entries()) {
      if (at <= index) continue;
      found.push(`${one}=${row[one]} ${two}=${row[two]}`);
      for (const three of names.slice(at + 1))
        if ([one, two, three].every((name) => triples.includes(name)))
          found.push(`${one}=${row[one]} ${two}=${row[two]} ${three}=${row[three]}`);
    }
  return found;
}

describe('a covering array', () => {
  it('has every combination that an allowed row has, and allowed rows only', () => {
    fc.assert(
      fc.property(someDimensions, somePairs, fc.boolean(), fc.nat(), (dimensions, pairs, named, seed) => {
        const allows = (row: Partial<Row>): boolean =>
          !pairs.some(([one, two]) => [one, two].every(([name, value]) => row[`d${name}`] === `v${value}`));
        const triples = named ? ['d0', 'd1', 'd2'] : [];
        const rows = coveringArray({ dimensions, allows, triples, random: new Random(seed) });
        expect(rows.every(allows)).toBe(true);
        const covered = new Set(rows.flatMap((row) => combinations(row, triples)));
        const possible = everyRow(dimensions).filter(allows);
        expect(covered).toEqual(new Set(possible.flatMap((row) => combinations(row, triples))));
      }),
      { numRuns: 100 },
    );
  });

  it('is not much longer than it has to be, and the same for the same seed', () => {
    const dimensions = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`d${index}`, ['a', 'b', 'c', 'd']]),
    );
    const build = () => coveringArray({ dimensions, allows: () => true, random: new Random(7) });
    expect(build()).toEqual(build());
    // Two dimensions need 16 rows by themselves; published arrays of ten have 24 and more.
    expect(build().length).toBeLessThan(36);
  });
});
