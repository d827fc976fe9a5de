/**
 * Tokens that the file marks as ends of generation although the format has them for markers, and where in a
 * grammar they are markers. Converters mark by a token's name, so `<|end|>` is an end for every model.
 */
import { type Token, TokenBias } from 'node-llama-cpp';
import type { Matcher } from '../../grammar/matcher/matcher.ts';
import { setEndBias } from './end-bias.ts';
import type { MarkerTokens } from './marker-tokens.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A place at which such tokens may come. */
export interface MarkerEnds {
  readonly tokens: readonly Token[];
  /** Keeps the sampler to what may come here. */
  readonly bias: TokenBias;
}

/** Added to the logits of the only tokens that may come: more than any model's spread. */
const allowedBias = 100;
const known = new WeakMap<MarkerTokens, WeakMap<object, MarkerEnds | null>>();

/**
 * The ends of generation that are markers where `matcher` stands; `null` where there are none, and where too
 * many tokens are allowed to name them, but not nearly all: there the engine's grammar is needed. Remembered by the place.
 */
export function markerEndsAt(
  matcher: Matcher,
  markers: MarkerTokens,
  vocabulary: Vocabulary,
): MarkerEnds | null {
  if (markers.ends.length === 0) return null;
  const places = known.get(markers) ?? new WeakMap<object, MarkerEnds | null>();
  known.set(markers, places);
  const remembered = places.get(matcher.state);
  if (remembered !== undefined) return remembered;
  const ends = findEnds(matcher, markers, vocabulary);
  places.set(matcher.state, ends);
  return ends;
}

function findEnds(matcher: Matcher, markers: MarkerTokens, vocabulary: Vocabulary): MarkerEnds | null {
  const tokens = markers.ends.filter((token) => leadsOn(matcher, vocabulary.bytesOf(token)));
  if (tokens.length === 0) return null;
  const mayEnd = (token: Token) => matcher.complete || tokens.includes(token);
  const bias = new TokenBias(vocabulary.tokenizer);
  if (printable.every((character) => matcher.allows(character))) {
    for (const token of vocabulary.silent) {
      const isEnd = vocabulary.endsGeneration(token);
      if (isEnd && !mayEnd(token)) setEndBias(bias, token, -Infinity);
      if (!isEnd && !markers.has(token)) bias.set(token, 'never');
    }
    return { tokens, bias };
  }
  const allowed = matcher.allowedTokens(vocabulary.index, mostTokens);
  if (allowed === null) return null;
  const ends = vocabulary.silent.filter((token) => vocabulary.endsGeneration(token) && mayEnd(token));
  if (!ends.every((token) => setEndBias(bias, token, allowedBias))) return null;
  for (const id of allowed) bias.set(vocabulary.token(id), { logit: allowedBias });
  return { tokens, bias };
}

/** Tokens that are told to the sampler at most: it takes as long for them as for two tokens of a small model. */
const mostTokens = 50_000;

/** The marker is more than text here: text of its length leads somewhere else, or is not allowed. */
function leadsOn(matcher: Matcher, bytes: Uint8Array): boolean {
  const marked = matcher.clone();
  if (!marked.accept(bytes)) return false;
  const plain = matcher.clone();
  return !plain.accept('a'.repeat(bytes.length)) || plain.state !== marked.state;
}

/** Printable ASCII and the line feed. */
const printable = ['\n', ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index))];
