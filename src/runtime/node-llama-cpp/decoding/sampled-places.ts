/**
 * The places of a response at which tokens were sampled, to which it can go back and sample others: which bytes are
 * excluded at each, because the value that they lead to is not valid.
 */
import { type Token, TokenBias } from 'node-llama-cpp';
import type { Matcher } from '../../../grammar/matcher/matcher.ts';
import { allowedBias } from '../allowed-tokens.ts';
import type { Vocabulary } from '../vocabulary.ts';

/** Where a token is sampled. */
export interface SampledAt {
  /** Changes of the response before it, for `RevocableResponse.goBack`. */
  readonly changes: number;
  /** Tokens of the response before it. */
  readonly tokens: number;
  /** Characters of the checked value before it. */
  readonly valueLength: number;
}

interface SampledPlace extends SampledAt {
  /** The text may not continue with any of these. */
  readonly excluded: Uint8Array[];
  /** What was written from here to the next place. */
  written: Uint8Array;
}

/** Where more tokens than these are allowed, some are taken to be left. */
const mostAllowed = 4096;

/** The places of one response; the last is where it stands. */
export class SampledPlaces {
  readonly #vocabulary: Vocabulary;
  #places: SampledPlace[] = [];
  #bias: TokenBias | null = null;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** Where the next token is sampled; `undefined` before the first. */
  get last(): SampledAt | undefined {
    return this.#places.at(-1);
  }

  /** Adds `place`, with `written` between it and the last one; `false`, and nothing is added, where that is excluded. */
  go(place: SampledAt, written: Uint8Array): boolean {
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

  /** Forgets the places with fewer changes than these: their events were given out. */
  settle(changes: number): void {
    this.#places = this.#places.filter((place) => place.changes >= changes);
  }

  /** Excludes `bytes` at the last place. */
  exclude(bytes: Uint8Array): void {
    this.#places.at(-1)?.excluded.push(bytes);
    this.#bias = null;
  }

  /** Whether every token that `matcher`, at the last place, allows is excluded. */
  isDeadEnd(matcher: Matcher): boolean {
    const excluded = this.#places.at(-1)?.excluded ?? [];
    if (excluded.length === 0 || matcher.complete) return false;
    const allowed = matcher.allowedTokens(this.#vocabulary.index, mostAllowed);
    return allowed?.every((id) => this.#isExcluded(this.#vocabulary.token(id), excluded)) === true;
  }

  /** The middle of the places after the first `valueLength` characters of the checked value, in its characters. */
  middleAfter(valueLength: number): number {
    const within = this.#places.filter((place) => place.valueLength > valueLength);
    return within[within.length >> 1]?.valueLength ?? Number.POSITIVE_INFINITY;
  }

  /** Drops the last place; what was written between it and the one before, `null` where there is none before. */
  leave(): Uint8Array | null {
    this.#places.pop();
    this.#bias = null;
    return this.#places.at(-1)?.written ?? null;
  }

  /** Keeps excluded tokens from being sampled at the last place; `null` where none is. */
  bias(matcher: Matcher): TokenBias | null {
    const excluded = this.#places.at(-1)?.excluded ?? [];
    if (excluded.length > 0) this.#bias ??= this.#biasAgainst(excluded, matcher);
    return this.#bias;
  }

  #biasAgainst(excluded: readonly Uint8Array[], matcher: Matcher): TokenBias {
    const { allowed, index, tokenizer } = this.#vocabulary;
    const bias = new TokenBias(tokenizer);
    // Nothing pulls towards ends of generation, so that nothing may pull away from them either.
    const wanted = matcher.complete ? [] : (allowed.at(matcher) ?? []);
    for (const token of wanted) bias.set(token, { logit: allowedBias });
    for (const id of index.ids) {
      const token = this.#vocabulary.token(id);
      if (this.#isExcluded(token, excluded)) bias.set(token, 'never');
    }
    return bias;
  }

  #isExcluded(token: Token, excluded: readonly Uint8Array[]): boolean {
    const bytes = this.#vocabulary.bytesOf(token);
    return excluded.some((each) => beginsWith(bytes, each));
  }
}

function beginsWith(bytes: Uint8Array, beginning: Uint8Array): boolean {
  return bytes.length >= beginning.length && beginning.every((byte, at) => bytes[at] === byte);
}
