/**
 * What is checked rather than enforced: when a value closes that is not valid, the response goes back to a place where
 * a token was sampled, excludes the text that closed the value, and samples again.
 */
import type { Token, TokenBias } from 'node-llama-cpp';
import type { Matcher } from '../../../grammar/matcher/matcher.ts';
import type { ResponseEvent } from '../../../parser/events.ts';
import type { RevocableResponse } from '../../chat/checks/revocable-response.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { SampledPlaces } from './sampled-places.ts';

/** What a sampled token has become, before it is judged. */
export interface Taken {
  /** Tokens to evaluate in its place: it and what is forced after it, or a correction. */
  readonly tokens: readonly Token[];
  /** How many of them stand for the sampled one. */
  readonly sampled: number;
  /** The response is over; nothing more is to be sampled. */
  readonly over: boolean;
}

/** What came of one token. */
export interface Step extends Pick<Taken, 'tokens' | 'over'> {
  readonly events: readonly ResponseEvent[];
  /** Set where the response goes back: how many of its tokens stay. */
  readonly back?: number;
}

/** How often one response may go back. */
const maxTries = 64;
/** Every so many tries, half of the value is written anew: its end may have too many invalid continuations. */
const halfEvery = 6;

/** Judges the steps of one response. */
export class Backtracking {
  readonly #response: RevocableResponse;
  readonly #vocabulary: Vocabulary;
  readonly #places: SampledPlaces;
  /** Tokens of the response. */
  #tokens = 0;
  #tries = 0;

  constructor(response: RevocableResponse, vocabulary: Vocabulary) {
    this.#response = response;
    this.#vocabulary = vocabulary;
    this.#places = new SampledPlaces(vocabulary);
  }

  /** Keeps excluded tokens from being sampled where the response stands; `null` where none is. */
  bias(matcher: Matcher): TokenBias | null {
    return this.#places.bias(matcher);
  }

  /** The step that `taken` makes: its events, or the way back. Throws `CheckFailedError` when nothing is left to try. */
  judge({ tokens, sampled, over }: Taken): Step {
    const response = this.#response;
    if (!response.checked) return { events: response.release(), tokens, over };
    const written = this.#bytesOf(tokens);
    if (response.failure !== null) return this.#refuse(this.#bytesOf(tokens.slice(0, sampled)));
    const place = {
      changes: response.length,
      tokens: this.#tokens + tokens.length,
      valueLength: response.valueLength,
    };
    if (!this.#places.go(place, written)) return this.#refuse(written);
    if (!over && this.#isDeadEnd()) return this.#goBack();
    const events = response.release();
    this.#places.settle(response.settled);
    this.#tokens += tokens.length;
    return { events, tokens, over };
  }

  /** Excludes what the last token began, and goes back to where it was sampled, or further. */
  #refuse(bytes: Uint8Array): Step {
    const { last } = this.#places;
    if (last === undefined) throw this.#response.failed(this.#tries);
    this.#exclude(this.#closingPart(bytes, last.changes));
    return this.#goBack();
  }

  /** Leaves every place after which nothing may come; every few tries, also half of those within the invalid value. */
  #goBack(): Step {
    const places = this.#places;
    const response = this.#response;
    const failed = response.failed(this.#tries);
    this.#tries += 1;
    if (this.#tries > maxTries) throw failed;
    const isHalf = this.#tries % halfEvery === 0;
    const kept = isHalf ? places.middleAfter(response.failedAt) : Number.POSITIVE_INFINITY;
    while (this.#isDeadEnd() || (places.last?.valueLength ?? 0) > kept) {
      const written = places.leave();
      if (written === null || places.last === undefined) throw failed;
      response.goBack(places.last.changes);
      this.#exclude(written);
    }
    this.#tokens = places.last?.tokens ?? 0;
    return { events: [], tokens: [], over: false, back: this.#tokens };
  }

  /** Excludes `bytes` where the response stands, and every beginning of them that the grammar completes to them. */
  #exclude(bytes: Uint8Array): void {
    const { matcher } = this.#response.now;
    this.#places.exclude(matcher === null ? bytes : withoutForced(bytes, matcher));
  }

  #isDeadEnd(): boolean {
    const { matcher } = this.#response.now;
    return matcher !== null && this.#places.isDeadEnd(matcher);
  }

  /**
   * The shortest beginning of `bytes` that closes the invalid value: whatever else begins with it closes it, too.
   * Leaves the response before it, after `changes` changes.
   */
  #closingPart(bytes: Uint8Array, changes: number): Uint8Array {
    const response = this.#response;
    response.goBack(changes);
    let length = 0;
    while (length < bytes.length && response.failure === null) {
      length += 1;
      response.take({ spelling: bytes.subarray(length - 1, length), role: 'text', tokens: 1 });
    }
    response.goBack(changes);
    return bytes.subarray(0, length);
  }

  #bytesOf(tokens: readonly Token[]): Uint8Array {
    return Uint8Array.from(tokens.flatMap((token) => [...this.#vocabulary.bytesOf(token)]));
  }
}

/** The shortest beginning of `bytes` after which `matcher` forces the rest. */
function withoutForced(bytes: Uint8Array, matcher: Matcher): Uint8Array {
  for (let length = 1; length < bytes.length; length++) {
    const walker = matcher.clone();
    if (!walker.accept(bytes.subarray(0, length))) break;
    const forced = new TextEncoder().encode(walker.forced());
    const rest = bytes.subarray(length);
    if (rest.length <= forced.length && rest.every((byte, at) => byte === forced[at]))
      return bytes.subarray(0, length);
  }
  return bytes;
}
