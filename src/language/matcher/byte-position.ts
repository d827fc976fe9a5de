/**
 * Matcher positions over UTF-8 bytes: a token is a byte string and may end inside a character. A byte that continues
 * no well-formed character never matches.
 */
import { intersectsRange } from './lookup-set.ts';
import type { Position, Stacks } from './stacks.ts';
import { afterByte, betweenCharacters, type CharacterPart } from './utf8.ts';

/** A position, and the bytes of an incomplete character. */
export interface BytePosition {
  readonly position: Position;
  readonly part: CharacterPart;
  /** Bits of the incomplete character. */
  readonly bits: number;
}

/** A position between characters. */
export function wholePosition(position: Position): BytePosition {
  return { position, part: betweenCharacters, bits: 0 };
}

/** The position after `byte`; `null` if it is not allowed. */
export function advanceByte(stacks: Stacks, from: BytePosition, byte: number): BytePosition | null {
  const part = afterByte(from.part, byte);
  if (part === null) return null;
  const bits = from.part.missing > 0 ? (from.bits << 6) | (byte & 0x3f) : byte & (0x7f >> (part.missing + 1));
  if (part.missing > 0) return ifAlive({ position: from.position, part, bits });
  const position = stacks.advance(from.position, from.part.missing > 0 ? bits : byte);
  return position === null ? null : wholePosition(position);
}

/** `from`, if the grammar allows some character that begins with these bits. */
function ifAlive(from: BytePosition): BytePosition | null {
  const { bits, part, position } = from;
  const later = 6 * (part.missing - 1);
  const first = ((bits << 6) | (part.low & 0x3f)) << later;
  const last = (((bits << 6) | (part.high & 0x3f)) << later) | ((1 << later) - 1);
  return position.characters.some(({ node: { set } }) => intersectsRange(set, first, last)) ? from : null;
}
