/** One response, told token by token. It runs in Node too, where tests call it and real models are recorded. */
import { memoize } from '../../../src/format/memoize.ts';
import { countTokens, hasToken } from '../../../src/language/matcher/masks/token-bitmap.ts';
import type { ResponseEvent, ResponseMessage } from '../../../src/parser/events.ts';
import {
  type Engine,
  type EngineSequence,
  maskLogits,
  type SteeredChat,
  steer,
} from '../../../src/runtime/engine/index.ts';
import { likeliest } from '../../../src/runtime/engine/sampling/candidates.ts';
import { type Vocabulary, vocabularyOf } from '../../../src/runtime/engine/tokens/vocabulary.ts';
import type { Settings } from './settings.ts';
import { toyModules } from './toy-modules.ts';
import { toyOf } from './toys.ts';

/** How a token came about: drawn, drawn under the mask, drawn where the mask forbade the first draw, not drawn. */
export type TokenKind = 'free' | 'masked' | 'overruled' | 'forced';

/** A token that might have come. */
export interface Candidate {
  readonly text: string;
  readonly probability: number;
  readonly allowed: boolean;
  readonly taken: boolean;
}

/** A token of the response. */
export interface ShownToken {
  readonly text: string;
  readonly kind: TokenKind;
  /** The likeliest of its place, before the mask, and the likeliest that it allows; empty if it was forced. */
  readonly candidates: readonly Candidate[];
  /** How many tokens might come, of all. */
  readonly allowed: number;
}

/** What happens: tokens after the first `kept`, the events that they bring, and the end. */
export type Progress =
  | {
      readonly type: 'tokens';
      readonly kept: number;
      readonly tokens: readonly ShownToken[];
      readonly events: readonly ResponseEvent[];
    }
  | { readonly type: 'end'; readonly message: ResponseMessage; readonly report: readonly string[] };

/** Candidates that are shown: the likeliest of all, and of those that the mask allows. */
const mostLikely = 5;
const mostAllowed = 3;
const mostTokens = 400;

/** Answers the question with the toy. Throws a `SyntaxError` for a tool that is no JSON, and what `steer` throws. */
export async function* respond(settings: Settings, seed: number): AsyncGenerator<Progress, void> {
  yield* respondOn(await toyOf(settings.format), settings, seed);
}

/**
 * Reads the question ahead, in steps, and answers nothing: an answer then begins with its first token. Throws what
 * `respond` throws, and the signal's reason.
 */
export async function prepare(settings: Settings, signal: AbortSignal): Promise<void> {
  const engine = await toyOf(settings.format);
  const response = await ask(engine, settings);
  signal.throwIfAborted();
  const sequence = await new Drawing(engine, settings.temperature, 0).open(response, signal);
  await sequence.close();
}

/** What is asked of any engine. */
export type Asked = Omit<Settings, 'format'>;

/** The same on this engine. */
export async function* respondOn(engine: Engine, asked: Asked, seed: number): AsyncGenerator<Progress, void> {
  const response = await ask(engine, asked);
  const drawing = new Drawing(engine, asked.temperature, seed);
  const forced = response.tokens.slice(response.promptTokens);
  yield { type: 'tokens', kept: 0, tokens: forced.map((token) => drawing.forced(token)), events: [] };
  const sequence = await drawing.open(response);
  try {
    while (!response.over) yield await drawing.step(response, sequence);
  } finally {
    await sequence.close();
  }
  const { events, message } = response.finish();
  const written = response.tokens.length - response.promptTokens;
  yield { type: 'tokens', kept: written, tokens: [], events };
  yield {
    type: 'end',
    message,
    report: response.report.map(({ pointer, reason }) => `${pointer}: ${reason}`),
  };
}

function ask(engine: Engine, { question, tool, choice }: Asked): Promise<SteeredChat> {
  return steer(modelOf(engine), {
    messages: [{ role: 'user', content: question }],
    tools: [JSON.parse(tool)],
    toolChoice: choice,
    maxTokens: mostTokens,
  });
}

const modelOf = memoize(({ model, chatTemplate, contextSize, tokenizer }: Engine) => ({
  model,
  chatTemplate,
  contextSize,
  tokenizer,
  modules: toyModules,
}));

/** Draws tokens, and remembers what else might have come. */
class Drawing {
  readonly #engine: Engine;
  readonly #vocabulary: Vocabulary;
  readonly #temperature: number;
  #held: number[] = [];
  #seed: number;

  constructor(engine: Engine, temperature: number, seed: number) {
    this.#engine = engine;
    this.#vocabulary = vocabularyOf(engine.tokenizer);
    this.#temperature = temperature;
    this.#seed = seed;
  }

  /** A sequence that gives the probabilities of all tokens. */
  open({ tokens }: SteeredChat, signal?: AbortSignal): Promise<EngineSequence> {
    this.#held = tokens.slice(0, -1);
    const sampling = { temperature: 1, topK: 0, topP: 1, minP: 0, logprobs: this.#vocabulary.size };
    return this.#engine.open({ tokens, turnStart: tokens.length }, sampling, signal);
  }

  forced(token: number): ShownToken {
    return { text: this.#textOf(token), kind: 'forced', candidates: [], allowed: 1 };
  }

  /** Draws one token. What may follow it without a choice comes along. */
  async step(response: SteeredChat, sequence: EngineSequence): Promise<Progress> {
    const logits = await this.#logits(response, sequence);
    const { mask } = response;
    const allowed = mask?.bitmap() ?? null;
    const wished = this.#draw(logits);
    const isAllowed = (token: number) => allowed === null || hasToken(allowed, token);
    const masked = logits.slice();
    maskLogits(masked, mask);
    const token = isAllowed(wished) ? wished : this.#draw(masked);
    const likely = [...likeliest(logits, null, mostLikely), ...likeliest(logits, mask, mostAllowed)];
    const shown = new Set([...likely.map((each) => each.token), token]);
    const logitOf = (each: number) => logits[each] ?? 0;
    const candidates = [...shown]
      .sort((one, other) => logitOf(other) - logitOf(one) || one - other)
      .map((each) => ({
        text: this.#textOf(each),
        probability: Math.exp(logitOf(each)),
        allowed: isAllowed(each),
        taken: each === token,
      }));
    const before = [...response.tokens];
    const events = response.accept(token);
    const kept = sharedLength(before, response.tokens);
    const added = response.tokens.slice(kept);
    const drawn: ShownToken = {
      text: this.#textOf(token),
      kind: allowed === null ? 'free' : token === wished ? 'masked' : 'overruled',
      candidates,
      allowed: allowed === null ? this.#vocabulary.size : countTokens(allowed),
    };
    // The end of the turn was drawn, and is no part of the response.
    const isEnd = added.length === 0 && response.over;
    const isTaken = added[0] === token || isEnd;
    const rest = isTaken ? added.slice(1) : added;
    const tokens = [...(isTaken ? [drawn] : []), ...rest.map((each) => this.forced(each))];
    return { type: 'tokens', kept: kept - response.promptTokens, tokens, events };
  }

  /** The logits after all that stands there, less a constant. */
  async #logits({ tokens }: SteeredChat, sequence: EngineSequence): Promise<Float32Array> {
    const shared = Math.min(sharedLength(this.#held, tokens), tokens.length - 1);
    if (shared < this.#held.length) await sequence.back(shared);
    const { probabilities = new Map<number, number>() } = await sequence.next(tokens.slice(shared), null);
    this.#held = [...tokens];
    const logits = new Float32Array(this.#vocabulary.size).fill(Math.log(1e-30));
    for (const [token, probability] of probabilities) logits[token] = Math.log(probability);
    return logits;
  }

  #draw(logits: Float32Array): number {
    const best = logits.reduce((top, logit, token) => (logit > (logits[top] ?? 0) ? token : top), 0);
    if (this.#temperature === 0) return best;
    const most = logits[best] ?? 0;
    const weights = logits.map((logit) => Math.exp((logit - most) / this.#temperature));
    let rest = this.#random() * weights.reduce((sum, weight) => sum + weight, 0);
    const drawn = weights.findIndex((weight) => {
      rest -= weight;
      return rest < 0;
    });
    return drawn < 0 ? best : drawn;
  }

  /** From 0 to 1, the same for the same seed (mulberry32). */
  #random(): number {
    this.#seed = (this.#seed + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#seed ^ (this.#seed >>> 15), this.#seed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  #textOf(token: number): string {
    return new TextDecoder().decode(this.#vocabulary.bytesOf(token));
  }
}

function sharedLength(one: readonly number[], other: readonly number[]): number {
  const differs = one.findIndex((token, index) => token !== other[index]);
  return differs < 0 ? one.length : differs;
}
