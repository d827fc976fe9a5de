/**
 * The grammar of one response, twice: llama.cpp's, which masks what the model samples and is the
 * guarantee, and our own matcher, which says what must come next. Both stand at the same place.
 *
 * Where the grammar leaves one continuation, it is injected as tokens rather than sampled, and
 * llama.cpp gets a fresh grammar of what follows. Injected text has to be cut into tokens as the model
 * would have cut it, so its end is healed: text that a token could have run over is left to be sampled.
 */
import {
  LlamaGrammar,
  type LlamaGrammarEvaluationState,
  type LlamaModel,
  LlamaGrammarEvaluationState as State,
  type Token,
  TokenBias,
} from 'node-llama-cpp';
import { GrammarError } from '../../../errors.ts';
import type { Matcher } from '../../../grammar/matcher.ts';
import type { MarkerTokens } from './marker-tokens.ts';
import type { Vocabulary } from './vocabulary.ts';

/** What the guide works with. */
export interface GuideOptions {
  readonly model: LlamaModel;
  readonly vocabulary: Vocabulary;
  readonly markers: MarkerTokens;
  /** A matcher before the first character of the grammar; a copy of it is moved. */
  readonly matcher: Matcher;
  /** Inject forced text. */
  readonly inject: boolean;
}

/** Where few tokens are allowed they are told to the sampler, so that it need not try the others. */
const fewTokens = 256;
/** Added to the logits of allowed tokens: more than any model's spread, little enough to keep precision. */
const allowedBias = 100;

const encoder = new TextEncoder();

/** Guides the sampling of one response from where its grammar begins. */
export class GrammarGuide {
  readonly #options: GuideOptions;
  readonly #noBias: TokenBias;
  /** `null` once the engine accepted what the matcher does not understand (text that is no UTF-8). */
  #matcher: Matcher | null;
  #state: LlamaGrammarEvaluationState | undefined;

  constructor(options: GuideOptions) {
    this.#options = options;
    this.#matcher = options.matcher.clone();
    this.#noBias = new TokenBias(options.model.tokenizer);
  }

  /** llama.cpp's grammar for the next token. */
  get state(): LlamaGrammarEvaluationState | undefined {
    return this.#state;
  }

  /** Nothing may follow but white space: the response is over. */
  get finished(): boolean {
    return this.#matcher?.complete === true && onlyBlanksFollow(this.#matcher, this.#options.vocabulary);
  }

  /**
   * Starts behind `bytes`, which were written already, and returns the tokens that are forced there;
   * `null` when the grammar does not allow those bytes.
   */
  startBehind(bytes: Uint8Array): readonly Token[] | null {
    if (this.#matcher?.accept(bytes) !== true) return null;
    const forced = this.#takeForced();
    this.#renew();
    return forced;
  }

  /** Follows a token that was sampled under `state`; returns the tokens that are forced behind it. */
  accept(token: Token): readonly Token[] {
    if (this.#matcher?.accept(this.#options.vocabulary.bytesOf(token)) !== true) {
      this.#matcher = null;
      return [];
    }
    const forced = this.#takeForced();
    if (forced.length > 0 && !this.finished) this.#renew();
    return forced;
  }

  /**
   * Moves over tokens that were written without being sampled; returns the tokens that are forced behind
   * them, or `null` when the grammar forbids them.
   */
  write(tokens: readonly Token[]): readonly Token[] | null {
    const { vocabulary } = this.#options;
    const bytes = Uint8Array.from(tokens.flatMap((token) => [...vocabulary.bytesOf(token)]));
    return this.startBehind(bytes);
  }

  /** Pulls the sampler towards the allowed tokens, where they are few. */
  bias(): TokenBias {
    const { model, vocabulary, inject } = this.#options;
    const allowed = inject ? this.#matcher?.allowedTokens(vocabulary.index, fewTokens) : null;
    if (allowed === null || allowed === undefined || allowed.length === 0) return this.#noBias;
    const bias = new TokenBias(model.tokenizer);
    for (const token of withoutSpellings(allowed, vocabulary)) bias.set(token, { logit: allowedBias });
    return bias;
  }

  /** A new state of llama.cpp's at the matcher's place. */
  #renew(): void {
    const { model } = this.#options;
    const gbnf = this.#matcher?.gbnf() ?? '';
    try {
      this.#state = new State({ model, grammar: new LlamaGrammar(model.llama, { grammar: gbnf }) });
    } catch (cause) {
      throw new GrammarError({
        reason: `llama.cpp refuses a grammar of ${gbnf.length} characters: ${String(cause)}`,
      });
    }
  }

  /** The tokens of the text that is forced here; the matcher moves behind them. */
  #takeForced(): readonly Token[] {
    const matcher = this.#matcher;
    if (matcher === null || !this.#options.inject) return [];
    const text = matcher.forced();
    if (text === '') return [];
    const tokens = healEnd(text, matcher, this.#options);
    // A tokenizer that cannot write the text as it is (it takes `▁` for a space) is stopped in time.
    const wrong = tokens.findIndex((token) => !matcher.accept(this.#options.vocabulary.bytesOf(token)));
    return wrong < 0 ? tokens : tokens.slice(0, wrong);
  }
}

/** The allowed tokens without those that would begin to spell out an allowed special token. */
function withoutSpellings(allowed: readonly number[], vocabulary: Vocabulary): readonly Token[] {
  const tokens = allowed.map((token) => vocabulary.token(token));
  const specials = tokens
    .filter((token) => vocabulary.isSpecial(token))
    .map((token) => vocabulary.bytesOf(token));
  return tokens.filter(
    (token) =>
      vocabulary.isSpecial(token) ||
      !specials.some((special) => startsWith(special, vocabulary.bytesOf(token))),
  );
}

function startsWith(bytes: Uint8Array, beginning: Uint8Array): boolean {
  return beginning.every((byte, index) => bytes[index] === byte);
}

/**
 * Tokens of `text`, which `matcher` (standing before it) forces, without those that reach beyond the
 * earliest place from which an allowed token runs over the end of the text.
 */
function healEnd(text: string, matcher: Matcher, { markers, vocabulary }: GuideOptions): readonly Token[] {
  const tokens = markers.encode(text);
  const lengths = tokens.map((token) => vocabulary.bytesOf(token).length);
  const bytes = encoder.encode(text);
  const lastMarker = tokens.findLastIndex((token) => vocabulary.isSpecial(token));
  const healedFrom = sum(lengths.slice(0, lastMarker + 1));
  const end = firstOverrun(
    bytes,
    Math.max(healedFrom, bytes.length - vocabulary.longestToken),
    matcher,
    vocabulary,
  );
  let kept = 0;
  let position = 0;
  while (kept < tokens.length && position + (lengths[kept] ?? 0) <= end) {
    position += lengths[kept] ?? 0;
    kept += 1;
  }
  while (kept > 0 && isInsideCharacter(bytes, position)) {
    kept -= 1;
    position -= lengths[kept] ?? 0;
  }
  return tokens.slice(0, kept);
}

/** No allowed text holds anything but white space. */
function onlyBlanksFollow(matcher: Matcher, vocabulary: Vocabulary): boolean {
  const seen = new Set<object>();
  const places = [matcher];
  for (const place of places) {
    if (seen.has(place.state)) continue;
    seen.add(place.state);
    const allowed = place.allowedTokens(vocabulary.index, fewTokens);
    if (allowed === null || !allowed.every((token) => isBlank(vocabulary.bytesOf(vocabulary.token(token))))) {
      return false;
    }
    for (const blank of blanks) {
      const next = place.clone();
      if (next.accept(blank)) places.push(next);
    }
  }
  return true;
}

const blanks = [' ', '\t', '\n', '\r'];

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
}

/** The earliest place from `from` on at which an allowed token is longer than the rest of `bytes`. */
function firstOverrun(bytes: Uint8Array, from: number, matcher: Matcher, vocabulary: Vocabulary): number {
  const walker = matcher.clone();
  walker.accept(bytes.subarray(0, from));
  for (let place = from; place < bytes.length; place++) {
    if (runsOver(walker, bytes.length - place, vocabulary)) return place;
    walker.accept(bytes.subarray(place, place + 1));
  }
  return bytes.length;
}

function runsOver(walker: Matcher, rest: number, vocabulary: Vocabulary): boolean {
  const allowed = walker.allowedTokens(vocabulary.index, fewTokens);
  return (
    allowed === null || allowed.some((token) => vocabulary.bytesOf(vocabulary.token(token)).length > rest)
  );
}

function isInsideCharacter(bytes: Uint8Array, place: number): boolean {
  return ((bytes[place] ?? 0) & 0xc0) === 0x80;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
