/** Makes untrusted text safe for a terminal. */

/**
 * The text with characters that a terminal would execute replaced: C0 and C1 controls (escape sequences begin with
 * one) and marks that change the writing direction become `\\u{1b}`. Line feeds and tabs are kept.
 */
export function terminalText(text: string): string {
  return text.replace(controls, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** All of `\p{Cc}` but line feed and tab, and Unicode's direction marks. */
const controls = /(?![\n\t])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The colours of our own output; the one that hides text is not among them. */
const escapeCharacter = String.fromCharCode(27);
const colours = new RegExp(`${escapeCharacter}\\[(?:[01234]|2[234]|3[0-79]|90)m`, 'g');

/**
 * The same for output that is already coloured. Untrusted text that looks like a colour is kept; where that matters,
 * use `terminalText` before colouring.
 */
export function paintedText(text: string): string {
  const parts = text.split(colours);
  const paints = text.match(colours) ?? [];
  return parts.map((part, index) => terminalText(part) + (paints[index] ?? '')).join('');
}
