/**
 * The grammar of one response, twice: llama.cpp's, which masks what the model samples and is the
 * guarantee, and our own matcher, which says what must come next. Both stand at the same place.
 *
 * Where the grammar leaves one continuation, it is injected as tokens rather than sampled, and
 * llama.cpp gets a fresh grammar of what follows. Injected text has to be cut into tokens as the model
 * would have cut it, so its end is healed: text that a token could have run over is left to be sampled.
 */
import {
  type Llama,
  LlamaGrammar,
  type LlamaGrammarEvaluationState,
  type LlamaModel,
  LlamaGrammarEvaluationState as State,
  type Token,
  type TokenBias,
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

const encoder = new TextEncoder();

/** Guides the sampling of one response from where its grammar begins. */
export class GrammarGuide {
  readonly #options: GuideOptions;
  /** `null` once the engine accepted what the matcher does not understand (text that is no UTF-8). */
  #matcher: Matcher | null;
  #state: LlamaGrammarEvaluationState | undefined;

  constructor(options: GuideOptions) {
    this.#options = options;
    this.#matcher = options.matcher.clone();
  }

  /** llama.cpp's grammar for the next token. */
  get state(): LlamaGrammarEvaluationState | undefined {
    return this.#state;
  }

  /** Nothing may follow but white space: the response is over. */
  get finished(): boolean {
    return this.#matcher?.complete === true && onlyBlanksFollow(this.#matcher);
  }

  /** The response may end here. */
  get complete(): boolean {
    return this.#matcher?.complete === true;
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
  bias(): TokenBias | null {
    const { vocabulary, inject } = this.#options;
    return inject && this.#matcher !== null ? vocabulary.allowed.bias(this.#matcher) : null;
  }

  /** A new state of llama.cpp's at the matcher's place. */
  #renew(): void {
    const { model } = this.#options;
    if (this.#matcher !== null)
      this.#state = new State({ model, grammar: grammarAt(this.#matcher, model.llama) });
  }

  /** The tokens of the text that is forced here; the matcher moves behind them. */
  #takeForced(): readonly Token[] {
    const matcher = this.#matcher;
    if (matcher === null || !this.#options.inject) return [];
    const text = matcher.forced();
    if (text === '') return [];
    const tokens = healEnd(text, matcher, this.#options);
    // A tokenizer that cannot write the text as it is is stopped in time.
    const wrong = tokens.findIndex((token) => !matcher.accept(this.#options.vocabulary.bytesOf(token)));
    return wrong < 0 ? tokens : tokens.slice(0, wrong);
  }
}

const grammars = new WeakMap<Llama, WeakMap<object, LlamaGrammar>>();

/** llama.cpp's grammar of everything that may follow; remembered by the place in ours. */
function grammarAt(matcher: Matcher, llama: Llama): LlamaGrammar {
  const known = grammars.get(llama) ?? new WeakMap<object, LlamaGrammar>();
  grammars.set(llama, known);
  const grammar = known.get(matcher.state) ?? buildEngineGrammar(matcher.gbnf(), llama);
  known.set(matcher.state, grammar);
  return grammar;
}

function buildEngineGrammar(gbnf: string, llama: Llama): LlamaGrammar {
  try {
    return new LlamaGrammar(llama, { grammar: gbnf });
  } catch (cause) {
    const reason = `llama.cpp refuses a grammar of ${gbnf.length} characters: ${String(cause)}`;
    throw new GrammarError({ reason });
  }
}

/**
 * Tokens of `text`, which `matcher` (standing before it) forces, without those that reach beyond the
 * earliest place from which an allowed token runs over the end of the text, and without those that would
 * be others if the text went on.
 */
function healEnd(text: string, matcher: Matcher, options: GuideOptions): readonly Token[] {
  const { markers, vocabulary } = options;
  const encoded = markers.encode(text);
  const tokens = encoded.slice(0, countSettled(text, encoded, matcher, options));
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

/** Where more characters than this may follow, they are not tried one by one. */
const fewCharacters = 16;

/**
 * How many of `tokens`, those of `text`, stay what they are whichever character comes next. Byte pairs are
 * merged by rank, not from left to right: ` {}}` is ` {` and `}}`, but ` {}},` is ` {}` and `},`.
 */
function countSettled(
  text: string,
  tokens: readonly Token[],
  matcher: Matcher,
  { markers, vocabulary }: GuideOptions,
): number {
  const walker = matcher.clone();
  walker.accept(text);
  const following = vocabulary.allowed.at(walker) ?? [];
  const letters = following.filter((token) => !vocabulary.isSpecial(token));
  const next = new Set(letters.map((token) => vocabulary.bytesOf(token)[0] ?? 0));
  if (next.size > fewCharacters) return tokens.length;
  let settled = tokens.length;
  for (const byte of next) {
    const longer = byte < 0x80 ? markers.encode(text + String.fromCharCode(byte)) : tokens;
    const changed = tokens.findIndex((token, index) => longer[index] !== token);
    if (changed >= 0) settled = Math.min(settled, changed);
  }
  return settled;
}

const barren = new WeakMap<object, boolean>();

/** No allowed text holds anything but white space; remembered by the place. */
function onlyBlanksFollow(matcher: Matcher): boolean {
  const known = barren.get(matcher.state) ?? searchBlanks(matcher);
  barren.set(matcher.state, known);
  return known;
}

/** Asks for bytes rather than tokens: a vocabulary may have hundreds of tokens of white space. */
function searchBlanks(matcher: Matcher): boolean {
  const seen = new Set<object>();
  const places = [matcher];
  for (const place of places) {
    if (seen.has(place.state)) continue;
    seen.add(place.state);
    if (inkBytes.some((byte) => place.allows(byte))) return false;
    for (const blank of blanks) {
      const next = place.clone();
      if (next.accept(blank)) places.push(next);
    }
  }
  return true;
}

const blanks = [' ', '\t', '\n', '\r'];

/** Every byte that is not white space, each by itself. */
const inkBytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)).filter(
  ([byte = 0]) => !blanks.includes(String.fromCharCode(byte)),
);

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
  const allowed = vocabulary.allowed.at(walker);
  return allowed === null || allowed.some((token) => vocabulary.bytesOf(token).length > rest);
}

function isInsideCharacter(bytes: Uint8Array, place: number): boolean {
  return ((bytes[place] ?? 0) & 0xc0) === 0x80;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
