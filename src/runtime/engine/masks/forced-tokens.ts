/**
 * The tokens of text that a grammar forces. It must be tokenised as the model would have done, so its end is healed:
 * text that a longer token could cover is left to sampling.
 */
import type { Matcher } from '../../../language/matcher/matcher.ts';
import { maxForced } from '../../../language/matcher/max-forced.ts';
import type { MarkerTokens } from '../tokens/marker-tokens.ts';
import type { Vocabulary } from '../tokens/vocabulary.ts';
import { cachedByPosition } from './cached-by-position.ts';

/** Forced tokens, and a matcher after them, to be cloned. */
export interface ForcedTokens {
  readonly tokens: readonly number[];
  readonly after: Matcher;
  /** Whether more is forced than was looked at. */
  readonly goesOn: boolean;
}

const encoder = new TextEncoder();

/** The tokens forced at the position of `matcher`. */
export const forcedTokens = cachedByPosition(findForced);

function findForced(matcher: Matcher, markers: MarkerTokens, vocabulary: Vocabulary): ForcedTokens {
  const after = matcher.clone();
  const text = matcher.forced();
  if (text === '') return { tokens: [], after, goesOn: false };
  const tokens = healEnd(text, matcher, markers, vocabulary);
  // Stops before text that the tokenizer cannot encode exactly.
  const wrong = tokens.findIndex((token) => !after.accept(vocabulary.bytesOf(token)));
  const kept = wrong < 0 ? tokens : tokens.slice(0, wrong);
  return { tokens: kept, after, goesOn: kept.length > 0 && text.length >= maxForced };
}

/**
 * Tokens of `text`, which is forced at the position of `matcher`, without those after the earliest position at which
 * an allowed token extends beyond the text, and without those that would change if the text continued.
 */
function healEnd(
  text: string,
  matcher: Matcher,
  markers: MarkerTokens,
  vocabulary: Vocabulary,
): readonly number[] {
  const encoded = markers.encode(text);
  const tokens = encoded.slice(0, countSettled(text, encoded, matcher, markers, vocabulary));
  const lengths = tokens.map((token) => vocabulary.bytesOf(token).length);
  const bytes = encoder.encode(text);
  const lastMarker = tokens.findLastIndex((token) => vocabulary.isSpecial(token));
  const healedFrom = sum(lengths.slice(0, lastMarker + 1));
  const end = firstOverrun(
    bytes,
    Math.max(healedFrom, bytes.length - vocabulary.index.longest),
    matcher,
    vocabulary,
  );
  let kept = 0;
  let position = 0;
  while (kept < tokens.length && position + (lengths[kept] ?? 0) <= end) {
    position += lengths[kept] ?? 0;
    kept += 1;
  }
  while (kept > 0 && isInsideCharacter(bytes, position)) {
    kept -= 1;
    position -= lengths[kept] ?? 0;
  }
  return tokens.slice(0, kept);
}

/** If more characters than this may follow, they are not tried one by one, but one of each kind. */
const fewCharacters = 16;
const kindsOfCharacters = [...'\n ,}"<a1'].map((character) => character.charCodeAt(0));

/**
 * How many of `tokens` of `text` stay the same whichever character comes next. Byte pairs are merged by rank, not from
 * left to right: ` {}}` is ` {` and `}}`, but ` {}},` is ` {}` and `},`.
 */
function countSettled(
  text: string,
  tokens: readonly number[],
  matcher: Matcher,
  markers: MarkerTokens,
  vocabulary: Vocabulary,
): number {
  const ahead = matcher.clone();
  ahead.accept(text);
  let settled = tokens.length;
  for (const byte of nextBytes(ahead, vocabulary)) {
    const longer = byte < 0x80 ? markers.encode(text + String.fromCharCode(byte)) : tokens;
    const changed = tokens.findIndex((token, index) => longer[index] !== token);
    if (changed >= 0) settled = Math.min(settled, changed);
  }
  return settled;
}

/** The bytes that may come next, or those of them that stand for their kind. */
function nextBytes(ahead: Matcher, vocabulary: Vocabulary): Iterable<number> {
  const following = vocabulary.allowed.at(ahead);
  const letters = following?.filter((token) => !vocabulary.isSpecial(token));
  const next = new Set(letters?.map((token) => vocabulary.bytesOf(token)[0] ?? 0));
  if (following !== null && next.size <= fewCharacters) return next;
  return kindsOfCharacters.filter((byte) => ahead.allows(Uint8Array.of(byte)));
}

/** The earliest position from `from` on where an allowed token is longer than the rest of `bytes`. */
function firstOverrun(bytes: Uint8Array, from: number, matcher: Matcher, vocabulary: Vocabulary): number {
  const ahead = matcher.clone();
  ahead.accept(bytes.subarray(0, from));
  for (let place = from; place < bytes.length; place++) {
    if (runsOver(ahead, bytes.length - place, vocabulary)) return place;
    ahead.accept(bytes.subarray(place, place + 1));
  }
  return bytes.length;
}

function runsOver(ahead: Matcher, rest: number, vocabulary: Vocabulary): boolean {
  const allowed = vocabulary.allowed.at(ahead);
  return allowed === null || allowed.some((token) => vocabulary.bytesOf(token).length > rest);
}

function isInsideCharacter(bytes: Uint8Array, place: number): boolean {
  return ((bytes[place] ?? 0) & 0xc0) === 0x80;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
