/** A command line cut into words, without a shell. */

/**
 * Words are parted by white space; quotes of either kind hold them together, and a backslash outside of
 * single quotes takes the next character as it is. Nothing is substituted.
 */
export function splitCommand(text: string): string[] {
  const words: string[] = [];
  const word = /(?:[^\s"'\\]+|\\.|"(?:[^"\\]|\\.)*"|'[^']*'|["'\\])+/gsu;
  for (const [match] of text.matchAll(word)) {
    words.push(match.replace(/\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/gsu, unquote));
  }
  return words;
}

function unquote(match: string, escaped?: string, double?: string, single?: string): string {
  return escaped ?? single ?? double?.replace(/\\(["\\])/g, '$1') ?? match;
}
