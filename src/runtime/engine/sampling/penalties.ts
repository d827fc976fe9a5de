/** Penalties on tokens that repeat the text before them; the formulas are llama.cpp's. */
import type { DryOptions, SamplingOptions } from '../../chat/chat-options.ts';

const defaultRepeatLastN = 64;

/** Penalises the tokens among the last ones of `written`. */
export function penaliseRepeated(
  logits: Float32Array,
  written: readonly number[],
  { repeatPenalty = 1, frequencyPenalty = 0, presencePenalty = 0, repeatLastN }: SamplingOptions,
): void {
  if (repeatPenalty === 1 && frequencyPenalty === 0 && presencePenalty === 0) return;
  for (const [token, count] of countsOf(lastOf(written, repeatLastN ?? defaultRepeatLastN))) {
    const logit = logits[token] ?? 0;
    const divided = logit <= 0 ? logit * repeatPenalty : logit / repeatPenalty;
    logits[token] = divided - count * frequencyPenalty - presencePenalty;
  }
}

/**
 * "Don't repeat yourself": a token that followed earlier what the text ends with now would extend a repetition, and is
 * penalised by its length. `lastN`: how much of the text counts, by default all. `breaks`: whether a token ends a
 * repetition.
 */
export function penaliseSequences(
  logits: Float32Array,
  written: readonly number[],
  { multiplier, base = 1.75, allowedLength = 2, lastN = written.length }: DryOptions,
  breaks: (token: number) => boolean,
): void {
  if (multiplier === 0) return;
  for (const [token, length] of repetitions(lastOf(written, lastN), breaks)) {
    if (length >= allowedLength)
      logits[token] = (logits[token] ?? 0) - multiplier * base ** (length - allowedLength);
  }
}

/**
 * For each token that would extend a repetition: how long the longest one is.
 *
 *     … a b c … a b        `a b` came before: another `c` would make the repetition three long
 *         ^ end   ^ last   compared from here to the left
 *
 * Quadratic for a text that repeats itself throughout; only `lastN` and breakers bound it.
 */
function repetitions(
  written: readonly number[],
  breaks: (token: number) => boolean,
): ReadonlyMap<number, number> {
  const longest = new Map<number, number>();
  const last = written.length - 1;
  for (let end = 0; end < last; end += 1) {
    let length = 0;
    // Looking left; a breaker ends the comparison.
    for (; length <= end; length += 1) {
      const token = written[end - length] ?? 0;
      if (token !== written[last - length] || breaks(token)) break;
    }
    const next = written[end + 1] ?? 0;
    if (length > (longest.get(next) ?? 0)) longest.set(next, length);
  }
  return longest;
}

function lastOf(written: readonly number[], count: number): readonly number[] {
  return count === 0 ? [] : written.slice(-count);
}

function countsOf(tokens: readonly number[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}
