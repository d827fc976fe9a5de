/**
 * Tokenises texts in which many characters follow each other without a break. Tokenizers first split a text into words
 * by regular expressions, and llama.cpp's, where a vocabulary has no faster splitter, recurse once for each character
 * of a word: some 23,500 letters, digits or spaces in a row end the process, 11,500 in a worker.
 *
 * So such a run is tokenised in windows that overlap. A window's tokens are taken up to a place at which it may be cut:
 * the rest of the window, tokenised by itself, has the same tokens. Byte pairs depend on what is near, so these are the
 * tokens of the whole run. If there is no such place, the text is cut nevertheless: it stays the same text, but tokens
 * around the cut may be others than the whole run would have. So is a long text, which nobody shall wait for.
 */

import type { Steps } from '../../../language/expression/steps.ts';

/** Characters of a run that are tokenised at once, at most. */
const maxInRun = 4_000;
/** Characters of any text: some five milliseconds. */
const maxAtOnce = 25_000;
/** Characters at the end of a window that the next one repeats: none of its tokens reaches as far. */
const overlap = 1_000;
/** How many places are tried for a cut. */
const maxTried = 16;

/** What tokenises. */
export interface PieceTokenizer {
  /** Tokenises a piece of the text; `begins`: whether the piece is its beginning. */
  readonly encode: (piece: string, begins: boolean) => readonly number[];
  /** Bytes of a token. */
  readonly widthOf: (token: number) => number;
  /** Whether it splits texts into words first. */
  readonly splits: boolean;
}

/** The tokens of `text`, which is tokenised in windows if it is long or has long runs. */
export function* encodeWindows(text: string, tokenizer: PieceTokenizer): Steps<readonly number[]> {
  const { encode, splits } = tokenizer;
  const maxRun = splits ? maxInRun : maxAtOnce;
  const tokens: number[] = [];
  let start = 0;
  for (let end = windowEnd(text, 0, maxRun); end >= 0; end = windowEnd(text, start, maxRun)) {
    const window = encode(text.slice(start, end), start === 0);
    yield;
    const cut = findCut(text, end, window, tokenizer) ?? cutAnywhere(text, start, end - overlap, tokenizer);
    for (const token of cut.tokens) tokens.push(token);
    start = cut.place;
    yield;
  }
  for (const token of encode(text.slice(start), start === 0)) tokens.push(token);
  return tokens;
}

/** Tokens up to a place of the text. */
interface Cut {
  readonly place: number;
  readonly tokens: readonly number[];
}

/** The last tokens of `window`, which ends at `end`, are left out where those after them do not change. */
function findCut(
  text: string,
  end: number,
  window: readonly number[],
  { encode, widthOf }: PieceTokenizer,
): Cut | null {
  let kept = window.length;
  let place = end;
  // Bytes between a token or a character and the end of the window.
  let [byToken, byCharacter] = [0, 0];
  for (let tried = 0; kept > 1 && tried < maxTried && end - place < 2 * overlap; ) {
    kept -= 1;
    byToken += widthOf(window[kept] ?? 0);
    while (byCharacter < byToken && place > 0) {
      const width = characterBefore(text, place);
      place -= width.units;
      byCharacter += width.bytes;
    }
    if (end - place < overlap || byCharacter !== byToken) continue;
    tried += 1;
    const rest = encode(text.slice(place, end), false);
    const stays =
      rest.length === window.length - kept && rest.every((token, at) => token === window[kept + at]);
    if (stays) return { place, tokens: window.slice(0, kept) };
  }
  return null;
}

function cutAnywhere(text: string, start: number, near: number, { encode }: PieceTokenizer): Cut {
  const place = wholeCharacters(text, near);
  return { place, tokens: encode(text.slice(start, place), start === 0) };
}

function characterBefore(text: string, place: number): { readonly units: number; readonly bytes: number } {
  const code = text.charCodeAt(place - 1);
  if (isLow(code) && isHigh(text.charCodeAt(place - 2))) return { units: 2, bytes: 4 };
  if (code < 0x80) return { units: 1, bytes: 1 };
  return { units: 1, bytes: code < 0x800 ? 2 : 3 };
}

/**
 * Where the first run from `start` on has `maxRun` characters, or the window `maxAtOnce`; -1 if neither is. A run
 * has only white space, or none: that in Unicode counts as either, because splitters differ.
 */
function windowEnd(text: string, start: number, maxRun: number): number {
  if (text.length - start <= maxRun) return -1;
  let [white, other] = [0, 0];
  const most = start + maxAtOnce;
  for (let at = start; at < text.length; at += 1) {
    if (at === most) return wholeCharacters(text, at);
    const code = text.charCodeAt(at);
    const inAscii = code === 0x20 || (code >= 0x09 && code <= 0x0d);
    white = inAscii || (code > 0x7f && isWhite(code)) ? white + 1 : 0;
    other = inAscii ? 0 : other + 1;
    if (Math.max(white, other) > maxRun) return wholeCharacters(text, at);
  }
  return -1;
}

function isWhite(code: number): boolean {
  return (
    code === 0x85 ||
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000 ||
    code === 0xfeff
  );
}

/** `place`, or the one before it if a pair of units would be cut. */
function wholeCharacters(text: string, place: number): number {
  return isLow(text.charCodeAt(place)) && isHigh(text.charCodeAt(place - 1)) ? place - 1 : place;
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}
