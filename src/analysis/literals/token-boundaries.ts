/**
 * Where literals may be cut.
 *
 * The literal between two sentinels may belong to several regions. Some edges of its tokens are *natural* boundaries:
 * in some render, the token before the edge directly precedes free text, or the token after it directly follows free
 * text. This is learned from the renders, so composite markers such as `<|open|>think<|sep|>` stay whole without a
 * list of markers.
 */
import { commonPrefixLength, commonSuffixLength, tokenEdges, tokens } from './tokens.ts';

/** Known after the renders of all probes have been examined. */
export interface Boundaries {
  readonly boundaries: BoundaryStatistics;
}

/** UTF-16 units examined on each side of a cut: more than two markers ever have. */
const nearby = 256;

/** Literals directly before and after free text, with their frequency. */
export class BoundaryStatistics {
  readonly #before = new Map<string, number>();
  readonly #after = new Map<string, number>();

  /** Learns from a render which literals adjoin its sentinels. */
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

  /** How often the token before a cut precedes free text, and the token after it follows free text. */
  weight(left: string, right: string): number {
    const before = tokens(left.slice(-nearby)).at(-1);
    const after = tokens(right.slice(0, nearby))[0];
    if (before === undefined || after === undefined) return Number.POSITIVE_INFINITY;
    return (this.#before.get(before) ?? 0) + (this.#after.get(after) ?? 0);
  }

  /** Whether a cut between two texts is natural, as are the edges of a text. */
  between(left: string, right: string): boolean {
    return this.weight(left, right) > 0;
  }

  /** Length of the longest common prefix that ends at a natural boundary or, if there is none, at a token. */
  prefixLength(texts: readonly string[]): number {
    const longest = commonPrefixLength(texts);
    const edges = texts.map(tokenEdges);
    const possible = sharedLengths(longest, (length) => edges.every((each) => each.has(length)));
    const natural = (length: number) =>
      texts.some((text) => this.between(text.slice(0, length), text.slice(length)));
    return possible.find(natural) ?? possible[0] ?? 0;
  }

  /** The longest common suffix that begins at a natural boundary or, if there is none, at a token. */
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

/** The possible lengths from `longest` down to 1. */
function sharedLengths(longest: number, possible: (length: number) => boolean): readonly number[] {
  return Array.from({ length: longest }, (_, index) => longest - index).filter(possible);
}
