/**
 * Tokens that the model file declares as ends of generation although they are markers of the format, and the positions
 * in a grammar where they are markers. Converters go by the name of a token, so `<|end|>` is an end for every model.
 */
import type { Matcher } from '../../../language/matcher/matcher.ts';
import type { TokenBiases } from '../engine.ts';
import type { MarkerTokens } from '../tokens/marker-tokens.ts';
import type { Vocabulary } from '../tokens/vocabulary.ts';
import { allowedBias } from './allowed-tokens.ts';

/** A position where such tokens may come. */
export interface MarkerEnds {
  readonly tokens: readonly number[];
  /** Restricts the sampler to the tokens allowed here. */
  readonly bias: TokenBiases;
}

const known = new WeakMap<MarkerTokens, WeakMap<object, MarkerEnds | null>>();

/**
 * The ends of generation that are markers at the position of `matcher`. `null` if there are none, and if too many
 * tokens are allowed to list them but not nearly all: then the engine's grammar is needed. Cached by position.
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
  const mayEnd = (token: number) => matcher.complete || tokens.includes(token);
  const bias = new Map<number, number>();
  if (printable.every((character) => matcher.allows(character))) {
    for (const token of vocabulary.silent) {
      const isEnd = vocabulary.endsGeneration(token);
      if (isEnd && !mayEnd(token)) bias.set(token, -Infinity);
      if (!isEnd && !markers.has(token)) bias.set(token, -Infinity);
    }
    for (const token of matcher.illFormedTokens(vocabulary.index)) bias.set(token, -Infinity);
    return { tokens, bias };
  }
  const allowed = matcher.allowedTokens(vocabulary.index, mostTokens);
  if (allowed === null) return null;
  for (const token of [...vocabulary.ends.filter(mayEnd), ...allowed]) bias.set(token, allowedBias);
  return { tokens, bias };
}

/** The most tokens in a bias: applying it then takes as long as two tokens of a small model. */
const mostTokens = 50_000;

/** Whether the marker is more than text here: other text of its length leads to another position, or is not allowed. */
function leadsOn(matcher: Matcher, bytes: Uint8Array): boolean {
  const marked = matcher.clone();
  if (!marked.accept(bytes)) return false;
  const plain = matcher.clone();
  return !plain.accept('a'.repeat(bytes.length)) || plain.state !== marked.state;
}

/** Printable ASCII and the line feed. */
const printable = ['\n', ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index))];
