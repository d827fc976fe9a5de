/** Lines that keep to the width of the terminal. */
import { stripVTControlCharacters } from 'node:util';

/**
 * Texts next to each other, as many on a line as it has room for; further lines begin with `indent` spaces, where the
 * first one begins, too. Without a terminal, and for a text that is longer by itself, lines are as long as they are.
 */
export function wrapped(texts: readonly string[], indent: number, separator = ' '): string {
  const { columns = Number.POSITIVE_INFINITY } = process.stdout;
  let [lines, end] = ['', indent];
  for (const [index, text] of texts.entries()) {
    const { length } = stripVTControlCharacters(text);
    const isNext = index > 0 && end + separator.length + length <= columns;
    if (index > 0) lines += isNext ? separator : `\n${' '.repeat(indent)}`;
    end = (isNext ? end + separator.length : indent) + length;
    lines += text;
  }
  return lines;
}

/** A text, wrapped between its words. */
export function wrappedText(text: string, indent: number): string {
  return wrapped(text.split(' '), indent);
}
