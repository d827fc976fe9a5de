/** Literals as tokens, the only edges at which they are cut: bracketed markers, words, single characters. */

/**
 * Markers in brackets: ASCII's angle and square ones, full-width angle ones, and whatever else Unicode knows as
 * a bracket (`【…】`). The others of ASCII are left out: calls and JSON are written with them.
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

/** The marker that a text begins with after white space; empty where it begins with something else. */
export function firstMarker(text: string): string {
  const first = tokens(text.trimStart())[0] ?? '';
  return isMarker(first) ? first : '';
}

/** Positions at which a literal may be cut: 0, its length, and every edge between tokens. */
export function tokenEdges(text: string): ReadonlySet<number> {
  const edges = new Set<number>([0]);
  let position = 0;
  for (const token of tokens(text)) {
    position += token.length;
    edges.add(position);
  }
  return edges;
}

/** Length of the longest text with which all of `texts` begin. */
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

/** The longest text with which both begin and that ends at a token's edge of each. */
export function commonTokens(left: string, right: string): string {
  const longest = commonPrefixLength([left, right]);
  const edges = tokenEdges(right);
  const cuts = [...tokenEdges(left)].filter((cut) => cut <= longest && edges.has(cut));
  return left.slice(0, Math.max(...cuts));
}

/** Length of the longest text with which all of `texts` end. */
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

/** A text without its ending `suffix`; `null` where it ends otherwise, or is `null`. */
export function withoutSuffix(text: string | null, suffix: string): string | null {
  return text?.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : null;
}

/** A literal without its white space, to compare literals that a template spaces differently. */
export function squash(text: string): string {
  return text.replace(/\s+/gu, '');
}
