/** Python patterns made from a format's literals. */
import { Marker } from '../../layout/marker.ts';

/** A pattern for exactly `literal`. */
export function exactly(literal: string): string {
  return literal
    .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t');
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
  const { before, core, after } = new Marker(literal);
  return optionally(before) + exactly(core) + optionally(after);
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
