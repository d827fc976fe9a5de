/** Splits a command line into words, without a shell, and writes words for one. */

/**
 * Words are separated by white space, and quotes of either kind group them. A backslash outside single quotes escapes
 * the next character; on Windows, where paths have backslashes, only a double quote within double quotes. Nothing is
 * substituted.
 */
export function splitCommand(text: string, platform: NodeJS.Platform = process.platform): string[] {
  const { word, quoted, unquote } = platform === 'win32' ? windows : posix;
  return Array.from(text.matchAll(word), ([match]) => match.replace(quoted, unquote));
}

const posix = {
  word: /(?:[^\s"'\\]+|\\.|"(?:[^"\\]|\\.)*"|'[^']*'|["'\\])+/gsu,
  quoted: /\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/gsu,
  unquote: (match: string, escaped?: string, double?: string, single?: string): string =>
    escaped ?? single ?? double?.replace(/\\(["\\])/g, '$1') ?? match,
};

const windows = {
  word: /(?:[^\s"']+|"(?:[^"\\]|\\.)*"|'[^']*'|["'])+/gsu,
  quoted: /"((?:[^"\\]|\\.)*)"|'([^']*)'/gsu,
  unquote: (match: string, double?: string, single?: string): string =>
    single ?? double?.replaceAll('\\"', '"') ?? match,
};

/** The word as people type it, for a command that is shown: in quotes where a shell would split or change it. */
export function quoteWord(word: string, platform: NodeJS.Platform = process.platform): string {
  const plain = platform === 'win32' ? /^[\p{L}\p{N}+=:./\\_-]+$/u : /^[\p{L}\p{N}@%+=:,./_-]+$/u;
  if (plain.test(word)) return word;
  return platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;
}
