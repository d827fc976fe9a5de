/** Literals as tokens, at whose edges they may be cut: bracketed markers, words, single characters. */

/**
 * Markers in brackets: angle and square brackets of ASCII, full-width angle brackets, and all other brackets of
 * Unicode (`【…】`). The other brackets of ASCII are excluded, because calls and JSON are written with them.
 */
const markerPatterns = [
  /<[^<>\n]{1,100}>/,
  /\[[^[\]{}<>\s"',:]{1,60}\]/,
  /＜[^＜＞\n]{1,100}＞/,
  /[^\P{Ps}()[\]{}][^\p{Ps}\p{Pe}\s]{1,60}[^\P{Pe}()[\]{}]/u,
].map(({ source }) => source);

const tokenPattern = new RegExp(
  [...markerPatterns, '<[^<>\\n]*$', '[\\p{L}\\p{N}_\\u2581]+', '[\\s\\S]'].join('|'),
  'gu',
);
const markerPattern = new RegExp(`^(?:${[...markerPatterns, '<[^<>]+>', '\\[[^[\\]]+\\]'].join('|')})$`, 'u');

/** The tokens of a literal, in order. */
export function tokens(text: string): readonly string[] {
  return text.match(tokenPattern) ?? [];
}

/** Whether a token is a bracketed marker. */
export function isMarker(token: string): boolean {
  return markerPattern.test(token);
}

/** The marker at the beginning of a text, after white space; empty if there is none. */
export function firstMarker(text: string): string {
  const first = tokens(text.trimStart())[0] ?? '';
  return isMarker(first) ? first : '';
}

/** Positions where a literal may be cut: 0, its length, and every edge between tokens. */
export function tokenEdges(text: string): ReadonlySet<number> {
  const edges = new Set<number>([0]);
  let position = 0;
  for (const token of tokens(text)) {
    position += token.length;
    edges.add(position);
  }
  return edges;
}

/** Length of the longest common prefix. */
export function commonPrefixLength(texts: readonly string[]): number {
  const [first = '', ...others] = texts;
  let length = first.length;
  for (const other of others) {
    length = Math.min(length, other.length);
    for (let index = 0; index < length; index++) {
      if (first.charCodeAt(index) !== other.charCodeAt(index)) length = index;
    }
  }
  return length;
}

/** The longest common prefix that ends at a token's edge in both texts. */
export function commonTokens(left: string, right: string): string {
  const longest = commonPrefixLength([left, right]);
  const edges = tokenEdges(right);
  const cuts = [...tokenEdges(left)].filter((cut) => cut <= longest && edges.has(cut));
  return left.slice(0, Math.max(...cuts));
}

/** Length of the longest common suffix. */
export function commonSuffixLength(texts: readonly string[]): number {
  const [first = '', ...others] = texts;
  let length = first.length;
  for (const other of others) {
    length = Math.min(length, other.length);
    for (let back = 1; back <= length; back++) {
      if (first.charCodeAt(first.length - back) !== other.charCodeAt(other.length - back)) length = back - 1;
    }
  }
  return length;
}

/** A text without its suffix `suffix`; `null` if it does not have it, or is `null`. */
export function withoutSuffix(text: string | null, suffix: string): string | null {
  return text?.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : null;
}

/** A literal without white space, to compare literals that a template spaces differently. */
export function withoutSpace(text: string): string {
  return text.replace(/\s+/gu, '');
}
