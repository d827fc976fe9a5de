/**
 * Places of a response at which a token was sampled, so that another one can be sampled there: what may not come at
 * each, because the value that it leads to is not valid.
 */
import { type Token, TokenBias } from 'node-llama-cpp';
import type { Matcher } from '../../grammar/matcher/matcher.ts';
import { allowedBias } from './allowed-tokens.ts';
import type { Vocabulary } from './vocabulary.ts';

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
  /** Bytes with which nothing may go on here. */
  readonly dead: Uint8Array[];
  /** What was written from here to the next place. */
  written: Uint8Array;
}

/** More allowed tokens than this are never all refused. */
const mostAllowed = 4096;

/** The places of one response to which it can go back; the last is where it stands. */
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

  /** Goes on to `place`, `written` after the last one. `false`: nothing may go on so. */
  go(place: SampledAt, written: Uint8Array): boolean {
    const last = this.#places.at(-1);
    const before = last?.dead ?? [];
    if (before.some((bytes) => beginsWith(written, bytes))) return false;
    if (last !== undefined) last.written = written;
    const dead = before
      .filter((bytes) => beginsWith(bytes, written))
      .map((bytes) => bytes.subarray(written.length));
    this.#places.push({ ...place, dead, written: new Uint8Array() });
    this.#bias = null;
    return true;
  }

  /** What came before the place with so many changes cannot be taken back. */
  settle(changes: number): void {
    this.#places = this.#places.filter((place) => place.changes >= changes);
  }

  /** At the last place, nothing may go on with `bytes`. */
  refuse(bytes: Uint8Array): void {
    this.#places.at(-1)?.dead.push(bytes);
    this.#bias = null;
  }

  /** Whether nothing at all may come where `matcher` stands, which is the last place. */
  isDeadEnd(matcher: Matcher): boolean {
    const dead = this.#places.at(-1)?.dead ?? [];
    if (dead.length === 0 || matcher.complete) return false;
    const allowed = matcher.allowedTokens(this.#vocabulary.index, mostAllowed);
    return allowed?.every((id) => this.#isDead(this.#vocabulary.token(id), dead)) === true;
  }

  /** Half way to here from where the checked value had so many characters; in its characters. */
  middleAfter(valueLength: number): number {
    const within = this.#places.filter((place) => place.valueLength > valueLength);
    return within[within.length >> 1]?.valueLength ?? Number.POSITIVE_INFINITY;
  }

  /** Leaves the last place for the one before it; what was written between them, `null` where there is none. */
  leave(): Uint8Array | null {
    this.#places.pop();
    this.#bias = null;
    return this.#places.at(-1)?.written ?? null;
  }

  /** Keeps away what may not come; `null` where anything may. */
  bias(matcher: Matcher): TokenBias | null {
    const dead = this.#places.at(-1)?.dead ?? [];
    if (dead.length > 0) this.#bias ??= this.#biasAgainst(dead, matcher);
    return this.#bias;
  }

  #biasAgainst(dead: readonly Uint8Array[], matcher: Matcher): TokenBias {
    const { allowed, index, tokenizer } = this.#vocabulary;
    const bias = new TokenBias(tokenizer);
    for (const token of allowed.at(matcher) ?? []) bias.set(token, { logit: allowedBias });
    for (const id of index.ids) {
      const token = this.#vocabulary.token(id);
      if (this.#isDead(token, dead)) bias.set(token, 'never');
    }
    return bias;
  }

  #isDead(token: Token, dead: readonly Uint8Array[]): boolean {
    const bytes = this.#vocabulary.bytesOf(token);
    return dead.some((each) => beginsWith(bytes, each));
  }
}

function beginsWith(bytes: Uint8Array, beginning: Uint8Array): boolean {
  return bytes.length >= beginning.length && beginning.every((byte, at) => bytes[at] === byte);
}
