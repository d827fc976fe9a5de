/** Splits a command line into words, without a shell. */

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
