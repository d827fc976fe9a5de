/**
 * Matcher positions over UTF-8 bytes: a token is a byte string and may end inside a character.
 *
 * A sequence of the right length that does not encode a character (overlong, a surrogate, beyond U+10FFFF) counts as
 * one U+FFFD, because llama.cpp's engine counts it as one character. A byte that is invalid at its position never
 * matches.
 */

import { maxCodePoint } from '../expression/expression.ts';
import { intersectsRange } from './lookup-set.ts';
import type { Position, Stacks } from './stacks.ts';

/** A position, and the bytes of an incomplete character. */
export interface BytePosition {
  readonly position: Position;
  /** Bytes still missing; 0 between characters. */
  readonly missing: number;
  /** Bits decoded so far; `length` is the length of the whole sequence. */
  readonly bits: number;
  readonly length: number;
}

const replacement = 0xfffd;
/** Smallest code point whose encoding has this many bytes. */
const smallest = [0, 0, 0x80, 0x800, 0x10000];

/** A position between characters. */
export function wholePosition(position: Position): BytePosition {
  return { position, missing: 0, bits: 0, length: 0 };
}

/** The position after `byte`; `null` if it is not allowed. */
export function advanceByte(stacks: Stacks, from: BytePosition, byte: number): BytePosition | null {
  if (from.missing > 0) return continueCharacter(stacks, from, byte);
  if (byte < 0x80) {
    const position = stacks.advance(from.position, byte);
    return position === null ? null : wholePosition(position);
  }
  if (byte < 0xc2 || byte > 0xf7) return null;
  const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
  return ifAlive({
    position: from.position,
    missing: length - 1,
    bits: byte & (0xff >> (length + 1)),
    length,
  });
}

function continueCharacter(stacks: Stacks, from: BytePosition, byte: number): BytePosition | null {
  if ((byte & 0xc0) !== 0x80) return null;
  const bits = (from.bits << 6) | (byte & 0x3f);
  if (from.missing > 1) return ifAlive({ ...from, missing: from.missing - 1, bits });
  const position = stacks.advance(from.position, realCharacter(bits, from.length));
  return position === null ? null : wholePosition(position);
}

function realCharacter(code: number, length: number): number {
  const overlong = code < (smallest[length] ?? 0);
  const surrogate = code >= 0xd800 && code <= 0xdfff;
  return overlong || surrogate || code > maxCodePoint ? replacement : code;
}

/** `from`, if the grammar allows some character that begins with these bits. */
function ifAlive(from: BytePosition): BytePosition | null {
  const { bits, missing, length, position } = from;
  const low = bits << (6 * missing);
  const high = low | ((1 << (6 * missing)) - 1);
  const real = Math.max(low, smallest[length] ?? 0);
  const unreal = low < real || (low <= 0xdfff && high >= 0xd800) || high > maxCodePoint;
  const alive = position.characters.some(
    ({ node: { set } }) =>
      intersectsRange(set, real, high) || (unreal && intersectsRange(set, replacement, replacement)),
  );
  return alive ? from : null;
}
