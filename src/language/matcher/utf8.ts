/**
 * Well-formed UTF-8, byte by byte: neither overlong, nor a surrogate, nor beyond U+10FFFF (Unicode 16, table 3-7).
 * llama.cpp's grammar takes such a sequence for one character, and a decoder for several, so that counts of characters
 * differ. No grammar of ours allows them.
 */
import type { TokenIndex } from './token-index.ts';

/** Where bytes end: between characters, or within one. There are nine such places, each of them one object. */
export interface CharacterPart {
  /** Bytes still missing; 0 between characters. */
  readonly missing: number;
  /** The least and the greatest next byte, if bytes are missing. */
  readonly low: number;
  readonly high: number;
  /** The place after that byte. */
  readonly next: CharacterPart | null;
}

/** The end of a character, or the beginning of a text. */
export const betweenCharacters: CharacterPart = { missing: 0, low: 0, high: 0, next: null };

const oneMissing = { missing: 1, low: 0x80, high: 0xbf, next: betweenCharacters };
const twoMissing = { missing: 2, low: 0x80, high: 0xbf, next: oneMissing };
const threeMissing = { missing: 3, low: 0x80, high: 0xbf, next: twoMissing };

/** After these bytes, other second bytes would be overlong, a surrogate, or too large. */
const restricted = new Map<number, CharacterPart>([
  [0xe0, { ...twoMissing, low: 0xa0 }],
  [0xed, { ...twoMissing, high: 0x9f }],
  [0xf0, { ...threeMissing, low: 0x90 }],
  [0xf4, { ...threeMissing, high: 0x8f }],
]);

/** The place after each byte that can begin a character, by that byte. */
const beginnings = Array.from({ length: 0x100 }, (_, byte): CharacterPart | null => {
  if (byte < 0x80) return betweenCharacters;
  if (byte < 0xc2 || byte > 0xf4) return null;
  return restricted.get(byte) ?? (byte < 0xe0 ? oneMissing : byte < 0xf0 ? twoMissing : threeMissing);
});

/** Where the bytes end after one more; `null` if no character continues so. */
export function afterByte(part: CharacterPart, byte: number): CharacterPart | null {
  if (part.missing === 0) return beginnings[byte] ?? null;
  return byte < part.low || byte > part.high ? null : part.next;
}

const known = new WeakMap<TokenIndex, Map<CharacterPart, readonly number[]>>();

/**
 * The tokens after `part` that are ill-formed although llama.cpp may take them for characters: those that continue a
 * character where one has begun, and those that begin one elsewhere. It refuses the others itself.
 */
export function illFormedTokens(index: TokenIndex, part: CharacterPart): readonly number[] {
  const byPart = known.get(index) ?? new Map<CharacterPart, readonly number[]>();
  known.set(index, byPart);
  const found = byPart.get(part) ?? findIllFormed(index, part);
  byPart.set(part, found);
  return found;
}

function findIllFormed(index: TokenIndex, part: CharacterPart): readonly number[] {
  const found: number[] = [];
  const { bytes, ids, starts } = index;
  for (const id of ids) {
    const start = starts[id] ?? 0;
    const continues = ((bytes[start] ?? 0) & 0xc0) === 0x80;
    if (continues !== part.missing > 0) continue;
    if (!isWellFormed(bytes, start, starts[id + 1] ?? 0, part)) found.push(id);
  }
  return found;
}

function isWellFormed(bytes: Uint8Array, start: number, end: number, from: CharacterPart): boolean {
  let part: CharacterPart | null = from;
  for (let at = start; at < end && part !== null; at += 1) part = afterByte(part, bytes[at] ?? 0);
  return part !== null;
}
