/**
 * The positions of a response where tokens were sampled, so that it can go back and sample others; for each, the bytes
 * that are excluded because they lead to an invalid value.
 */
import type { Matcher } from '../../../language/matcher/matcher.ts';
import { tokensFrom } from '../../../language/matcher/token-index.ts';
import type { TokenBiases } from '../engine.ts';
import type { Vocabulary } from '../tokens/vocabulary.ts';

/** A position where a token is sampled. */
export interface SampledAt {
  /** Changes of the response before it, for `RevocableResponse.goBack`. */
  readonly changes: number;
  /** Tokens of the response before it. */
  readonly tokens: number;
  /** Length of the checked value before it. */
  readonly valueLength: number;
}

interface SampledPlace extends SampledAt {
  /** Texts with which it may not continue. */
  readonly excluded: Uint8Array[];
  /** Text from here to the next position. */
  written: Uint8Array;
}

/** If more tokens than this are allowed, some are assumed to remain. */
const maxAllowed = 4096;

/** The positions of one response; the last is the current one. */
export class SampledPlaces {
  readonly #vocabulary: Vocabulary;
  #places: SampledPlace[] = [];
  #bias: TokenBiases | null = null;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** The current position; `undefined` before the first. */
  get last(): SampledAt | undefined {
    return this.#places.at(-1);
  }

  /**
   * Adds `place`, with `written` between it and the last one. If that is excluded, adds nothing and returns `false`.
   */
  add(place: SampledAt, written: Uint8Array): boolean {
    const last = this.#places.at(-1);
    const before = last?.excluded ?? [];
    if (before.some((bytes) => beginsWith(written, bytes))) return false;
    if (last !== undefined) last.written = written;
    const excluded = before
      .filter((bytes) => beginsWith(bytes, written))
      .map((bytes) => bytes.subarray(written.length));
    this.#places.push({ ...place, excluded, written: new Uint8Array() });
    this.#bias = null;
    return true;
  }

  /** Removes positions with fewer changes than this, because their events were released. */
  dropBefore(changes: number): void {
    this.#places = this.#places.filter((place) => place.changes >= changes);
  }

  /** Starts over from `place`, where nothing is excluded any more. */
  restart(place: SampledAt): void {
    this.#places = [{ ...place, excluded: [], written: new Uint8Array() }];
    this.#bias = null;
  }

  /** Excludes `bytes` at the current position. */
  exclude(bytes: Uint8Array): void {
    this.#places.at(-1)?.excluded.push(bytes);
    this.#bias = null;
  }

  /** Whether every token that `matcher` allows at the current position is excluded. */
  isDeadEnd(matcher: Matcher): boolean {
    const excluded = this.#places.at(-1)?.excluded ?? [];
    if (excluded.length === 0 || matcher.complete) return false;
    const allowed = matcher.allowedTokens(this.#vocabulary.index, maxAllowed);
    return allowed?.every((token) => this.#isExcluded(token, excluded)) === true;
  }

  /** The middle of the positions after the first `valueLength` characters of the checked value, as a length of it. */
  middleAfter(valueLength: number): number {
    const within = this.#places.filter((place) => place.valueLength > valueLength);
    return within[within.length >> 1]?.valueLength ?? Number.POSITIVE_INFINITY;
  }

  /** Removes the current position; returns the text between it and the one before, `null` if there is none before. */
  removeLast(): Uint8Array | null {
    this.#places.pop();
    this.#bias = null;
    return this.#places.at(-1)?.written ?? null;
  }

  /** Keeps excluded tokens from being sampled at the current position; `null` if there are none. */
  bias(matcher: Matcher): TokenBiases | null {
    const excluded = this.#places.at(-1)?.excluded ?? [];
    if (excluded.length > 0) this.#bias ??= this.#biasAgainst(excluded, matcher);
    return this.#bias;
  }

  #biasAgainst(excluded: readonly Uint8Array[], matcher: Matcher): TokenBiases {
    const { allowed, index } = this.#vocabulary;
    const bias = new Map(allowed.bias(matcher) ?? []);
    for (const token of matcher.illFormedTokens(index)) bias.set(token, -Infinity);
    for (const beginning of excluded) {
      for (const token of tokensFrom(index, beginning)) bias.set(token, -Infinity);
    }
    return bias;
  }

  #isExcluded(token: number, excluded: readonly Uint8Array[]): boolean {
    const bytes = this.#vocabulary.bytesOf(token);
    return excluded.some((each) => beginsWith(bytes, each));
  }
}

function beginsWith(bytes: Uint8Array, beginning: Uint8Array): boolean {
  return bytes.length >= beginning.length && beginning.every((byte, at) => bytes[at] === byte);
}
