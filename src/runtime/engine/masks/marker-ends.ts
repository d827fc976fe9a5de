/**
 * Tokens that the model file declares as ends of generation although they are markers of the format, and the positions
 * in a grammar where they are markers. Converters go by the name of a token, so `<|end|>` is an end for every model.
 */
import { addTokens, removeTokens, type TokenBitmap } from '../../../language/matcher/masks/token-bitmap.ts';
import type { Matcher } from '../../../language/matcher/matcher.ts';
import type { TokenBiases } from '../engine.ts';
import type { MarkerTokens } from '../tokens/marker-tokens.ts';
import type { Vocabulary } from '../tokens/vocabulary.ts';
import { cachedByPosition } from './cached-by-position.ts';

/** A position where such tokens may come. */
interface MarkerEnds {
  readonly tokens: readonly number[];
  /** All that may be drawn here. */
  readonly allowed: Readonly<TokenBitmap>;
  /** Restricts the sampler to the tokens allowed here. */
  readonly bias: TokenBiases;
}

/**
 * The ends of generation that are markers at the position of `matcher`. `null` if there are none, and if both the
 * tokens that are allowed and the others are too many for a bias: then the engine's grammar is needed.
 */
export function markerEndsAt(
  matcher: Matcher,
  markers: MarkerTokens,
  vocabulary: Vocabulary,
): MarkerEnds | null {
  return markers.ends.length === 0 ? null : endsAt(matcher, markers, vocabulary);
}

const endsAt = cachedByPosition(findEnds);

function findEnds(matcher: Matcher, markers: MarkerTokens, vocabulary: Vocabulary): MarkerEnds | null {
  const tokens = markers.ends.filter((token) => leadsOn(matcher, vocabulary.bytesOf(token)));
  if (tokens.length === 0) return null;
  const { allowed, index, silent, size } = vocabulary;
  const wanted = new Uint32Array((size + 31) >> 5);
  wanted.set(matcher.mask(index));
  // Free text has no special tokens but the format's markers.
  if (printable.every((character) => matcher.allows(character)))
    removeTokens(
      wanted,
      silent.filter((token) => !markers.has(token)),
    );
  addTokens(wanted, matcher.complete ? [...vocabulary.ends, ...tokens] : tokens);
  const bias = allowed.leaving(wanted, matcher);
  return bias === null ? null : { tokens, allowed: wanted, bias };
}

/** Whether the marker is more than text here: other text of its length leads to another position, or is not allowed. */
function leadsOn(matcher: Matcher, bytes: Uint8Array): boolean {
  const marked = matcher.clone();
  if (!marked.accept(bytes)) return false;
  const plain = matcher.clone();
  return !plain.accept('a'.repeat(bytes.length)) || plain.state !== marked.state;
}

/** Printable ASCII and the line feed. */
const printable = ['\n', ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index))];
