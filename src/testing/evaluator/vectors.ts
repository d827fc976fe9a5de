/** The arithmetic of a transformer, on flat arrays of 32-bit floats. */

/** A matrix of weights: a row of `inputs` numbers for each output, one after the other. */
export interface Matrix {
  readonly inputs: number;
  readonly outputs: number;
  readonly weights: Float32Array;
}

/**
 * Rows that are multiplied together, by two outputs: eight sums are added up at the same time (register blocking), as
 * each alone would wait for its own last addition. No loop here takes arrays apart (`const [a, b] = …`): V8 makes the
 * arrays, and the whole takes three times as long.
 */
const rowsTogether = 4;

/**
 * Multiplies each of the `count` rows of `input` by `matrix`. Every sum is added up in the same order, so a batch gives
 * the same numbers as its tokens one by one. Sums are doubles, and rounded when they are stored.
 */
export function multiply(matrix: Matrix, input: Float32Array, count: number, output: Float32Array): void {
  let row = 0;
  for (; row + rowsTogether <= count; row += rowsTogether) multiplyRows(matrix, input, row, output);
  for (; row < count; row += 1) multiplyRow(matrix, input, row, output);
}

/**
 * Four rows by two outputs at a time: each weight that is loaded takes part in four sums, each number of a row in two.
 *
 *                 first  second  third  fourth   (rows)
 *     weight      one    two     three  four
 *     other       five   six     seven  eight
 */
function multiplyRows(
  { inputs, outputs, weights }: Matrix,
  input: Float32Array,
  row: number,
  output: Float32Array,
): void {
  const first = row * inputs;
  const second = first + inputs;
  const third = second + inputs;
  const fourth = third + inputs;
  for (let out = 0; out < outputs; out += 2) {
    const at = out * inputs;
    // Of an odd number of outputs, the last one is written twice.
    const next = out + 1 < outputs ? 1 : 0;
    let one = 0;
    let two = 0;
    let three = 0;
    let four = 0;
    let five = 0;
    let six = 0;
    let seven = 0;
    let eight = 0;
    for (let index = 0; index < inputs; index += 1) {
      const weight = weights[at + index] as number;
      const other = weights[at + next * inputs + index] as number;
      const a = input[first + index] as number;
      const b = input[second + index] as number;
      const c = input[third + index] as number;
      const d = input[fourth + index] as number;
      one += weight * a;
      two += weight * b;
      three += weight * c;
      four += weight * d;
      five += other * a;
      six += other * b;
      seven += other * c;
      eight += other * d;
    }
    const to = row * outputs + out;
    output[to] = one;
    output[to + outputs] = two;
    output[to + 2 * outputs] = three;
    output[to + 3 * outputs] = four;
    output[to + next] = five;
    output[to + outputs + next] = six;
    output[to + 2 * outputs + next] = seven;
    output[to + 3 * outputs + next] = eight;
  }
}

/** One row by eight outputs at a time: eight sums, too, though a single row shares its weights with no other. */
function multiplyRow(
  { inputs, outputs, weights }: Matrix,
  input: Float32Array,
  row: number,
  output: Float32Array,
): void {
  const start = row * inputs;
  const to = row * outputs;
  const fourRows = 4 * inputs;
  let out = 0;
  for (; out + 8 <= outputs; out += 8) {
    const first = out * inputs;
    const second = first + inputs;
    const third = second + inputs;
    const fourth = third + inputs;
    let one = 0;
    let two = 0;
    let three = 0;
    let four = 0;
    let five = 0;
    let six = 0;
    let seven = 0;
    let eight = 0;
    for (let index = 0; index < inputs; index += 1) {
      const value = input[start + index] as number;
      one += (weights[first + index] as number) * value;
      two += (weights[second + index] as number) * value;
      three += (weights[third + index] as number) * value;
      four += (weights[fourth + index] as number) * value;
      five += (weights[first + fourRows + index] as number) * value;
      six += (weights[second + fourRows + index] as number) * value;
      seven += (weights[third + fourRows + index] as number) * value;
      eight += (weights[fourth + fourRows + index] as number) * value;
    }
    output[to + out] = one;
    output[to + out + 1] = two;
    output[to + out + 2] = three;
    output[to + out + 3] = four;
    output[to + out + 4] = five;
    output[to + out + 5] = six;
    output[to + out + 6] = seven;
    output[to + out + 7] = eight;
  }
  for (; out < outputs; out += 1) {
    let sum = 0;
    for (let index = 0; index < inputs; index += 1)
      sum += (weights[out * inputs + index] as number) * (input[start + index] as number);
    output[to + out] = sum;
  }
}

/** Normalises each stretch of `scale.length` numbers by its root mean square, and scales it. */
export function normalise(
  input: Float32Array,
  length: number,
  scale: Float32Array,
  epsilon: number,
  output: Float32Array,
): void {
  const width = scale.length;
  for (let start = 0; start < length; start += width) {
    let squares = 0;
    for (let index = start; index < start + width; index += 1) squares += (input[index] as number) ** 2;
    const factor = 1 / Math.sqrt(squares / width + epsilon);
    for (let index = 0; index < width; index += 1)
      output[start + index] = (input[start + index] as number) * factor * (scale[index] as number);
  }
}

/** Adds `length` numbers of `change` to `target`. */
export function add(target: Float32Array, change: Float32Array, length: number): void {
  for (let index = 0; index < length; index += 1)
    target[index] = (target[index] as number) + (change[index] as number);
}

/** SiLU of the first `length` numbers of `gate`, times those of `up`; the result is in `gate`. */
export function gateBy(gate: Float32Array, up: Float32Array, length: number): void {
  for (let index = 0; index < length; index += 1) {
    const value = gate[index] as number;
    gate[index] = (value / (1 + Math.exp(-value))) * (up[index] as number);
  }
}

/** Turns the first `length` scores into weights that add up to 1. */
export function softmax(scores: Float32Array, length: number): void {
  let most = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < length; index += 1) most = Math.max(most, scores[index] as number);
  let sum = 0;
  for (let index = 0; index < length; index += 1) {
    const weight = Math.exp((scores[index] as number) - most);
    scores[index] = weight;
    sum += weight;
  }
  for (let index = 0; index < length; index += 1) scores[index] = (scores[index] as number) / sum;
}
