/** Codes of signs, and weights as 16-bit floats, for the scripted models. */
import { UnsupportedOptionError } from '../../../src/format/errors.ts';
import type { Vocabulary } from '../../../src/testing/model-file-options.ts';

/** How many signs distinguish `count` things. */
export function signBits(count: number): number {
  return Math.max(1, Math.ceil(Math.log2(count)));
}

/** The bits of `index` as signs. */
export function signCode(index: number, bits: number): readonly number[] {
  return Array.from({ length: bits }, (_, bit) => ((index >> bit) & 1 ? 1 : -1));
}

/** The bits of a 16-bit float, for numbers that it represents exactly. */
export function halfBits(value: number): number {
  if (value === 0) return 0;
  const [bits = 0] = new Uint32Array(Float32Array.of(value).buffer);
  return ((bits >>> 16) & 0x8000) | ((((bits >>> 23) & 0xff) - 112) << 10) | ((bits >>> 13) & 0x3ff);
}

/** Throws `UnsupportedOptionError` if one of `tokens` is not in the vocabulary. */
export function requireKnownTokens(
  option: string,
  tokens: readonly number[],
  { size }: Pick<Vocabulary, 'size'>,
): void {
  const foreign = tokens.find((token) => token >= size);
  if (foreign === undefined) return;
  const reason = `token ${foreign} is not one of the vocabulary's ${size}`;
  throw new UnsupportedOptionError({ option, reason });
}
