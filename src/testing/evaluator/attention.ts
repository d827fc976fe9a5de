/** Attention: how well the queries of a token fit the keys of those before it, and what it takes of their values. */
import type { LayerMemory } from './key-values.ts';
import type { ModelShape } from './model-weights.ts';
import { softmax } from './vectors.ts';

/** What attention reads and writes, of a whole batch. */
export interface AttentionScratch {
  readonly query: Float32Array;
  /** As long as the context. */
  readonly scores: Float32Array;
  readonly attended: Float32Array;
}

/** Where the numbers of one head are. */
interface Head {
  /** Of its query, and of what it takes. */
  readonly at: number;
  /** Of its keys and values in the row of the first token. */
  readonly shared: number;
  /** Numbers in a row of keys. */
  readonly keyWidth: number;
  readonly width: number;
}

/** For one row of the batch: the values of the first `length` tokens, weighted by how its queries fit their keys. */
export function attend(
  row: number,
  length: number,
  { heads, keyHeads, headWidth: width }: ModelShape,
  { keys, values }: LayerMemory,
  { query, scores, attended }: AttentionScratch,
): void {
  const keyWidth = keyHeads * width;
  for (let index = 0; index < heads; index += 1) {
    const shared = Math.floor((index * keyHeads) / heads) * width;
    const head = { at: (row * heads + index) * width, shared, keyWidth, width };
    score(head, length, query, keys, scores);
    softmax(scores, length);
    attended.fill(0, head.at, head.at + width);
    gather(head, length, scores, values, attended);
  }
}

/** How the head's query fits each key: four keys at a time, for the reason that `multiply` has. */
function score(
  { at, shared, keyWidth, width }: Head,
  length: number,
  query: Float32Array,
  keys: Float32Array,
  scores: Float32Array,
): void {
  const scale = 1 / Math.sqrt(width);
  let token = 0;
  for (; token + 4 <= length; token += 4) {
    const first = token * keyWidth + shared;
    const second = first + keyWidth;
    const third = second + keyWidth;
    const fourth = third + keyWidth;
    let one = 0;
    let two = 0;
    let three = 0;
    let four = 0;
    for (let index = 0; index < width; index += 1) {
      const value = query[at + index] as number;
      one += value * (keys[first + index] as number);
      two += value * (keys[second + index] as number);
      three += value * (keys[third + index] as number);
      four += value * (keys[fourth + index] as number);
    }
    scores[token] = one * scale;
    scores[token + 1] = two * scale;
    scores[token + 2] = three * scale;
    scores[token + 3] = four * scale;
  }
  for (; token < length; token += 1) {
    const start = token * keyWidth + shared;
    let sum = 0;
    for (let index = 0; index < width; index += 1)
      sum += (query[at + index] as number) * (keys[start + index] as number);
    scores[token] = sum * scale;
  }
}

/** Adds the values of all tokens to what the head takes, four tokens at a time. Each sum is rounded to 32 bits. */
function gather(
  { at, shared, keyWidth, width }: Head,
  length: number,
  weights: Float32Array,
  values: Float32Array,
  attended: Float32Array,
): void {
  let token = 0;
  for (; token + 4 <= length; token += 4) {
    const first = token * keyWidth + shared;
    const second = first + keyWidth;
    const third = second + keyWidth;
    const fourth = third + keyWidth;
    const one = weights[token] as number;
    const two = weights[token + 1] as number;
    const three = weights[token + 2] as number;
    const four = weights[token + 3] as number;
    for (let index = 0; index < width; index += 1) {
      let sum = Math.fround((attended[at + index] as number) + one * (values[first + index] as number));
      sum = Math.fround(sum + two * (values[second + index] as number));
      sum = Math.fround(sum + three * (values[third + index] as number));
      attended[at + index] = sum + four * (values[fourth + index] as number);
    }
  }
  for (; token < length; token += 1) {
    const weight = weights[token] as number;
    const start = token * keyWidth + shared;
    for (let index = 0; index < width; index += 1)
      attended[at + index] = (attended[at + index] as number) + weight * (values[start + index] as number);
  }
}
