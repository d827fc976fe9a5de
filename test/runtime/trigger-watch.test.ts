/** When a lazy grammar starts: each trigger is found once, however the text is cut, and counts only in the answer. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ResponseEvent } from '../../src/parser/events.ts';
import type { ParserPosition } from '../../src/parser/response-parser.ts';
import { type FoundTrigger, TriggerWatch } from '../../src/runtime/chat/steering/trigger-watch.ts';

interface Piece {
  readonly text: string;
  readonly special: boolean;
}

const noMarkers = { leading: () => undefined };

function watchOf(...words: readonly string[]): TriggerWatch {
  return new TriggerWatch(
    words.map((value) => ({ type: 'word', value })),
    noMarkers,
  );
}

/** All triggers that are found in the pieces, of which the first stands at `start`. */
function foundIn(watch: TriggerWatch, pieces: readonly Piece[], start = 0): readonly FoundTrigger[] {
  const all: FoundTrigger[] = [];
  let place = start;
  for (const { text, special } of pieces) {
    watch.append(text, special);
    for (let found = watch.find(place); found !== null; found = watch.find(found.end)) all.push(found);
    place += text.length;
  }
  return all;
}

function piecesOf(...texts: readonly string[]): readonly Piece[] {
  return texts.map((text) => ({ text, special: false }));
}

describe('triggers that are words', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '<'), minLength: 1, maxLength: 3 });
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '<'), minLength: 1, maxLength: 6 });
  const pieces = fc.array(fc.record({ text, special: fc.boolean() }), { maxLength: 6 });
  const words = fc.uniqueArray(fc.record({ value: word, isMarker: fc.boolean() }), {
    selector: ({ value }) => value,
    minLength: 1,
    maxLength: 4,
  });

  it('are found at each of their ends, the longest of those that end together', () => {
    fc.assert(
      fc.property(words, pieces, pieces, (words, before, after) => {
        const markers = new Set(words.filter(({ isMarker }) => isMarker).map(({ value }) => value));
        const watch = new TriggerWatch(
          words.map(({ value }) => ({ type: 'word', value })),
          { leading: (text) => (markers.has(text) ? {} : undefined) },
        );
        const resumed = before.map((piece) => piece.text).join('').length;
        expect(foundIn(watch, before)).toEqual(endsIn(before, 0));
        watch.resumeAt(resumed);
        expect(foundIn(watch, after, resumed)).toEqual(endsIn(after, resumed));

        function endsIn(pieces: readonly Piece[], offset: number): readonly FoundTrigger[] {
          const whole = pieces.map((piece) => piece.text).join('');
          const specials = new Set<number>();
          let length = 0;
          for (const { text, special } of pieces) {
            if (special) specials.add(length);
            length += text.length;
          }
          return Array.from(whole, (_, index) => index + 1).flatMap((end) => {
            const starts = words
              .filter(({ value }) => whole.slice(0, end).endsWith(value))
              .filter(({ value, isMarker }) => !isMarker || specials.has(end - value.length))
              .map(({ value }) => end - value.length);
            const [start] = starts.sort((one, other) => one - other);
            return start === undefined ? [] : [{ start: offset + start, end: offset + end }];
          });
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([4095, 4096, 4097, 8187, 8190, 8191, 8192, 8193, 20_000])(
    'are found across pieces after %i units, in which none is found',
    (units) => {
      for (const [head, tail] of [
        ['<to', 'ol>'],
        ['<', 'tool>'],
        ['<tool', '>'],
      ] as const) {
        const found = foundIn(watchOf('<tool>'), piecesOf('x'.repeat(units), head, tail, '.', '.'));
        expect(found).toEqual([{ start: units, end: units + 6 }]);
      }
    },
  );

  it('are found at the start of a piece of any length', () => {
    const marked = { text: `<tool>${'x'.repeat(9000)}`, special: true };
    const watch = new TriggerWatch([{ type: 'word', value: '<tool>' }], { leading: () => ({}) });
    expect(foundIn(watch, [...piecesOf('abc'), marked])).toEqual([{ start: 3, end: 9 }]);
  });
});

describe('a trigger that is a pattern', () => {
  const watch = () => new TriggerWatch([{ type: 'pattern', value: '^\\s*(go)' }], noMarkers);

  it('is found once, however the text is cut', () => {
    for (const pieces of [[' go on go'], [' ', 'g', 'o', ' on go'], [' g', 'o on', ' go']])
      expect(foundIn(watch(), piecesOf(...pieces))).toEqual([{ start: 1, end: 3 }]);
    expect(foundIn(watch(), piecesOf('a go', ' go'))).toEqual([]);
  });

  it('is looked for in what follows the place from which triggers count', () => {
    const resumed = watch();
    expect(foundIn(resumed, piecesOf('a'))).toEqual([]);
    resumed.resumeAt(7);
    expect(foundIn(resumed, piecesOf(' go'), 7)).toEqual([{ start: 8, end: 10 }]);
  });

  it.each([
    [8190, true],
    [8191, true],
    [8192, false],
    [8193, false],
  ])('is looked for in an answer of up to 8191 units: one of %i', (units, isFound) => {
    const blanks = ' '.repeat(units - 2);
    const found = isFound ? [{ start: units - 2, end: units }] : [];
    expect(foundIn(watch(), piecesOf(blanks, 'go'))).toEqual(found);
  });

  it('comes after a word that ends before it', () => {
    const triggers = [
      { type: 'pattern', value: '^\\s*(go)' },
      { type: 'word', value: 'g' },
    ] as const;
    for (const order of [triggers, [...triggers].reverse()])
      expect(foundIn(new TriggerWatch(order, noMarkers), piecesOf(' go'))).toEqual([
        { start: 1, end: 2 },
        { start: 1, end: 3 },
      ]);
  });
});

describe('a trigger counts', () => {
  function position(region: ParserPosition['region']): ParserPosition {
    return { region, callsOpenedAt: null, thinking: region === 'reasoning', state: '' };
  }
  const thoughtsEnd = (end: number): ResponseEvent => ({ type: 'reasoning-end', id: '', start: end, end });
  const textEnds = (end: number): ResponseEvent => ({ type: 'text-delta', id: '', start: 0, end, delta: '' });
  const firesFrom = (watch: TriggerWatch) =>
    Array.from({ length: 20 }, (_, start) => start).find((start) => watch.fires({ start, end: start + 1 }));

  it('anywhere, as long as nothing was read', () => {
    expect(firesFrom(watchOf('a'))).toBe(0);
  });

  it('nowhere in thoughts', () => {
    const watch = watchOf('a');
    watch.follow(position('reasoning'), [], 5);
    expect(firesFrom(watch)).toBeUndefined();
  });

  it('from the end of thoughts on that an event tells', () => {
    const watch = watchOf('ab');
    watch.follow(position('reasoning'), [], 5);
    watch.follow(position('text'), [thoughtsEnd(7)], 9);
    expect(firesFrom(watch)).toBe(7);
    watch.follow(position('text'), [thoughtsEnd(4)], 10);
    expect(firesFrom(watch)).toBe(7);
    expect(foundIn(watch, piecesOf('ababababab'))).toEqual([{ start: 8, end: 10 }]);
  });

  it('from where thoughts are over that no event has ended yet', () => {
    const watch = watchOf('a');
    watch.follow(position('text'), [], 3);
    expect(firesFrom(watch)).toBe(0);
    watch.follow(position('reasoning'), [], 5);
    watch.follow(position('reasoning'), [], 8);
    watch.follow(position('text'), [], 9);
    watch.follow(position('text'), [], 12);
    expect(firesFrom(watch)).toBe(9);
  });

  it('from the end of the text that was emitted on, which never moves back', () => {
    const watch = watchOf('a');
    watch.follow(position('text'), [textEnds(3), textEnds(6)], 8);
    expect(firesFrom(watch)).toBe(6);
    watch.follow(position('text'), [textEnds(4), thoughtsEnd(5)], 9);
    expect(firesFrom(watch)).toBe(6);
  });
});
