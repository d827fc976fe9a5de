/**
 * The forward pass of a decoder of Llama's kind (Touvron et al. 2023): from tokens to the logits of the next one. Each
 * layer changes the residual, a row of `width` numbers for each token, twice:
 *
 *     residual ─ RMS norm ─ query, key, value ─ rotary positions ─ attention ─ output ─ + ─ residual
 *     residual ─ RMS norm ─ SiLU(gate) × up ─ down ──────────────────────────────────── + ─ residual
 *
 * Some models normalise queries and keys before their rotation. Keys and values of earlier tokens are in the memory.
 * Several heads of queries share one of keys (grouped-query attention, Ainslie et al. 2023).
 */
import { type AttentionScratch, attend } from './attention.ts';
import { KeyValues, type LayerMemory } from './key-values.ts';
import type { LayerWeights, ModelShape, ModelWeights } from './model-weights.ts';
import { add, gateBy, multiply, normalise } from './vectors.ts';

/** Tokens evaluated together. */
const batchSize = 64;

/** Evaluates texts, each with a memory of its own. */
export class Transformer {
  readonly weights: ModelWeights;
  readonly #scratch: Scratch;

  constructor(weights: ModelWeights) {
    this.weights = weights;
    this.#scratch = scratchFor(weights);
  }

  /** The memory of an empty text. */
  newMemory(): KeyValues {
    const { keyHeads, headWidth } = this.weights.shape;
    return new KeyValues(this.weights.layers.length, keyHeads * headWidth);
  }

  /**
   * Evaluates `tokens`, before which `memory` has those at positions before `position`. Yields the number evaluated
   * after each batch, so that the caller can stop between two.
   */
  *evaluate(tokens: readonly number[], memory: KeyValues, position: number): Generator<number> {
    memory.reserve(position + tokens.length);
    for (let done = 0; done < tokens.length; ) {
      const batch = tokens.slice(done, done + batchSize);
      this.#evaluateBatch(batch, memory, position + done);
      done += batch.length;
      yield done;
    }
  }

  /**
   * The logits after the last token that was evaluated, for every token of the vocabulary. Whichever memory that was:
   * ask before another is evaluated.
   */
  logits(): Float32Array {
    const { shape, output, outputNorm } = this.weights;
    const { last, normal } = this.#scratch;
    normalise(last, shape.width, outputNorm, shape.epsilon, normal);
    const logits = new Float32Array(output.outputs);
    multiply(output, normal, 1, logits);
    return logits;
  }

  #evaluateBatch(tokens: readonly number[], memory: KeyValues, position: number): void {
    const { embedding, layers, shape } = this.weights;
    const { width } = shape;
    const { residual, last } = this.#scratch;
    for (const [row, token] of tokens.entries())
      residual.set(embedding.weights.subarray(token * width, (token + 1) * width), row * width);
    for (const [index, layer] of layers.entries()) {
      const past = memory.layers[index];
      if (past === undefined) throw new Error(`the memory has no layer ${index}`);
      evaluateLayer(layer, shape, past, this.#scratch, tokens.length, position);
    }
    last.set(residual.subarray((tokens.length - 1) * width, tokens.length * width));
  }
}

/** Arrays for one batch, used again for each. */
interface Scratch extends AttentionScratch {
  readonly residual: Float32Array;
  readonly normal: Float32Array;
  readonly key: Float32Array;
  readonly value: Float32Array;
  readonly gate: Float32Array;
  readonly up: Float32Array;
  readonly change: Float32Array;
  /** The residual of the last token. */
  readonly last: Float32Array;
}

function scratchFor({ shape, layers }: ModelWeights): Scratch {
  const { width, heads, keyHeads, headWidth, contextLength } = shape;
  const rows = (size: number): Float32Array => new Float32Array(batchSize * size);
  const hidden = Math.max(...layers.map(({ up }) => up.outputs));
  return {
    residual: rows(width),
    normal: rows(width),
    query: rows(heads * headWidth),
    key: rows(keyHeads * headWidth),
    value: rows(keyHeads * headWidth),
    attended: rows(heads * headWidth),
    gate: rows(hidden),
    up: rows(hidden),
    change: rows(width),
    scores: new Float32Array(contextLength),
    last: new Float32Array(width),
  };
}

function evaluateLayer(
  layer: LayerWeights,
  shape: ModelShape,
  past: LayerMemory,
  scratch: Scratch,
  count: number,
  position: number,
): void {
  const { width, epsilon, heads, keyHeads, headWidth } = shape;
  const { residual, normal, query, key, value, attended, gate, up, change } = scratch;
  // Rows are as wide as the norm.
  normalise(residual, count * width, layer.attentionNorm, epsilon, normal);
  multiply(layer.query, normal, count, query);
  multiply(layer.key, normal, count, key);
  multiply(layer.value, normal, count, value);
  if (layer.queryNorm !== null) normalise(query, count * heads * headWidth, layer.queryNorm, epsilon, query);
  if (layer.keyNorm !== null) normalise(key, count * keyHeads * headWidth, layer.keyNorm, epsilon, key);
  turn(query, heads, count, position, shape);
  turn(key, keyHeads, count, position, shape);
  const keyWidth = keyHeads * headWidth;
  past.keys.set(key.subarray(0, count * keyWidth), position * keyWidth);
  past.values.set(value.subarray(0, count * keyWidth), position * keyWidth);
  for (let row = 0; row < count; row += 1) attend(row, position + row + 1, shape, past, scratch);
  multiply(layer.attention, attended, count, change);
  add(residual, change, count * width);
  normalise(residual, count * width, layer.hiddenNorm, epsilon, normal);
  multiply(layer.gate, normal, count, gate);
  multiply(layer.up, normal, count, up);
  gateBy(gate, up, count * layer.up.outputs);
  multiply(layer.down, gate, count, change);
  add(residual, change, count * width);
}

/**
 * Rotary positions (Su et al. 2021): turns each pair of a head's numbers by an angle that grows with the position. Pairs
 * are neighbours, or a number of the first half and one of the second.
 */
function turn(
  numbers: Float32Array,
  heads: number,
  count: number,
  position: number,
  { headWidth, frequencies, pairs }: ModelShape,
): void {
  const half = frequencies.length;
  for (let row = 0; row < count; row += 1) {
    for (let pair = 0; pair < half; pair += 1) {
      const angle = (position + row) * (frequencies[pair] as number);
      const cosine = Math.cos(angle);
      const sine = Math.sin(angle);
      for (let head = 0; head < heads; head += 1) {
        const start = (row * heads + head) * headWidth;
        const first = start + (pairs === 'halves' ? pair : 2 * pair);
        const second = start + (pairs === 'halves' ? pair + half : 2 * pair + 1);
        const a = numbers[first] as number;
        const b = numbers[second] as number;
        numbers[first] = a * cosine - b * sine;
        numbers[second] = a * sine + b * cosine;
      }
    }
  }
}
