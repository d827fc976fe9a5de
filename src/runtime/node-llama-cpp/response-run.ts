/**
 * One response, token by token: what is evaluated in place of a sampled token, and after it. Knows nothing of how
 * tokens are sampled; `decode.ts` does that.
 */
import type { LlamaGrammarEvaluationState, Token, TokenBias } from 'node-llama-cpp';
import { DecodingError } from '../../format/errors.ts';
import type { Matcher } from '../../grammar/matcher/matcher.ts';
import type { ResponseEvent, Usage } from '../../parser/events.ts';
import type { ResponseChecks } from '../chat/checks/response-checks.ts';
import { RevocableResponse } from '../chat/checks/revocable-response.ts';
import type {
  SteeredResponse,
  SteeringOptions,
  WrittenPiece,
  WrittenResponse,
} from '../chat/steered-response.ts';
import type { PromptUsage } from '../chat/token-usage.ts';
import { newDecoder } from '../chat/utf8.ts';
import { GrammarGuide, type GuideOptions } from './grammar-guide.ts';
import { type Guess, guessTokens } from './guessed-tokens.ts';
import { markerEndsAt } from './marker-ends.ts';
import type { MarkerTokens } from './marker-tokens.ts';
import { SampledPlaces } from './sampled-places.ts';

/** What a run works with. */
export interface RunOptions extends GuideOptions, SteeringOptions {
  readonly markers: MarkerTokens;
  /** A marker of the format with this text may come in free text where the parser stands, after the response's `text`. */
  readonly continues: (marker: string, text: string) => boolean;
  /** What is checked while it is written. Default `null`: the grammar enforces all. */
  readonly checks?: ResponseChecks | null;
}

/** What came of one token. */
export interface Step {
  readonly events: readonly ResponseEvent[];
  /** Tokens to evaluate in place of the sampled one: it and what is forced after it, or a correction. */
  readonly tokens: readonly Token[];
  /** The response is over; nothing more is to be sampled. */
  readonly over: boolean;
  /** Set where what was written is taken back: the tokens of the response that stay. */
  readonly back?: number;
}

/** How often something is taken back in one response. */
const maxTries = 64;
/** Each so-manieth time half of the value is taken back: its end may have too many continuations that are not valid. */
const halfEvery = 6;

/** What a token has become, before it is judged. */
interface Taken {
  readonly tokens: readonly Token[];
  /** How many of them stand for the sampled one. */
  readonly sampled: number;
  readonly over: boolean;
}

/** Follows one response from its first token to its message. */
export class ResponseRun {
  readonly #options: RunOptions;
  readonly #revocable: RevocableResponse;
  readonly #guide: GrammarGuide;
  readonly #places: SampledPlaces;
  /** Tokens of the response. */
  #tokens = 0;
  #tries = 0;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#revocable = new RevocableResponse(options, options.checks ?? null);
    this.#guide = new GrammarGuide(options);
    this.#places = new SampledPlaces(options.vocabulary);
  }

  get #response(): SteeredResponse {
    return this.#revocable.now;
  }

  /** llama.cpp's grammar for the next token; none outside of what the grammar covers. */
  get grammarState(): LlamaGrammarEvaluationState | undefined {
    return this.#response.constrained ? this.#guide.state : undefined;
  }

  /** Pulls the next sample towards the allowed tokens, where they are few; `null` where nothing has to be pulled. */
  get bias(): TokenBias | null {
    const { constrained, matcher } = this.#response;
    if (!constrained) return null;
    return (matcher === null ? null : this.#places.bias(matcher)) ?? this.#guide.bias;
  }

  /** The next token is one of free text. */
  get free(): boolean {
    return this.#response.free;
  }

  /** The text so far. */
  get text(): string {
    return this.#response.text;
  }

  /** Before the first sample: tokens that are forced, to be evaluated with the prompt. */
  start(): Step {
    const { matcher } = this.#response;
    if (matcher !== null && !matcher.open && !matcher.complete) {
      throw new DecodingError({ reason: 'the grammar allows no response', text: '' });
    }
    return this.#judge(this.#step([], false));
  }

  /** What may come next, guessed; empty where it cannot be. `written`: the conversation's tokens up to here. */
  guess(written: readonly Token[]): readonly Guess[] {
    const { constrained, matcher, over } = this.#response;
    const { inject, markers, vocabulary } = this.#options;
    // What is forced and not injected is sampled token by token.
    // What is checked may be taken back token by token.
    if (this.#revocable.checked) return [];
    if (!inject || !constrained || matcher === null || over || this.#guide.unmasked) return [];
    return guessTokens(matcher, written, markers, vocabulary);
  }

  /** A token was sampled; `masked`: under `grammarState`, which then stands after it. */
  accept(token: Token, masked = true): Step {
    return this.#judge(this.#ends(token, masked) ? this.#end(token) : this.#take(token, masked));
  }

  /** The prompt as the engine took it. */
  follow(prompt: PromptUsage): void {
    this.#revocable.follow(prompt);
  }

  /** So many of the conversation's messages were left out to make room for the response. */
  drop(messages: number): void {
    this.#revocable.drop(messages);
  }

  /** The context holds no more tokens. */
  cutOff(): void {
    this.#response.cutOff();
  }

  /** What the response has cost so far. */
  get usage(): Usage {
    return this.#response.usage;
  }

  /** No more tokens; `left`: nobody waits for more. */
  finish(left = false): WrittenResponse {
    return this.#revocable.finish(left);
  }

  /** The token is an end of generation, and neither a marker of the format nor text where it stands. */
  #ends(token: Token, masked: boolean): boolean {
    const { continues, markers, vocabulary } = this.#options;
    if (!vocabulary.endsGeneration(token)) return false;
    const { constrained, matcher } = this.#response;
    const text = newDecoder().decode(vocabulary.bytesOf(token));
    // llama.cpp takes the mark away from some tokens whose names other formats end by, and node-llama-cpp keeps it:
    // such a token gets past the mask wherever the grammar takes its text.
    const wasMasked = constrained && masked && !this.#guide.unmasked;
    if (wasMasked && matcher !== null && !matcher.complete && matcher.allows(text)) return false;
    if (!markers.has(token)) return true;
    if (!constrained) return !continues(text, this.text);
    return matcher === null || markerEndsAt(matcher, markers, vocabulary)?.tokens.includes(token) !== true;
  }

  #take(token: Token, masked: boolean): Taken {
    const response = this.#response;
    const wasConstrained = response.constrained;
    if (wasConstrained && response.matcher !== null && this.#guide.unmasked) {
      const allowed = this.#allowedPart(token);
      if (allowed !== null) {
        this.#write(allowed);
        return this.#step(allowed, false);
      }
    }
    const { kept } = this.#revocable.take(this.#pieceOf(token));
    if (kept === null) return this.#step([token], wasConstrained && masked);
    const tokens = this.#options.markers.encode(kept);
    this.#revocable.recount(1, tokens.length);
    return this.#step(tokens, false);
  }

  #end(token: Token): Taken {
    const text = newDecoder().decode(this.#options.vocabulary.bytesOf(token));
    this.#revocable.end(text);
    return { tokens: [], sampled: 0, over: true };
  }

  /** The step that `taken` makes: its events, or the way back where a value closed that is not valid. */
  #judge({ tokens, sampled, over }: Taken): Step {
    const revocable = this.#revocable;
    if (!revocable.checked) return { events: revocable.release(), tokens, over };
    const written = this.#bytesOf(tokens);
    if (revocable.failure !== null) return this.#refuse(this.#bytesOf(tokens.slice(0, sampled)));
    const place = {
      changes: revocable.length,
      tokens: this.#tokens + tokens.length,
      valueLength: revocable.valueLength,
    };
    if (!this.#places.go(place, written)) return this.#refuse(written);
    if (!over && this.#isDeadEnd()) return this.#goBack();
    const events = revocable.release();
    this.#places.settle(revocable.settled);
    this.#tokens += tokens.length;
    return { events, tokens, over };
  }

  /** Keeps away what the last token began, and goes back to where it was sampled, or farther. */
  #refuse(bytes: Uint8Array): Step {
    const { last } = this.#places;
    if (last === undefined) throw this.#revocable.failed(this.#tries);
    const least = this.#leastOf(bytes, last.changes);
    this.#refuseHere(least);
    return this.#goBack();
  }

  /** Leaves the places after which nothing may come; now and then half of those within the value that is not valid. */
  #goBack(): Step {
    const places = this.#places;
    const revocable = this.#revocable;
    const failed = revocable.failed(this.#tries);
    this.#tries += 1;
    if (this.#tries > maxTries) throw failed;
    const isHalf = this.#tries % halfEvery === 0;
    const kept = isHalf ? places.middleAfter(revocable.failedAt) : Number.POSITIVE_INFINITY;
    while (this.#isDeadEnd() || (places.last?.valueLength ?? 0) > kept) {
      const written = places.leave();
      if (written === null || places.last === undefined) throw failed;
      revocable.goBack(places.last.changes);
      this.#refuseHere(written);
    }
    this.#tokens = places.last?.tokens ?? 0;
    this.#settle(false);
    return { events: [], tokens: [], over: false, back: this.#tokens };
  }

  /** Keeps away `bytes` where the response stands, and all to which only they can follow. */
  #refuseHere(bytes: Uint8Array): void {
    const { matcher } = this.#response;
    this.#places.refuse(matcher === null ? bytes : withoutForced(bytes, matcher));
  }

  #isDeadEnd(): boolean {
    const { matcher } = this.#response;
    return matcher !== null && this.#places.isDeadEnd(matcher);
  }

  /**
   * The shortest beginning of `bytes` that closes the value: whatever else begins so closes it, too. Leaves the
   * response before it, after so many changes.
   */
  #leastOf(bytes: Uint8Array, changes: number): Uint8Array {
    const revocable = this.#revocable;
    revocable.goBack(changes);
    let length = 0;
    while (length < bytes.length && revocable.failure === null) {
      length += 1;
      revocable.take({ spelling: bytes.subarray(length - 1, length), role: 'text', tokens: 1 });
    }
    revocable.goBack(changes);
    return bytes.subarray(0, length);
  }

  #bytesOf(tokens: readonly Token[]): Uint8Array {
    return Uint8Array.from(tokens.flatMap((token) => [...this.#options.vocabulary.bytesOf(token)]));
  }

  /**
   * Of a token that was sampled without llama.cpp's grammar: `null` where all of it is allowed, otherwise the
   * tokens of what is.
   */
  #allowedPart(token: Token): readonly Token[] | null {
    const { markers, vocabulary } = this.#options;
    const bytes = vocabulary.bytesOf(token);
    const length = this.#response.matcher?.allowedLength(bytes) ?? bytes.length;
    if (length === bytes.length) return null;
    const text = newDecoder().decode(bytes.subarray(0, length), { stream: true });
    if (text === '') throw this.#response.broken('the model wrote what the grammar does not allow');
    return markers.encode(text);
  }

  /** After `tokens`, or before the first: what is forced now, the end of thoughts, and the next sample's grammar. */
  #step(tokens: readonly Token[], sampled: boolean): Taken {
    const response = this.#response;
    const added = this.#force();
    this.#write(added);
    const { closing } = response;
    const ending = closing === null ? [] : response.fit(this.#options.markers.encode(closing));
    this.#write(ending);
    const after = closing === null ? [] : this.#force();
    this.#write(after);
    if (response.tokensLeft === 0 && !response.over) response.cutOff();
    const written = [...added, ...ending, ...after];
    if (!response.over) this.#settle(sampled && written.length === 0);
    return { tokens: [...tokens, ...written], sampled: tokens.length, over: response.over };
  }

  #settle(sampled: boolean): void {
    const { constrained, matcher } = this.#response;
    if (matcher !== null) this.#guide.settle(matcher, sampled);
    else if (constrained) this.#guide.lose();
  }

  /** The tokens that are forced where the response stands, as many as may still be written. */
  #force(): readonly Token[] {
    const { matcher, over } = this.#response;
    return matcher === null || over ? [] : this.#response.fit(this.#guide.forced(matcher));
  }

  #write(tokens: readonly Token[]): void {
    for (const token of tokens) this.#revocable.write(this.#pieceOf(token));
  }

  #pieceOf(token: Token): WrittenPiece {
    const { markers, vocabulary } = this.#options;
    const spelling = vocabulary.bytesOf(token);
    // Under a grammar the text of every token counts, whatever it is to the format.
    const isSilent = vocabulary.isControl(token) && !markers.has(token) && !this.#response.constrained;
    const role = isSilent ? 'control' : vocabulary.isSpecial(token) ? 'marker' : 'text';
    return { spelling, role, tokens: 1 };
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
