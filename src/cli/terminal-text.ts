/** Text from outside, as a terminal may see it. */

/**
 * The text without what a terminal would obey: C0 and C1 controls (escape sequences begin with one) and the marks
 * that turn the direction of writing, each shown as `\\u{1b}`. Line feeds and tabs stay.
 */
export function terminalText(text: string): string {
  return text.replace(controls, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Line feed and tab are left out; the rest of `\p{Cc}`, and Unicode's marks of direction. */
const controls = /(?![\n\t])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The colours of our own output; the one that hides text is not among them. */
const escapeCharacter = String.fromCharCode(27);
const colours = new RegExp(`${escapeCharacter}\\[(?:[01234]|2[234]|3[0-79]|90)m`, 'g');

/**
 * The same for output that is coloured already. What comes from outside and looks like a colour is taken for one:
 * where that matters, `terminalText` is used before the text is painted.
 */
export function paintedText(text: string): string {
  const parts = text.split(colours);
  const paints = text.match(colours) ?? [];
  return parts.map((part, index) => terminalText(part) + (paints[index] ?? '')).join('');
}
