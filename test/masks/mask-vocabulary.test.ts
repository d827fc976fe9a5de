/** Laws of a vocabulary for masks: each token has the bytes of its text, and those without a text are in no mask. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnsupportedOptionError } from '../../src/format/errors.ts';
import { createMaskVocabulary, type MaskVocabularyOptions } from '../../src/masks/index.ts';

const numRuns = process.env.LAWS === 'long' ? 5_000 : 100;
const encoder = new TextEncoder();

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '€', 'null'), maxLength: 3 });
const token = fc.oneof(text, fc.constant(null));
const bytes = fc.oneof(fc.uint8Array({ maxLength: 3 }), token);

/** The bytes of a token that is taken as it is. */
const own = (each: string | Uint8Array | null): readonly number[] =>
  each === null ? [] : [...(typeof each === 'string' ? encoder.encode(each) : each)];

describe('a vocabulary for masks', () => {
  it.each([
    ['texts', fc.array(token, { maxLength: 40 })],
    ['texts and bytes', fc.array(bytes, { maxLength: 40 })],
  ])('of %s has the bytes of each, and the order of those that have some and do not end', (_, lists) => {
    fc.assert(
      fc.property(lists, fc.array(fc.nat(9), { maxLength: 2 }), (tokens, chosen) => {
        const ends = chosen.filter((id) => id < tokens.length);
        const vocabulary = createMaskVocabulary({ tokens, ends });
        const ids = tokens.map((_token, id) => id);
        expect(ids.map((id) => [...vocabulary.bytesOf(id)])).toEqual(tokens.map(own));
        expect([vocabulary.size, vocabulary.ends]).toEqual([tokens.length, ends]);
        expect(32 * vocabulary.words).toBeGreaterThanOrEqual(tokens.length);
        expect(32 * (vocabulary.words - 1)).toBeLessThan(Math.max(1, tokens.length));
        const shown = ids.filter((id) => own(tokens[id] ?? null).length > 0 && !ends.includes(id));
        const byBytes = (a: number, b: number) =>
          Buffer.compare(vocabulary.bytesOf(a), vocabulary.bytesOf(b)) || a - b;
        expect([...vocabulary.index.ids]).toEqual(shown.sort(byBytes));
      }),
      { numRuns },
    );
  });

  it.each<readonly [NonNullable<MaskVocabularyOptions['spelling']>, string, string]>([
    ['byte-level', 'Ġcity', ' city'],
    ['byte-level', 'Ã©', 'é'],
    ['byte-level', '<0x0A>', '<0x0A>'],
    ['sentencepiece', '▁city', ' city'],
    ['sentencepiece', '<0x0A>', '\n'],
    ['sentencepiece', '<0x0A>x', '<0x0A>x'],
    ['verbatim', '▁city', '▁city'],
    ['verbatim', 'Ġ<0x0A>', 'Ġ<0x0A>'],
  ])('spelled as %s reads %s as %j', (spelling, spelled, wanted) => {
    const { bytesOf, index } = createMaskVocabulary({ tokens: [null, spelled], spelling });
    expect([new TextDecoder().decode(bytesOf(1)), bytesOf(0).length]).toEqual([wanted, 0]);
    expect([...index.ids]).toEqual([1]);
  });

  it.each<readonly [string, unknown]>([
    ['one token that is none among others', { tokens: ['a', 1, 'b'] }],
    ['no tokens', { ends: [] }],
    ['no list of tokens', { tokens: 'ab' }],
    ['one end that is no id among others', { tokens: ['a', 'b'], ends: [0, -1] }],
    ['one end that is not whole', { tokens: ['a', 'b'], ends: [0.5, 1] }],
    ['an end beyond the last token', { tokens: ['a', 'b'], ends: [1, 2] }],
    ['another spelling', { tokens: ['a'], spelling: 'utf-16' }],
  ])('is refused with %s', (_, options) => {
    expect(() => createMaskVocabulary(options as MaskVocabularyOptions)).toThrow(UnsupportedOptionError);
  });

  it('may end with its last token', () => {
    expect(createMaskVocabulary({ tokens: ['a', 'b'], ends: [1] }).ends).toEqual([1]);
  });
});

describe('the spelling of a vocabulary', () => {
  type Spelling = NonNullable<MaskVocabularyOptions['spelling']>;
  const spaces: Readonly<Record<Spelling, string>> = {
    'byte-level': 'Ġ',
    sentencepiece: '▁',
    verbatim: ' ',
  };
  const spellings = Object.keys(spaces) as Spelling[];
  const pairs = spellings.flatMap((own) =>
    spellings.filter((each) => each !== own).map((other) => ({ own, other })),
  );
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  /** Texts that every spelling has. */
  const plain = (count: number) =>
    Array.from({ length: count }, (_, id) => letters.charAt(id % 26) + letters.charAt(Math.floor(id / 26)));
  /** Words after a space, as a spelling has them. */
  const spaced = (spelling: Spelling, count: number) => plain(count).map((word) => spaces[spelling] + word);

  /** What a vocabulary is refused for: the option, and all that the error says. */
  function refused(
    options: MaskVocabularyOptions,
  ): { readonly option: string; readonly says: string } | null {
    try {
      createMaskVocabulary(options);
      return null;
    } catch (error) {
      if (!(error instanceof UnsupportedOptionError)) throw error;
      return { option: error.option, says: error.message };
    }
  }

  it.each(spellings)('%s is accepted of a vocabulary that is in it, whatever its size', (spelling) => {
    for (const count of [0, 1, 16, 255, 256, 600]) {
      const tokens = [spaces[spelling], ...spaced(spelling, count)];
      const { bytesOf } = createMaskVocabulary({ tokens, spelling });
      const read = tokens.map((_token, id) => new TextDecoder().decode(bytesOf(id)));
      expect(read).toEqual([' ', ...plain(count).map((word) => ` ${word}`)]);
    }
  });

  it.each(pairs)(
    '$own is refused of many texts in $other, of which the error names the first',
    ({ own, other }) => {
      for (const { few, texts } of [
        { few: 15, texts: 15 },
        { few: 15, texts: 160 },
        { few: 19, texts: 200 },
      ]) {
        const foreign = spaced(other, few + 1);
        const [first = ''] = foreign;
        const common = plain(texts);
        expect(refused({ tokens: [...common.slice(few), ...foreign.slice(1)], spelling: own })).toBeNull();
        const found = refused({ tokens: [...common.slice(few + 1), null, ...foreign], spelling: own });
        expect(found?.option).toBe('spelling');
        expect(found?.says).toContain(JSON.stringify(first));
      }
    },
  );

  it.each(pairs)(
    '$own is refused of all bytes with the space of $other in place of its own',
    ({ own, other }) => {
      const tokens = [...plain(255), spaces[other]];
      const found = refused({ tokens, spelling: own });
      expect(found?.option).toBe('spelling');
      for (const spelling of [own, other]) expect(found?.says).toContain(JSON.stringify(spaces[spelling]));
      expect(refused({ tokens: tokens.slice(1), spelling: own })).toBeNull();
      expect(refused({ tokens: [...tokens, spaces[own]], spelling: own })).toBeNull();
    },
  );

  it.each(spellings)('%s is accepted of many texts without any space', (spelling) => {
    expect(refused({ tokens: plain(600), spelling })).toBeNull();
  });

  it('is no excuse for texts that were decoded one by one: at most 64 hold U+FFFD', () => {
    const lost = (count: number) => plain(count).map((word) => `${word}\u{FFFD}`);
    expect(refused({ tokens: lost(64) })).toBeNull();
    expect(refused({ tokens: lost(65) })?.option).toBe('tokens');
    const whole = lost(65).map((each) => encoder.encode(each));
    expect(refused({ tokens: whole })).toBeNull();
  });
});
