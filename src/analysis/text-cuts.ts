/**
 * Where literals may be cut.
 *
 * Text between sentinels is cut at tokens: bracketed markers, words, single characters. Among token
 * edges a cut is *natural* when the token before it stands directly before free text somewhere, or
 * the token after it directly behind free text: that is learned from the renders, so that composite
 * markers such as `<|open|>think<|sep|>` stay whole without a list of markers.
 */

const tokenPattern = /<[^<>\n]{1,100}>|<[^<>\n]*$|\[[^[\]{}<>\s"',:]{1,60}\]|[\p{L}\p{N}_\u2581]+|[\s\S]/gu;

/** The tokens of a literal, in order. */
export function tokens(text: string): readonly string[] {
  return text.match(tokenPattern) ?? [];
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

/** Literals that stand directly before and behind free text. */
export class NaturalCuts {
  readonly #before = new Set<string>();
  readonly #behind = new Set<string>();

  /** Learns from a render: what touches its sentinels. */
  learn(render: string, sentinels: RegExp): void {
    let last = 0;
    let literal: string;
    for (const match of render.matchAll(sentinels)) {
      literal = render.slice(last, match.index);
      this.#learnLiteral(literal, last > 0);
      last = match.index + match[0].length;
    }
    const first = tokens(render.slice(last))[0];
    if (first !== undefined && last > 0) this.#behind.add(first);
  }

  #learnLiteral(literal: string, followsText: boolean): void {
    const parts = tokens(literal);
    const first = parts[0];
    const last = parts.at(-1);
    if (last !== undefined) this.#before.add(last);
    if (first !== undefined && followsText) this.#behind.add(first);
  }

  /** Whether a cut between two texts is natural. */
  between(left: string, right: string): boolean {
    const before = tokens(left).at(-1);
    const after = tokens(right)[0];
    if (before === undefined || after === undefined) return true;
    return this.#before.has(before) || this.#behind.has(after);
  }

  /** The longest common beginning of `texts` that ends at a natural cut, else at a token. */
  commonPrefix(texts: readonly string[]): string {
    const [first = ''] = texts;
    const longest = commonPrefixLength(texts);
    const edges = texts.map(tokenEdges);
    const candidates = range(longest).filter((length) => edges.every((each) => each.has(length)));
    const natural = candidates.filter((length) =>
      texts.some((text) => this.between(text.slice(0, length), text.slice(length))),
    );
    return first.slice(0, Math.max(0, ...(natural.length > 0 ? natural : candidates)));
  }

  /** The longest common ending of `texts` that begins at a natural cut, else at a token. */
  commonSuffix(texts: readonly string[]): string {
    const [first = ''] = texts;
    const longest = commonSuffixLength(texts);
    const edges = texts.map((text) => ({ text, edges: tokenEdges(text) }));
    const candidates = range(longest).filter((length) =>
      edges.every(({ text, edges: own }) => own.has(text.length - length)),
    );
    const natural = candidates.filter((length) =>
      texts.some((text) =>
        this.between(text.slice(0, text.length - length), text.slice(text.length - length)),
      ),
    );
    const length = Math.max(0, ...(natural.length > 0 ? natural : candidates));
    return first.slice(first.length - length);
  }
}

function range(highest: number): readonly number[] {
  return Array.from({ length: highest + 1 }, (_, index) => index);
}
