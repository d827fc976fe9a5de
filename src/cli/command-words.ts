/** Splits a command line into words, without a shell. */

/**
 * Words are separated by white space; quotes of either kind group them, and a backslash outside single quotes escapes
 * the next character. Nothing is substituted.
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
