/** The weights of one layer of a model that follows the conversation; see by-turns.ts. */

import type { GgufTensor, GgufValue } from '../../../src/testing/gguf-types.ts';
import { float32Value, uint32Value } from '../../../src/testing/gguf-writer.ts';
import type { Piece } from './piece-levels.ts';
import { halfBits, signCode } from './token-codes.ts';

/** Where the parts of the residual begin, and their numbers of signs. The last number is the one. */
export interface Residual {
  readonly nextBits: number;
  readonly ownBits: number;
  readonly own: number;
  readonly older: number;
  readonly one: number;
  readonly width: number;
}

/** The pieces that a layer forms. */
export interface Layer {
  readonly index: number;
  /** Distance to the end of a piece's older part. */
  readonly distance: number;
  /** Pieces of the level below that are keys themselves, with their numbers; only for the first layer. */
  readonly keysBelow: readonly Piece[];
  readonly pieces: readonly Piece[];
  /** Numbers of tokens. */
  readonly tokens: ReadonlyMap<number, number>;
  readonly otherwise: number;
}

/** The residual for codes of these lengths. */
export function residualOf(nextBits: number, ownBits: number): Residual {
  const older = nextBits + ownBits;
  const one = older + Math.max(nextBits, ownBits);
  return { nextBits, ownBits, own: nextBits, older, one, width: one + 1 };
}

/**
 * Tokens per turn of each pair of a head: combined, they distinguish positions less than a million apart by nearly
 * half a cosine at least.
 */
const periods = [5, 7, 9, 11, 13, 16, 17, 19];
/** The width of the head, and the maximum number of signs. */
export const headWidth = 2 * periods.length;
/** With this factor, half a cosine is more than enough for the softmax to have one winner. */
const sharpness = 80;
/** The value of an open unit's gate; closed ones have its negative, or less. A power of 2. */
const open = 16;

/** Metadata about the head. */
export const headKeys: readonly (readonly [string, GgufValue])[] = [
  ['attention.head_count', uint32Value(1)],
  ['attention.head_count_kv', uint32Value(1)],
  ['attention.key_length', uint32Value(headWidth)],
  ['attention.value_length', uint32Value(headWidth)],
  ['rope.dimension_count', uint32Value(headWidth)],
  ['rope.freq_base', float32Value(1)],
];

/** The frequencies of the pairs, for all layers. */
export function phaseTensor(): GgufTensor {
  const data = Float32Array.from(periods, (period) => period / (2 * Math.PI));
  return { name: 'rope_freqs.weight', shape: [periods.length], data };
}

/** A normalisation that cancels out if `signs` numbers of the residual are 1 or −1, and the others 0. */
export function plainNorm(name: string, signs: number, width: number): GgufTensor {
  return { name, shape: [width], data: new Float32Array(width).fill(Math.sqrt(signs / width)) };
}

/** All tensors of a layer, whose feed-forward part is `hiddenWidth` wide. */
export function layerTensors(layer: Layer, residual: Residual, hiddenWidth: number): readonly GgufTensor[] {
  const { width, nextBits, ownBits } = residual;
  const source = sourceOf(layer, residual);
  const before = 1 + nextBits + (layer.index === 0 ? 0 : ownBits);
  const units = unitsOf(layer, residual);
  const part = (name: string): string => `blk.${layer.index}.${name}.weight`;
  return [
    plainNorm(part('attn_norm'), before, width),
    ...attention(part, layer.distance, source, residual),
    plainNorm(part('ffn_norm'), before + source.bits, width),
    halves(
      part('ffn_gate'),
      width,
      hiddenWidth,
      units.flatMap(({ gate }, unit) => gate.map(([at, value]) => [unit * width + at, value])),
    ),
    halves(
      part('ffn_up'),
      width,
      hiddenWidth,
      units.map(({ up }, unit) => [unit * width + up, 1]),
    ),
    halves(
      part('ffn_down'),
      hiddenWidth,
      width,
      units.flatMap(({ down }, unit) => down.map(([at, value]) => [at * hiddenWidth + unit, value / open])),
    ),
  ];
}

/** Number of units in the feed-forward part of a layer. */
export function unitCount(layer: Layer, residual: Residual): number {
  return unitsOf(layer, residual).length;
}

/** Where the number of the piece is that the layer below found. */
function sourceOf({ index }: Layer, { nextBits, ownBits, own }: Residual) {
  return index === 0 ? { at: 0, bits: nextBits } : { at: own, bits: ownBits };
}

function attention(
  part: (name: string) => string,
  distance: number,
  source: { readonly at: number; readonly bits: number },
  { width, older, one }: Residual,
): readonly GgufTensor[] {
  const query = new Float32Array(width * headWidth);
  const key = new Float32Array(width * headWidth);
  periods.forEach((period, pair) => {
    const turn = (2 * Math.PI * distance) / period;
    // The engine divides scores by the square root of the head's width.
    query[2 * pair * width + one] = sharpness * Math.sqrt(headWidth) * Math.cos(turn);
    query[(2 * pair + 1) * width + one] = -sharpness * Math.sqrt(headWidth) * Math.sin(turn);
    key[2 * pair * width + one] = 1;
  });
  const signs = Array.from({ length: source.bits }, (_, index) => index);
  return [
    { name: part('attn_q'), shape: [width, headWidth], data: query },
    { name: part('attn_k'), shape: [width, headWidth], data: key },
    halves(
      part('attn_v'),
      width,
      headWidth,
      signs.map((sign) => [sign * width + source.at + sign, 1]),
    ),
    halves(
      part('attn_output'),
      headWidth,
      width,
      signs.map((sign) => [(older + sign) * headWidth + sign, 1]),
    ),
  ];
}

type Entry = readonly [at: number, value: number];

/** A unit of a feed-forward part: if its gate is open, it adds `down` multiplied by `up`. */
interface Unit {
  readonly gate: readonly Entry[];
  /** The index in the residual of its factor. */
  readonly up: number;
  readonly down: readonly Entry[];
}

function unitsOf(layer: Layer, residual: Residual): readonly Unit[] {
  const { own, ownBits, nextBits, older, one } = residual;
  const source = sourceOf(layer, residual);
  const none = signCode(0, ownBits);
  const nextCode = (token: number): readonly number[] => signCode(layer.tokens.get(token) ?? 0, nextBits);
  const replaced = (at: number, from: readonly number[], to: readonly number[]): readonly Entry[] =>
    to.map((sign, bit): Entry => [at + bit, sign - (from[bit] ?? 0)]).filter(([, change]) => change !== 0);
  const demand = ({ next }: Piece): readonly Entry[] =>
    next === null ? [] : replaced(0, nextCode(layer.otherwise), nextCode(next));
  const where = (...codes: readonly (readonly [at: number, code: readonly number[]])[]): readonly Entry[] => {
    const signs = codes.flatMap(([at, code]) => code.map((sign, bit): Entry => [at + bit, open * sign]));
    return [...signs, [one, open * (1 - signs.length)]];
  };
  const always: readonly Entry[] = [[one, open]];
  const erased = (at: number): Unit => ({ gate: always, up: at, down: [[at, -1]] });
  const range = (at: number, length: number) => Array.from({ length }, (_, index) => at + index);
  const fresh = [
    ...replaced(own, [], none),
    ...(layer.index === 0 ? replaced(0, [], nextCode(layer.otherwise)) : []),
  ];
  return [
    ...range(older, source.bits).map(erased),
    ...range(source.at, source.bits).map(erased),
    { gate: always, up: one, down: fresh },
    ...layer.keysBelow.map((piece) => ({
      gate: where([0, nextCode(piece.tokens[0] ?? 0)]),
      up: one,
      down: demand(piece),
    })),
    ...layer.pieces.map((piece, index) => ({
      gate: where(
        [older, signCode(piece.older, source.bits)],
        [source.at, signCode(piece.newer, source.bits)],
      ),
      up: one,
      down: [...replaced(own, none, signCode(index + 1, ownBits)), ...demand(piece)],
    })),
  ];
}

/** A matrix of 16-bit floats, zero except for `entries`. */
function halves(name: string, inputs: number, outputs: number, entries: readonly Entry[]): GgufTensor {
  const data = new Uint16Array(inputs * outputs);
  for (const [at, value] of entries) data[at] = halfBits(value);
  return { name, shape: [inputs, outputs], data };
}
