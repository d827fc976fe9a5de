/**
 * What a grammar lets come, guessed: where it leaves few tokens, the likeliest is evaluated together with the text
 * that it forces after it, and with as many further guesses as there are, in one batch. What sampling confirms is kept.
 */
import type { Token, TokenBias } from 'node-llama-cpp';
import type { Matcher } from '../../grammar/matcher/matcher.ts';
import { forcedTokens } from './forced-tokens.ts';
import { markerEndsAt } from './marker-ends.ts';
import type { MarkerTokens } from './marker-tokens.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A place at which few tokens are allowed. */
export interface Guess {
  readonly allowed: readonly Token[];
  /** Pulls the sampler towards them. */
  readonly bias: TokenBias;
  /** One of them, and the tokens that are forced after it. */
  readonly tokens: readonly Token[];
}

/** More of them would rarely all be right. */
const mostGuesses = 6;
/** Tokens of the conversation's end that are looked for in what stands before. */
const longestEnd = 4;

/**
 * The places from that of `matcher` on, each after the guesses at those before it. `written`: the conversation's
 * tokens up to there. Empty where many tokens are allowed, or the grammar may end.
 */
export function guessTokens(
  matcher: Matcher,
  written: readonly Token[],
  markers: MarkerTokens,
  vocabulary: Vocabulary,
): readonly Guess[] {
  const guesses: Guess[] = [];
  const walker = matcher.clone();
  const all = [...written];
  while (guesses.length < mostGuesses && !walker.complete) {
    const allowed = vocabulary.allowed.at(walker);
    const bias = vocabulary.allowed.bias(walker);
    if (allowed === null || bias === null || markerEndsAt(walker, markers, vocabulary) !== null) break;
    const guess = likeliest(all, allowed);
    if (guess === undefined || !walker.accept(vocabulary.bytesOf(guess))) break;
    const forced = walker.complete ? [] : forcedTokens(walker, markers, vocabulary).tokens;
    for (const token of forced) walker.accept(vocabulary.bytesOf(token));
    guesses.push({ allowed, bias, tokens: [guess, ...forced] });
    all.push(guess, ...forced);
  }
  return guesses;
}

/** The allowed token that followed the longest end of `written` when that was written before, the latest such time. */
function likeliest(written: readonly Token[], allowed: readonly Token[]): Token | undefined {
  const possible = new Set(allowed);
  let best = allowed[0];
  let longest = 0;
  for (let place = written.length - 1; place > 0 && longest < longestEnd; place--) {
    const token = written[place];
    if (token === undefined || !possible.has(token)) continue;
    const length = sharedEnd(written, place);
    if (length > longest) [best, longest] = [token, length];
  }
  return best;
}

/** How many tokens before `place` are those at the end of `written`. */
function sharedEnd(written: readonly Token[], place: number): number {
  let length = 0;
  while (
    length < longestEnd &&
    length < place &&
    written[place - 1 - length] === written[written.length - 1 - length]
  ) {
    length += 1;
  }
  return length;
}
