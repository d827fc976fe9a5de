/**
 * Guesses for speculative decoding. Where a grammar allows few tokens, one of them is guessed together with the text
 * that the grammar forces after it, and so on; `confirm-guesses.ts` evaluates them in one batch.
 */
import type { Steps } from '../../../language/expression/steps.ts';
import type { Matcher } from '../../../language/matcher/matcher.ts';
import type { TokenBiases } from '../engine.ts';
import { forcedTokens } from '../masks/forced-tokens.ts';
import { foreseeMasks } from '../masks/foreseen-masks.ts';
import { markerEndsAt } from '../masks/marker-ends.ts';
import type { MarkerTokens } from '../tokens/marker-tokens.ts';
import type { Vocabulary } from '../tokens/vocabulary.ts';

/** A position where few tokens are allowed. */
export interface Guess {
  readonly allowed: readonly number[];
  /** Favours the allowed tokens. */
  readonly bias: TokenBiases;
  /** The guessed token, and the tokens forced after it. */
  readonly tokens: readonly number[];
}

/** More in a row are rarely all correct. */
const maxGuesses = 6;
/** How many of the latest tokens are compared with earlier ones. */
const maxEnd = 4;

/**
 * Successive guesses, the first at the position of `matcher`. `written`: the tokens so far, including the prompt's.
 * Empty if many tokens are allowed, or the grammar may end.
 */
export function* guessTokens(
  matcher: Matcher,
  written: readonly number[],
  markers: MarkerTokens,
  vocabulary: Vocabulary,
): Steps<readonly Guess[]> {
  const guesses: Guess[] = [];
  const ahead = matcher.clone();
  const all = [...written];
  while (guesses.length < maxGuesses && !ahead.complete) {
    yield* foreseeMasks(ahead, vocabulary.index);
    const allowed = vocabulary.allowed.at(ahead);
    const bias = vocabulary.allowed.bias(ahead);
    if (allowed === null || bias === null || markerEndsAt(ahead, markers, vocabulary) !== null) break;
    const guess = likeliest(all, allowed);
    if (guess === undefined || !ahead.accept(vocabulary.bytesOf(guess))) break;
    if (!ahead.complete) yield* foreseeMasks(ahead, vocabulary.index);
    const forced = ahead.complete ? [] : forcedTokens(ahead, markers, vocabulary).tokens;
    for (const token of forced) ahead.accept(vocabulary.bytesOf(token));
    guesses.push({ allowed, bias, tokens: [guess, ...forced] });
    all.push(guess, ...forced);
  }
  return guesses;
}

/**
 * The allowed token that followed the longest earlier occurrence of the end of `written`; among several, the latest.
 */
function likeliest(written: readonly number[], allowed: readonly number[]): number | undefined {
  const possible = new Set(allowed);
  let best = allowed[0];
  let longest = 0;
  for (let place = written.length - 1; place > 0 && longest < maxEnd; place--) {
    const token = written[place];
    if (token === undefined || !possible.has(token)) continue;
    const length = sharedEnd(written, place);
    if (length > longest) [best, longest] = [token, length];
  }
  return best;
}

/** How many tokens before `place` equal those at the end of `written`. */
function sharedEnd(written: readonly number[], place: number): number {
  let length = 0;
  while (
    length < maxEnd &&
    length < place &&
    written[place - 1 - length] === written[written.length - 1 - length]
  ) {
    length += 1;
  }
  return length;
}
