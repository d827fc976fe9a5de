/**
 * Draws a token. The order is llama.cpp's: bias, penalties and DRY, then top-k, top-p and min-p, XTC, temperature. The
 * first three change all logits; what comes after them sees only what the mask allows. DRY and XTC are p-e-w's, who
 * described them where he proposed them for text-generation-webui (pull requests 5677 and 6335).
 */
import type { DrawnToken, EngineSampling, Mask } from '../engine.ts';
import { type Candidate, likeliest } from './candidates.ts';
import { penaliseRepeated, penaliseSequences } from './penalties.ts';

const defaultBreakers: readonly string[] = ['\n', ':', '"', '*'];

/** Draws the tokens of one response. */
export class Sampler {
  readonly #sampling: EngineSampling;
  readonly #random: () => number;
  readonly #textOf: (token: number) => string;

  /** `textOf`: the text of a token, in which the breakers of DRY are looked for. */
  constructor(sampling: EngineSampling, textOf: (token: number) => string) {
    this.#sampling = sampling;
    this.#random = randomFrom(sampling.seed ?? Date.now());
    this.#textOf = textOf;
  }

  /** One token; `undefined` if none is allowed. Changes `logits`. `written`: prompt and response so far. */
  draw(logits: Float32Array, mask: Mask | null, written: readonly number[]): DrawnToken | undefined {
    for (const [token, bias] of mask?.bias ?? []) logits[token] = (logits[token] ?? 0) + bias;
    // Not inside a grammar: see `Mask.free`.
    const isFree = mask?.free ?? true;
    if (isFree) this.#penalise(logits, written);
    const { temperature, logprobs } = this.#sampling;
    const isGreedy = temperature === 0;
    let candidates = likeliest(logits, mask, this.#wanted(isFree));
    if (!isGreedy) candidates = this.#cut(candidates);
    // A greedy draw is among what XTC leaves, too.
    if (isFree && this.#sampling.xtc !== undefined) candidates = this.#excludeTop(candidates);
    const weights = probabilitiesOf(candidates, isGreedy ? 1 : temperature);
    const chosen = isGreedy ? 0 : drawIndex(weights, this.#random());
    const token = candidates[chosen]?.token;
    if (token === undefined || logprobs === undefined) return token === undefined ? undefined : { token };
    // Probabilities among what the cuts left.
    const likely = candidates
      .slice(0, logprobs)
      .map((each, index) => [each.token, weights[index] ?? 0] as const);
    return { token, confidence: weights[chosen] ?? 0, probabilities: new Map(likely) };
  }

  #penalise(logits: Float32Array, written: readonly number[]): void {
    penaliseRepeated(logits, written, this.#sampling);
    const { dry } = this.#sampling;
    if (dry === undefined) return;
    const breakers = dry.sequenceBreakers ?? defaultBreakers;
    penaliseSequences(logits, written, dry, (token) =>
      breakers.some((breaker) => this.#textOf(token).includes(breaker)),
    );
  }

  /** Top-k, or all if it is 0. A greedy draw needs one, unless logprobs or XTC look at more. */
  #wanted(isFree: boolean): number {
    const { temperature, topK, logprobs, xtc } = this.#sampling;
    const all = Number.POSITIVE_INFINITY;
    if (temperature > 0) return topK === 0 ? all : topK;
    const looksAtOthers = logprobs !== undefined || (isFree && xtc !== undefined);
    return looksAtOthers ? all : 1;
  }

  /** Top-p and min-p; at least one remains. */
  #cut(candidates: readonly Candidate[]): readonly Candidate[] {
    const { topP, minP } = this.#sampling;
    if (topP >= 1 && minP <= 0) return candidates;
    const weights = probabilitiesOf(candidates, 1);
    let sum = 0;
    const enough = weights.findIndex((weight) => {
      sum += weight;
      return sum >= topP;
    });
    const kept = topP < 1 && enough >= 0 ? candidates.slice(0, enough + 1) : candidates;
    const least = minP * (weights[0] ?? 0);
    return kept.filter((_, index) => index === 0 || (weights[index] ?? 0) >= least);
  }

  /** XTC ("exclude top choices"): sometimes all likely tokens but the least likely of them are excluded. */
  #excludeTop(candidates: readonly Candidate[]): readonly Candidate[] {
    const { probability, threshold } = this.#sampling.xtc ?? { probability: 0, threshold: 1 };
    if (probability === 0 || this.#random() > probability) return candidates;
    const likely = probabilitiesOf(candidates, 1).filter((each) => each >= threshold).length;
    return likely > 1 ? candidates.slice(likely - 1) : candidates;
  }
}

/** The probabilities of candidates in descending order. */
function probabilitiesOf(candidates: readonly Candidate[], temperature: number): readonly number[] {
  const most = candidates[0]?.logit ?? 0;
  const weights = candidates.map(({ logit }) => Math.exp((logit - most) / temperature));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** The index at which the sum of the weights passes `fraction`. */
function drawIndex(weights: readonly number[], fraction: number): number {
  let rest = fraction;
  const index = weights.findIndex((weight) => {
    rest -= weight;
    return rest < 0;
  });
  return index < 0 ? weights.length - 1 : index;
}

/** Numbers from 0 to 1, reproducible by seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
