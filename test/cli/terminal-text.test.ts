import fc from 'fast-check';
import pc from 'picocolors';
import { expect, test } from 'vitest';
import { paintedText, terminalText } from '../../src/cli/terminal-text.ts';

/** What a terminal, or a reader's eye, would obey. */
const obeyed = /(?![\n\t])\p{Cc}|\p{Bidi_Control}/u;

test('no control character comes through, whatever stands around it', () => {
  const unit = fc.oneof(
    fc.constantFrom('\u001b[2J', '\u009b31m', '\u202e', '\u0007', '\r', '\u2066'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(unit), (parts) => {
      expect(terminalText(parts.join(''))).not.toMatch(obeyed);
    }),
  );
});

test('what was taken out is shown', () => {
  expect(terminalText('a\u001b]0;title\u0007b\n\tc')).toBe('a\\u{1b}]0;title\\u{7}b\n\tc');
  expect(terminalText('plain → ü 漢 👍🏽')).toBe('plain → ü 漢 👍🏽');
});

test('our own colours stay; text from outside cannot hide itself', () => {
  const red = pc.createColors(true).red('a');
  expect(paintedText(`${red}\u001b[8mhidden\u001b[2Jx`)).toBe(`${red}\\u{1b}[8mhidden\\u{1b}[2Jx`);
});
