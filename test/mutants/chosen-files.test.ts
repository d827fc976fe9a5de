import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { centralCount, centralSources, shardOf, type Weighed } from '../../scripts/mutants/chosen-files.ts';

/** Sources of a few rooms, of any size. */
const someSources = fc
  .array(fc.tuple(fc.nat({ max: 6 }), fc.nat({ max: 9 }), fc.nat({ max: 60 })), { maxLength: 120 })
  .map((drawn) =>
    drawn.map(
      ([room, importers, mutants], at): Weighed => ({
        ...{ file: `src/r${room}/f${at}.ts`, room: `r${room}`, importers, mutants },
      }),
    ),
  );

const weight = ({ importers, mutants }: Weighed): number => importers * mutants;

describe('the central sources', () => {
  it('are forty of those with 25 mutants or more, or all of them', () => {
    fc.assert(
      fc.property(someSources, (sources) => {
        const large = sources.filter(({ mutants }) => mutants >= 25).map(({ file }) => file);
        const chosen = centralSources(sources);
        expect(new Set(chosen).size).toBe(Math.min(centralCount, large.length));
        expect(large).toEqual(expect.arrayContaining([...chosen]));
      }),
    );
  });

  it('have a file of every room, and none that weighs less than one left out, but for the only one of its room', () => {
    fc.assert(
      fc.property(someSources, (sources) => {
        const large = sources.filter(({ mutants }) => mutants >= 25);
        const chosen = new Set(centralSources(sources));
        const within = large.filter(({ file }) => chosen.has(file));
        expect(new Set(within.map(({ room }) => room))).toEqual(new Set(large.map(({ room }) => room)));
        const heaviest = Math.max(0, ...large.filter(({ file }) => !chosen.has(file)).map(weight));
        for (const each of within.filter((one) => weight(one) < heaviest))
          expect(within.filter(({ room }) => room === each.room)).toEqual([each]);
      }),
    );
  });

  it('are the same in any order', () => {
    fc.assert(
      fc.property(someSources, (sources) => {
        expect(centralSources([...sources].reverse())).toEqual(centralSources(sources));
      }),
    );
  });
});

it('the shards of files are parts that have each of them once', () => {
  fc.assert(
    fc.property(fc.nat({ max: 30 }), fc.integer({ min: 1, max: 9 }), (count, parts) => {
      const files = Array.from({ length: count }, (_, at) => `f${at}`);
      const shards = Array.from({ length: parts }, (_, part) => shardOf(files, `${part + 1}/${parts}`));
      expect(shards.flat().sort()).toEqual([...files].sort());
    }),
  );
});
