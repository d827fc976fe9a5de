/** One response, token by token: what to evaluate in place of a sampled token, and after it. `decode.ts` has it sampled. */
import { DecodingError } from '../../../format/errors.ts';
import type { Steps } from '../../../language/expression/steps.ts';
import { newDecoder } from '../../../language/utf8-decoder.ts';
import type { ResponseEvent, TokenLogprob, Usage } from '../../../parser/events.ts';
import type { ResponseChecks } from '../../chat/checks/response-checks.ts';
import { RevocableResponse } from '../../chat/checks/revocable-response.ts';
import type { SteeredResponse } from '../../chat/steering/steered-response.ts';
import type { SteeringOptions } from '../../chat/steering/steering-options.ts';
import type { WrittenPiece, WrittenResponse } from '../../chat/steering/written-piece.ts';
import type { PromptUsage } from '../../chat/token-usage.ts';
import type { DrawnToken, Mask, TokenBiases } from '../engine.ts';
import { foreseeMasks } from '../masks/foreseen-masks.ts';
import { GrammarGuide, type GuideOptions } from '../masks/grammar-guide.ts';
import { markerEndsAt } from '../masks/marker-ends.ts';
import { biasMask, GrammarMask, lostMask, setMask } from '../masks/mask.ts';
import type { MarkerTokens } from '../tokens/marker-tokens.ts';
import { Backtracking, type DecodingStep, type Taken } from './backtracking.ts';
import { type Guess, guessTokens } from './guessed-tokens.ts';
import { OverruledWishes } from './overruled-wishes.ts';
import { TokenLogprobs } from './token-logprobs.ts';

/** The options of a run. */
interface RunOptions extends GuideOptions, SteeringOptions {
  readonly markers: MarkerTokens;
  /**
   * Whether free text may continue after this marker, which the model file declares to be an end of generation;
   * `text`: the response so far.
   */
  readonly continues: (marker: string, text: string) => boolean;
  /** What is checked during decoding. Default `null`: the grammar enforces everything. */
  readonly checks?: ResponseChecks | null;
  /** The number of likeliest tokens reported with each token's probability. Default: no probabilities. */
  readonly logprobs?: number;
  /** Whether it is told where the grammar overrules the model. Default: false. */
  readonly tellOverruled?: boolean;
  /** The caller's bias for free text. Default: none. */
  readonly logitBias?: TokenBiases | null;
}

/** Follows one response from its first token to its message. */
export class ResponseRun {
  readonly #options: RunOptions;
  readonly #revocable: RevocableResponse;
  readonly #guide: GrammarGuide;
  readonly #backtracking: Backtracking;
  readonly #logprobs: TokenLogprobs | null;
  readonly #overruled: OverruledWishes | null;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#revocable = new RevocableResponse(options, options.checks ?? null);
    this.#guide = new GrammarGuide(options);
    this.#backtracking = new Backtracking(this.#revocable, options.vocabulary);
    const { logprobs, vocabulary } = options;
    this.#logprobs = logprobs === undefined ? null : new TokenLogprobs(vocabulary, logprobs);
    this.#overruled = options.tellOverruled === true ? new OverruledWishes(vocabulary) : null;
  }

  get #response(): SteeredResponse {
    return this.#revocable.now;
  }

  /** What may be drawn next; `null` for anything. The caller's bias is for free text, and gives way to any other. */
  get mask(): Mask | null {
    const { constrained, free, matcher } = this.#response;
    const { logitBias = null, vocabulary } = this.#options;
    const given = free ? logitBias : null;
    if (!constrained) return given === null ? null : biasMask(given, free);
    if (matcher === null) return lostMask(given, free, (reason) => this.#response.broken(reason));
    const { follows, only } = this.#guide;
    // In plain text, the caller's bias applies instead, and nothing counts characters.
    const otherwise = free ? given : vocabulary.allowed.illFormedBias(matcher);
    const bias = this.#backtracking.bias(matcher) ?? this.#guide.bias ?? otherwise;
    if (only !== null) return setMask(only, bias, free);
    return new GrammarMask({ matcher, vocabulary, bias, free, follows });
  }

  /** The mask whose refusals are told, which a token may be drawn without; `null` where it must be drawn under it. */
  get overrulable(): Mask | null {
    const { matcher, free } = this.#response;
    const isTold = this.#overruled !== null && !free && matcher !== null && !this.#guide.unmasked;
    return isTold && this.#backtracking.bias(matcher) === null ? this.mask : null;
  }

  /** The model would have written this token, which the grammar does not allow. */
  overrule(drawn: DrawnToken): void {
    this.#overruled?.note(drawn, this.text.length);
    this.#guideNext(false);
  }

  /** The text so far. */
  get text(): string {
    return this.#response.text;
  }

  /** Before the first sample: forced tokens, to be evaluated with the prompt. */
  *start(): Steps<DecodingStep> {
    const { matcher } = this.#response;
    if (matcher !== null && !matcher.open && !matcher.complete) {
      throw new DecodingError({ reason: 'the grammar allows no response', text: '' });
    }
    return yield* this.#judge(yield* this.#step([], false));
  }

  /** Guesses of the next tokens; empty if impossible. `written`: the conversation's tokens so far. */
  *guess(written: readonly number[]): Steps<readonly Guess[]> {
    const { constrained, matcher, over } = this.#response;
    const { inject, markers, vocabulary } = this.#options;
    // Checked text may be revoked token by token, and guessed tokens have no probabilities.
    if (this.#revocable.checked || this.#logprobs !== null) return [];
    // Forced text that is not injected is sampled token by token.
    if (!inject || !constrained || matcher === null || over || this.#guide.unmasked) return [];
    return yield* guessTokens(matcher, written, markers, vocabulary);
  }

  /** A token was drawn. `masked`: under `mask`, of which an engine's own grammar has accepted the token. */
  *accept(drawn: DrawnToken, masked = true): Steps<DecodingStep> {
    const { token } = drawn;
    const taken = this.#ends(token, masked) ? this.#end(token) : yield* this.#take(drawn, masked);
    const step = yield* this.#judge(taken);
    return { ...step, events: this.#told(step.events) };
  }

  /** Records the engine's figures for the prompt: its length, and how much of it was cached. */
  follow(prompt: PromptUsage): void {
    this.#revocable.follow(prompt);
  }

  /** Records how many messages were dropped to make room for the response. */
  drop(messages: number): void {
    this.#revocable.drop(messages);
  }

  /** The context is full. */
  cutOff(): void {
    this.#response.cutOff();
  }

  /** The tokens used so far. */
  get usage(): Usage {
    return this.#response.count.usage;
  }

  /** Finishes the response; `left`: the caller has stopped reading. */
  finish(left = false): WrittenResponse {
    const { events, message } = this.#revocable.finish(left);
    return { events: this.#told(events), message };
  }

  #told(events: readonly ResponseEvent[]): readonly ResponseEvent[] {
    return this.#overruled?.attach(events, this.text) ?? events;
  }

  /**
   * Whether the token ends the response: it is an end of generation, and at this position neither a marker nor text.
   */
  #ends(token: number, masked: boolean): boolean {
    const { continues, markers, vocabulary } = this.#options;
    if (!vocabulary.endsGeneration(token)) return false;
    const { constrained, matcher } = this.#response;
    const text = newDecoder().decode(vocabulary.bytesOf(token));
    // llama.cpp does not count some tokens as ends (those named like another format's end) that node-llama-cpp does
    // count: such a token passes the mask wherever the grammar allows its text.
    const wasMasked = constrained && masked && !this.#guide.unmasked;
    if (wasMasked && matcher !== null && !matcher.complete && matcher.allows(text)) return false;
    if (!markers.has(token)) return true;
    if (!constrained) return !continues(text, this.text);
    return matcher === null || markerEndsAt(matcher, markers, vocabulary)?.tokens.includes(token) !== true;
  }

  *#take(drawn: DrawnToken, masked: boolean): Steps<Taken> {
    const { token } = drawn;
    const response = this.#response;
    const { constrained: wasConstrained, changes } = response;
    if (wasConstrained && response.matcher !== null && this.#guide.unmasked) {
      const allowed = this.#allowedPart(token);
      if (allowed !== null) {
        this.#write(allowed);
        return yield* this.#step(allowed, false);
      }
    }
    const { kept } = this.#revocable.take(this.#pieceOf(token, this.#logprobs?.drawn(drawn)));
    // An engine's own grammar has followed only where it is still the same one.
    const isSame = this.#response.changes === changes;
    if (kept === null) return yield* this.#step([token], wasConstrained && masked && isSame);
    const tokens = this.#options.markers.encode(kept);
    this.#revocable.recount(1, tokens.length);
    return yield* this.#step(tokens, false);
  }

  #end(token: number): Taken {
    const text = newDecoder().decode(this.#options.vocabulary.bytesOf(token));
    this.#revocable.end(text);
    return { tokens: [], sampled: 0, over: true };
  }

  /** The step for `taken`; if the response goes back, the next token is sampled under the grammar there. */
  *#judge(taken: Taken): Steps<DecodingStep> {
    const step = yield* this.#backtracking.judge(taken);
    if (step.back !== undefined) this.#guideNext(false);
    return step;
  }

  /**
   * For a token drawn without a mask: `null` if all of it is allowed, otherwise the tokens of the
   * allowed part.
   */
  #allowedPart(token: number): readonly number[] | null {
    const { markers, vocabulary } = this.#options;
    const bytes = vocabulary.bytesOf(token);
    const { matcher } = this.#response;
    const length = matcher?.allowedLength(bytes) ?? bytes.length;
    if (length === bytes.length || matcher?.clone().acceptReplaced(newDecoder().decode(bytes))) return null;
    const text = newDecoder().decode(bytes.subarray(0, length), { stream: true });
    if (text === '') throw this.#response.broken('the model wrote what the grammar does not allow');
    return markers.encode(text);
  }

  /**
   * After `tokens`, or before the first: adds forced text and the end of reasoning, and sets the next token's grammar.
   */
  *#step(tokens: readonly number[], sampled: boolean): Steps<Taken> {
    const response = this.#response;
    // A number that the grammar ends here may go on in the model's mind, so what follows is drawn.
    const isWatched = this.#overruled !== null && /\d$/.test(this.text);
    yield* this.#foresee();
    const added = isWatched ? [] : yield* this.#force();
    const { closing } = response;
    const ending = closing === null ? [] : response.fit(this.#options.markers.encode(closing));
    this.#write(ending);
    const after = closing === null ? [] : yield* this.#force();
    if (response.tokensLeft === 0 && !response.over) response.cutOff();
    const written = [...added, ...ending, ...after];
    if (!response.over) this.#guideNext(sampled && written.length === 0);
    return { tokens: [...tokens, ...written], sampled: tokens.length, over: response.over };
  }

  /** Finds what the following questions about the current position need, while others have their turns. */
  *#foresee(): Steps<void> {
    const { matcher, over } = this.#response;
    if (matcher !== null && !over) yield* foreseeMasks(matcher, this.#options.vocabulary.index);
  }

  #guideNext(sampled: boolean): void {
    const { constrained, matcher } = this.#response;
    if (matcher !== null) this.#guide.prepare(matcher, sampled);
    else if (constrained) this.#guide.leaveToEngine();
  }

  /** Writes the tokens that are forced at the current position, within the limit of tokens. */
  *#force(): Steps<readonly number[]> {
    const all: number[] = [];
    for (let goesOn = true; goesOn; ) {
      const { matcher, over } = this.#response;
      if (matcher === null || over) break;
      if (all.length > 0) yield;
      yield* this.#foresee();
      const forced = this.#guide.forced(matcher);
      const tokens = this.#response.fit(forced.tokens);
      this.#write(tokens);
      for (const token of tokens) all.push(token);
      goesOn = forced.goesOn && tokens.length === forced.tokens.length;
    }
    return all;
  }

  #write(tokens: readonly number[]): void {
    for (const token of tokens) this.#revocable.write(this.#pieceOf(token, this.#logprobs?.injected(token)));
  }

  #pieceOf(token: number, logprob: TokenLogprob | undefined): WrittenPiece {
    const { markers, vocabulary } = this.#options;
    const spelling = vocabulary.bytesOf(token);
    // Under a grammar, the text of every token counts, whatever it means in the format.
    const isSilent = vocabulary.isControl(token) && !markers.has(token) && !this.#response.constrained;
    const role = isSilent ? 'control' : vocabulary.isSpecial(token) ? 'marker' : 'text';
    return { spelling, role, tokens: 1, ...(logprob === undefined ? {} : { logprobs: [logprob] }) };
  }
}
