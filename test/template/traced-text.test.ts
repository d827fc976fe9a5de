/** Laws of texts that know the origin of their characters: each operation does to them what it does to a list of letters. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  changeText,
  cutText,
  dataText,
  joinTexts,
  lengthOfText,
  originChanges,
  plainText,
  repeatText,
  sliceText,
  spansOf,
  splitText,
  type Text,
  TextBuilder,
  type TextOrigin,
  TracedText,
} from '../../src/template/values/traced-text.ts';

const numRuns = process.env.LAWS === 'long' ? 20_000 : 150;

/** A UTF-16 unit with its origin. */
type Letter = readonly [unit: string, origin: TextOrigin];

const letter = fc.tuple(fc.constantFrom('a', 'b', '|'), fc.constantFrom<TextOrigin>('data', 'template'));
const letters = fc.array(letter, { maxLength: 12 });

/** Letters as a text: where the origin differs from that of the letter before, or from the template's at the start, it changes. */
function textFrom(list: readonly Letter[]): Text {
  const text = list.map(([unit]) => unit).join('');
  const changes = list.flatMap(([, origin], at) =>
    origin === (list[at - 1]?.[1] ?? 'template') ? [] : [at],
  );
  return changes.length === 0 ? text : new TracedText(text, changes);
}

/** The letters of a text, which has to be one that another operation can take. */
function lettersOf(text: Text): readonly Letter[] {
  if (typeof text === 'string') return text.split('').map((unit) => [unit, 'template']);
  const { changes } = text;
  expect(changes).not.toEqual([]);
  const ascending = changes.every((at, index) => at > (changes[index - 1] ?? -1) && at < text.text.length);
  expect(ascending, `${changes} within ${text.text.length}`).toBe(true);
  return text.text.split('').map((unit, at) => {
    const before = changes.filter((change) => change <= at).length;
    return [unit, before % 2 === 1 ? 'data' : 'template'];
  });
}

function forAll<T extends [unknown, ...unknown[]]>(
  arbitraries: { [K in keyof T]: fc.Arbitrary<T[K]> },
  law: (...values: T) => void,
): void {
  fc.assert(fc.property(...arbitraries, law), { numRuns });
}

const unitsOf = (list: readonly Letter[]): string => list.map(([unit]) => unit).join('');

describe('an operation on a text with origins does what it does to its letters', () => {
  it('makes data of a text', () => {
    forAll([letters], (list) => {
      const data = list.map(([unit]) => [unit, 'data']);
      expect(lettersOf(dataText(unitsOf(list)))).toEqual(data);
    });
  });

  it('measures it', () => {
    forAll([letters], (list) => {
      const text = textFrom(list);
      expect([plainText(text), lengthOfText(text)]).toEqual([unitsOf(list), list.length]);
      const borders = list.filter(([, origin], at) => origin !== (list[at - 1]?.[1] ?? 'template'));
      expect(originChanges(text)).toBe(borders.length);
    });
  });

  it('cuts a part out of it', () => {
    forAll([letters, fc.nat(12), fc.nat(12)], (list, from, to) => {
      const [start, end] = [Math.min(from, list.length), Math.min(to, list.length)];
      expect(lettersOf(sliceText(textFrom(list), start, end))).toEqual(list.slice(start, end));
      expect(lettersOf(sliceText(textFrom(list), start))).toEqual(list.slice(start));
    });
  });

  it('cuts all of it into pieces', () => {
    forAll([fc.array(letters, { maxLength: 5 })], (lists) => {
      const pieces = cutText(textFrom(lists.flat()), lists.map(unitsOf));
      expect(pieces.map(lettersOf)).toEqual(lists);
    });
  });

  it('joins it with others', () => {
    forAll([fc.array(letters, { maxLength: 5 }), letters], (lists, separator) => {
      const joined = lists.flatMap((list, at) => (at === 0 ? list : [...separator, ...list]));
      expect(lettersOf(joinTexts(lists.map(textFrom), textFrom(separator)))).toEqual(joined);
      expect(lettersOf(joinTexts(lists.map(textFrom)))).toEqual(lists.flat());
    });
  });

  it('tells how much is built', () => {
    forAll([fc.array(letters, { maxLength: 5 })], (lists) => {
      const builder = new TextBuilder();
      for (const list of lists) builder.add(textFrom(list));
      expect(builder.length).toBe(lists.flat().length);
    });
  });

  it('repeats it', () => {
    forAll([letters, fc.nat(4)], (list, count) => {
      fc.pre(list.length > 0);
      const repeated = Array.from({ length: count }, () => list).flat();
      expect(lettersOf(repeatText(textFrom(list), count))).toEqual(repeated);
    });
  });

  it.each([Number.POSITIVE_INFINITY, 0, 1, 2])('splits it at %s separators at most', (limit) => {
    forAll([letters, fc.constantFrom('|', 'ab', '||')], (list, separator) => {
      const all = unitsOf(list).split(separator);
      const rest = all.slice(limit);
      const wanted = rest.length === 0 ? all : [...all.slice(0, limit), rest.join(separator)];
      const pieces = splitText(textFrom(list), separator, limit);
      expect(pieces.map(plainText)).toEqual(wanted);
      let at = 0;
      for (const piece of pieces) {
        const end = at + lengthOfText(piece);
        expect(lettersOf(piece)).toEqual(list.slice(at, end));
        at = end + separator.length;
      }
    });
  });

  it('tells its spans: none is empty, and neighbours differ', () => {
    forAll([letters], (list) => {
      const spans = spansOf(textFrom(list));
      const told = spans.flatMap(({ text, origin }) => text.split('').map((unit) => [unit, origin]));
      expect(told).toEqual(list);
      for (const [at, { text, origin }] of spans.entries()) {
        expect(text).not.toBe('');
        expect(origin).not.toBe(spans[at + 1]?.origin);
      }
    });
  });

  it('changes letters one by one', () => {
    const change = (text: string) => text.replaceAll('a', 'AA').replaceAll('b', '');
    forAll([letters], (list) => {
      const changed = list.flatMap(([unit, origin]) =>
        change(unit)
          .split('')
          .map((each) => [each, origin]),
      );
      expect(lettersOf(changeText(textFrom(list), change))).toEqual(changed);
    });
  });

  it('makes data of all of it where a change depends on neighbours of another origin', () => {
    const change = (text: string) => `${text.length}${text}`;
    forAll([letters], (list) => {
      const text = changeText(textFrom(list), change);
      expect(plainText(text)).toBe(change(unitsOf(list)));
      const isOwn = list.every(([, origin]) => origin === 'template');
      expect(new Set(lettersOf(text).map(([, origin]) => origin))).toEqual(
        new Set([isOwn ? 'template' : 'data']),
      );
    });
  });
});
