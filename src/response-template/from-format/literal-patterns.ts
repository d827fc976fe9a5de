/** Python patterns made from a format's literals. */

/** A pattern for exactly `literal`. */
export function exactly(literal: string): string {
  return literal
    .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t');
}

/** A pattern for `literal` without the white space at its ends. */
export function marker(literal: string): string {
  return exactly(literal.trim());
}

/** A pattern for `literal` in which white space may be any white space, or missing. */
export function loosely(literal: string): string {
  return literal
    .split(/(\s+)/)
    .map((part) => (/^\s/.test(part) ? '\\s*' : exactly(part)))
    .join('');
}

/** A pattern for `literal` whose white space at either end is optional. */
export function withOptionalEdges(literal: string): string {
  const trimmed = literal.trim();
  if (trimmed === '') return optionally(literal);
  const at = literal.indexOf(trimmed);
  return optionally(literal.slice(0, at)) + exactly(trimmed) + optionally(literal.slice(at + trimmed.length));
}

function optionally(literal: string): string {
  if (literal === '') return '';
  return literal.length === 1 ? `${exactly(literal)}?` : `(?:${exactly(literal)})?`;
}

/** A pattern for one of several; empty ones and duplicates are omitted. */
export function oneOfPatterns(patterns: readonly string[]): string {
  const different = [...new Set(patterns)].filter((pattern) => pattern !== '');
  return different.length > 1 ? `(?:${different.join('|')})` : (different[0] ?? '');
}
