/**
 * Where literals may be cut.
 *
 * Between two sentinels stands one literal, which may belong to several regions. Among the edges of its tokens
 * some are *natural*: the token before stands directly before free text in some render, or the token after
 * directly after free text. That is learned from the renders, so that composite markers such as
 * `<|open|>think<|sep|>` stay whole without a list of markers.
 */
import { commonPrefixLength, commonSuffixLength, tokenEdges, tokens } from './tokens.ts';

/** Known once the renders of all probes have been learned from. */
export interface Boundaries {
  readonly boundaries: BoundaryStatistics;
}

/** UTF-16 units on each side of a cut that are looked at: more than any two markers have. */
const nearby = 256;

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
    const before = tokens(left.slice(-nearby)).at(-1);
    const after = tokens(right.slice(0, nearby))[0];
    if (before === undefined || after === undefined) return Number.POSITIVE_INFINITY;
    return (this.#before.get(before) ?? 0) + (this.#after.get(after) ?? 0);
  }

  /** Whether a cut between two texts is natural; a cut at an edge of the text is. */
  between(left: string, right: string): boolean {
    return this.weight(left, right) > 0;
  }

  /** Length of the longest common beginning that ends at a natural boundary, else at a token. */
  prefixLength(texts: readonly string[]): number {
    const longest = commonPrefixLength(texts);
    const edges = texts.map(tokenEdges);
    const possible = sharedLengths(longest, (length) => edges.every((each) => each.has(length)));
    const natural = (length: number) =>
      texts.some((text) => this.between(text.slice(0, length), text.slice(length)));
    return possible.find(natural) ?? possible[0] ?? 0;
  }

  /** The longest common ending of `texts` that begins at a natural boundary, else at a token. */
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
