/**
 * Handles values that are checked instead of enforced: when an invalid value closes, the response goes back to a
 * position where a token was sampled, excludes the text that closed the value, and samples again.
 */
import type { Steps } from '../../../language/expression/steps.ts';
import type { Matcher } from '../../../language/matcher/matcher.ts';
import type { ResponseEvent } from '../../../parser/events.ts';
import type { RevocableResponse } from '../../chat/checks/revocable-response.ts';
import type { TokenBiases } from '../engine.ts';
import type { Vocabulary } from '../tokens/vocabulary.ts';
import { type SampledAt, SampledPlaces } from './sampled-places.ts';

/** A sampled token, before it is judged. */
export interface Taken {
  /** Tokens to evaluate in its place: itself and the tokens forced after it, or a correction. */
  readonly tokens: readonly number[];
  /** How many of them replace the sampled one. */
  readonly sampled: number;
  /** Whether the response is over. */
  readonly over: boolean;
}

/** The result of one token. */
export interface DecodingStep extends Pick<Taken, 'tokens' | 'over'> {
  readonly events: readonly ResponseEvent[];
  /** Set if the response goes back: how many of its tokens are kept. */
  readonly back?: number;
}

/** How often a response may go back. */
const maxTries = 64;
/**
 * How often because of what only a library refuses. Its rules may be about the world (a place that exists, a date to come):
 * then the model does better with the library's words than with other text.
 */
const maxLibraryTries = 32;
/** After this many attempts, half of the value is discarded: its end may have too many invalid continuations. */
const halfEvery = 6;

/** Judges the steps of one response, and goes back. */
export class Backtracking {
  readonly #response: RevocableResponse;
  readonly #vocabulary: Vocabulary;
  readonly #places: SampledPlaces;
  /** Number of tokens of the response. */
  #tokens = 0;
  #tries = 0;
  #libraryTries = 0;
  /** Where the text ends that can no longer be revoked. */
  #released: SampledAt | null = null;

  constructor(response: RevocableResponse, vocabulary: Vocabulary) {
    this.#response = response;
    this.#vocabulary = vocabulary;
    this.#places = new SampledPlaces(vocabulary);
  }

  /** Excludes tokens at the current position; `null` if there are none to exclude. */
  bias(matcher: Matcher): TokenBiases | null {
    return this.#places.bias(matcher);
  }

  /**
   * The step for `taken`: its events, or how far to go back. Throws `CheckFailedError` if there is nothing left to try.
   */
  *judge(taken: Taken): Steps<DecodingStep> {
    const { tokens, sampled, over } = taken;
    const response = this.#response;
    if (!response.checked) return { events: response.release(), tokens, over };
    const written = this.#bytesOf(tokens);
    if (response.failure !== null) {
      if (this.#places.last !== undefined)
        return yield* this.#refuse(this.#bytesOf(tokens.slice(0, sampled)));
      // All of it was forced.
      if (!response.isLibrarys) throw response.failed(this.#tries);
      yield* response.leaveToGuard();
      return yield* this.judge(taken);
    }
    const place = {
      changes: response.length,
      tokens: this.#tokens + tokens.length,
      valueLength: response.valueLength,
    };
    if (!this.#places.add(place, written)) return yield* this.#refuse(written);
    if (!over && this.#isDeadEnd()) return yield* this.#goBack();
    const events = response.release();
    this.#places.dropBefore(response.released);
    if (this.#released === null || response.released === place.changes) this.#released = place;
    this.#tokens += tokens.length;
    return { events, tokens, over };
  }

  /** Excludes the text that the last token began, and goes back to where it was sampled, or further. */
  *#refuse(bytes: Uint8Array): Steps<DecodingStep> {
    const { last } = this.#places;
    if (last === undefined) throw this.#response.failed(this.#tries);
    if (this.#response.failure?.fromLibrary === true) this.#libraryTries += 1;
    if (this.#libraryTries > maxLibraryTries) return yield* this.#giveUp();
    this.#exclude(yield* this.#closingPart(bytes, last.changes));
    return yield* this.#goBack();
  }

  /** Throws; or, if only a library is against it, has the model write its own text, which is not asked about again. */
  *#giveUp(): Steps<DecodingStep> {
    const response = this.#response;
    if (!response.isLibrarys || this.#released === null) throw response.failed(this.#tries);
    yield* response.leaveToGuard();
    yield* response.goBack(this.#released.changes);
    this.#tries = 0;
    this.#places.restart(this.#released);
    this.#tokens = this.#released.tokens;
    return { events: [], tokens: [], over: false, back: this.#tokens };
  }

  /** Leaves positions after which nothing may come; every few attempts, also half of those inside the invalid value. */
  *#goBack(): Steps<DecodingStep> {
    const places = this.#places;
    const response = this.#response;
    this.#tries += 1;
    if (this.#tries > maxTries) return yield* this.#giveUp();
    const isHalf = this.#tries % halfEvery === 0;
    const kept = isHalf ? places.middleAfter(response.failedAt) : Number.POSITIVE_INFINITY;
    while (this.#isDeadEnd() || (places.last?.valueLength ?? 0) > kept) {
      const written = places.removeLast();
      if (written === null || places.last === undefined) return yield* this.#giveUp();
      yield* response.goBack(places.last.changes);
      this.#exclude(written);
    }
    this.#tokens = places.last?.tokens ?? 0;
    return { events: [], tokens: [], over: false, back: this.#tokens };
  }

  /** Excludes `bytes` at the current position, and each of their prefixes that the grammar completes to them. */
  #exclude(bytes: Uint8Array): void {
    const { matcher } = this.#response.now;
    this.#places.exclude(matcher === null ? bytes : withoutForced(bytes, matcher));
  }

  #isDeadEnd(): boolean {
    const { matcher } = this.#response.now;
    return matcher !== null && this.#places.isDeadEnd(matcher);
  }

  /**
   * The shortest prefix of `bytes` that closes the invalid value: everything else with that prefix closes it, too.
   * Leaves the response before it, after `changes` changes.
   */
  *#closingPart(bytes: Uint8Array, changes: number): Steps<Uint8Array> {
    const response = this.#response;
    yield* response.goBack(changes);
    let length = 0;
    while (length < bytes.length && response.failure === null) {
      length += 1;
      response.take({ spelling: bytes.subarray(length - 1, length), role: 'text', tokens: 1 });
    }
    yield* response.goBack(changes);
    return bytes.subarray(0, length);
  }

  #bytesOf(tokens: readonly number[]): Uint8Array {
    return Uint8Array.from(tokens.flatMap((token) => [...this.#vocabulary.bytesOf(token)]));
  }
}

/** The shortest prefix of `bytes` after which `matcher` forces the rest. */
function withoutForced(bytes: Uint8Array, matcher: Matcher): Uint8Array {
  for (let length = 1; length < bytes.length; length++) {
    const ahead = matcher.clone();
    if (!ahead.accept(bytes.subarray(0, length))) break;
    const forced = new TextEncoder().encode(ahead.forced());
    const rest = bytes.subarray(length);
    if (rest.length <= forced.length && rest.every((byte, at) => byte === forced[at]))
      return bytes.subarray(0, length);
  }
  return bytes;
}
