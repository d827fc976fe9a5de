/**
 * Where literals may be cut.
 *
 * Text between sentinels is cut at tokens: bracketed markers, words, single characters. Among token
 * edges a cut is *natural* when the token before it stands directly before free text somewhere, or
 * the token after it directly after free text: that is learned from the renders, so that composite
 * markers such as `<|open|>think<|sep|>` stay whole without a list of markers.
 */

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

/** A text without its ending `suffix`; `null` where it ends otherwise, or is none. */
export function withoutSuffix(text: string | null, suffix: string): string | null {
  return text?.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : null;
}

/** Literals that stand directly before and after free text, and how often they do. */
export class BoundaryStatistics {
  readonly #before = new Map<string, number>();
  readonly #after = new Map<string, number>();

  /** Learns from a render: what touches its sentinels. */
  learn(render: string, sentinels: RegExp): void {
    let last = 0;
    for (const match of render.matchAll(sentinels)) {
      this.#learnLiteral(render.slice(last, match.index), last > 0);
      last = match.index + match[0].length;
    }
    const first = tokens(render.slice(last))[0];
    if (first !== undefined && last > 0) count(this.#after, first);
  }

  #learnLiteral(literal: string, followsText: boolean): void {
    const parts = tokens(literal);
    const first = parts[0];
    const last = parts.at(-1);
    if (last !== undefined) count(this.#before, last);
    if (first !== undefined && followsText) count(this.#after, first);
  }

  /** How often the token before a cut stood before free text, and the one after it after free text. */
  weight(left: string, right: string): number {
    const before = tokens(left).at(-1);
    const after = tokens(right)[0];
    if (before === undefined || after === undefined) return Number.POSITIVE_INFINITY;
    return (this.#before.get(before) ?? 0) + (this.#after.get(after) ?? 0);
  }

  /** Whether a cut between two texts is natural; a cut at an edge of the text is. */
  between(left: string, right: string): boolean {
    return this.weight(left, right) > 0;
  }

  /** Length of the longest common beginning that ends at a natural cut, else at a token. */
  prefixLength(texts: readonly string[]): number {
    const longest = commonPrefixLength(texts);
    const edges = texts.map(tokenEdges);
    const possible = sharedLengths(longest, (length) => edges.every((each) => each.has(length)));
    const natural = (length: number) =>
      texts.some((text) => this.between(text.slice(0, length), text.slice(length)));
    return possible.find(natural) ?? possible[0] ?? 0;
  }

  /** The longest common ending of `texts` that begins at a natural cut, else at a token. */
  commonSuffix(texts: readonly string[]): string {
    const [first = ''] = texts;
    const longest = commonSuffixLength(texts);
    const edges = texts.map((text) => ({ text, edges: tokenEdges(text) }));
    const possible = sharedLengths(longest, (length) =>
      edges.every(({ text, edges: own }) => own.has(text.length - length)),
    );
    const natural = (length: number) =>
      texts.some((text) =>
        this.between(text.slice(0, text.length - length), text.slice(text.length - length)),
      );
    const length = possible.find(natural) ?? possible[0] ?? 0;
    return first.slice(first.length - length);
  }
}

function count(counts: Map<string, number>, token: string): void {
  counts.set(token, (counts.get(token) ?? 0) + 1);
}

/** Lengths from `longest` down to 1 that are possible. */
function sharedLengths(longest: number, possible: (length: number) => boolean): readonly number[] {
  return Array.from({ length: longest }, (_, index) => longest - index).filter(possible);
}
