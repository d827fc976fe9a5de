/** Markers: their parts are their text, and nothing of it is lost between them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coresOf, Marker, markers } from '../../src/layout/marker.ts';

/** Texts of the characters that markers and the white space around them are made of. */
const text = fc.string({
  unit: fc.constantFrom(' ', '\n', '\t', '\r', '\u00a0', '<', '|', 'a', 'b', '>', '{'),
  maxLength: 24,
});

describe('a marker', () => {
  it('is its white space and its core', () => {
    fc.assert(
      fc.property(text, (given) => {
        const { before, core, after, fromCore, upToCore, isBlank } = new Marker(given);
        expect(before + core + after).toBe(given);
        expect(core).toBe(given.trim());
        expect(fromCore).toBe(given.trimStart());
        expect(upToCore).toBe(given.trimEnd());
        expect(isBlank).toBe(!/\S/.test(given));
      }),
    );
  });

  it('is its pieces, each with one core that has no line break, and white space after it', () => {
    fc.assert(
      fc.property(text, (given) => {
        const whole = new Marker(given);
        const { pieces } = whole;
        expect(pieces.map((piece) => piece.text).join('')).toBe(whole.isBlank ? '' : given);
        for (const [at, piece] of pieces.entries()) {
          expect(piece.isBlank).toBe(false);
          expect(piece.core).not.toMatch(/[\r\n]/);
          if (at > 0) expect(piece.before).toBe('');
        }
      }),
    );
  });

  it('counts by itself only if it is long and no mere word', () => {
    expect(
      markers(['<a>', '<ab>', 'word', ' <|> ', '    <', '[TOOL_CALLS]']).map((each) => each.isSignificant),
    ).toEqual([false, true, false, false, false, true]);
  });
});

it('cores are listed once, and blank ones not at all', () => {
  expect(coresOf(markers(['\n<a>', ' ', '<b>\n', '<a>', '']))).toEqual(['<a>', '<b>']);
});
