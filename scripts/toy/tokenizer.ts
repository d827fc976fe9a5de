/**
 * The toy's tokenizer: byte-level BPE whose merges stay inside runs of ASCII letters. So a word is the same tokens
 * after a space, a quote or a line break, and digits, punctuation and spaces are single tokens.
 */
import { toyControls, toyMarkers } from '../../src/testing/toy/tokens.ts';

/** Pairs of texts, the first merged first. */
export type Merges = readonly (readonly [string, string])[];

/** Learns merges from texts: the most frequent pair each time. */
export function learnMerges(texts: Iterable<string>, count: number): Merges {
  const counts = new Map<string, number>();
  for (const text of texts) {
    const plain = text.replace(/<[|]?\/?[a-z_]+[|]?>/g, ' ');
    for (const [word] of plain.matchAll(/[A-Za-z]+/g)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  let words = [...counts].map(([word, times]) => ({ parts: [...word], times }));
  const merges: [string, string][] = [];
  while (merges.length < count) {
    const best = mostFrequentPair(words);
    if (best === undefined) break;
    const [left, right] = best;
    merges.push([left, right]);
    words = words.map(({ parts, times }) => ({ parts: merge(parts, left, right), times }));
  }
  return merges;
}

interface CountedWord {
  readonly parts: string[];
  readonly times: number;
}

function mostFrequentPair(words: readonly CountedWord[]): [string, string] | undefined {
  const pairs = new Map<string, number>();
  for (const { parts, times } of words) {
    for (let at = 1; at < parts.length; at += 1) {
      const pair = `${parts[at - 1]} ${parts[at]}`;
      pairs.set(pair, (pairs.get(pair) ?? 0) + times);
    }
  }
  let best: string | undefined;
  for (const [pair, times] of pairs) {
    const most = best === undefined ? 0 : (pairs.get(best) ?? 0);
    if (times > most || (times === most && best !== undefined && pair < best)) best = pair;
  }
  return best?.split(' ') as [string, string] | undefined;
}

function merge(parts: readonly string[], left: string, right: string): string[] {
  const merged: string[] = [];
  for (let at = 0; at < parts.length; at += 1) {
    if (parts[at] === left && parts[at + 1] === right) {
      merged.push(left + right);
      at += 1;
    } else merged.push(parts[at] ?? '');
  }
  return merged;
}

/** Ids: the 256 bytes, the merges, the control tokens, the markers. */
export class Tokenizer {
  readonly merges: Merges;
  readonly size: number;
  readonly #ranks = new Map<string, number>();
  readonly #ids = new Map<string, number>();
  readonly #specials = new Map<string, number>();
  readonly #words = new Map<string, readonly number[]>();
  readonly #splitter: RegExp;

  constructor(merges: Merges) {
    this.merges = merges;
    merges.forEach(([left, right], rank) => {
      this.#ranks.set(`${left} ${right}`, rank);
      this.#ids.set(left + right, 256 + rank);
    });
    const specials = [...toyControls, ...toyMarkers];
    specials.forEach((text, index) => {
      this.#specials.set(text, 256 + merges.length + index);
    });
    this.size = 256 + merges.length + specials.length;
    const escaped = specials.map((text) => text.replace(/[|]/g, '\\$&'));
    this.#splitter = new RegExp(`(${escaped.join('|')}|[A-Za-z]+)`);
  }

  /** The tokens of a text, its markers as the tokens that they are. */
  encode(text: string): number[] {
    return text.split(this.#splitter).flatMap((part, index) => {
      if (index % 2 === 0) return [...Buffer.from(part, 'utf8')];
      const special = this.#specials.get(part);
      return special === undefined ? this.#word(part) : [special];
    });
  }

  special(text: string): number {
    const id = this.#specials.get(text);
    if (id === undefined) throw new Error(`${text} is no token`);
    return id;
  }

  #word(word: string): readonly number[] {
    const known = this.#words.get(word);
    if (known !== undefined) return known;
    let parts = [...word];
    for (;;) {
      let best: number | undefined;
      for (let at = 1; at < parts.length; at += 1) {
        const rank = this.#ranks.get(`${parts[at - 1]} ${parts[at]}`);
        if (rank !== undefined && (best === undefined || rank < best)) best = rank;
      }
      const pair = best === undefined ? undefined : this.merges[best];
      if (pair === undefined) break;
      parts = merge(parts, ...pair);
    }
    const ids = parts.map((part) => this.#ids.get(part) ?? part.charCodeAt(0));
    this.#words.set(word, ids);
    return ids;
  }
}
