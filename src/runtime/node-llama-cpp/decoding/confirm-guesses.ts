/** Speculative decoding: guesses of the next tokens are evaluated in one batch, and kept as far as sampling agrees. */
import type { ControlledEvaluateInputItem, LlamaContextSequence, Token } from 'node-llama-cpp';
import type { ResponseEvent } from '../../../parser/events.ts';
import { fromEngine } from './evaluate.ts';
import type { Guess } from './guessed-tokens.ts';
import type { ResponseRun } from './response-run.ts';

/**
 * Evaluates `next` with guesses of what follows, and keeps what sampling confirms, as long as there is something to
 * guess. Returns the tokens to continue with, or `null` if the response is over. At temperature 0, the same token is
 * sampled alone and in a batch, so guesses only change the number of batches.
 */
export async function* confirmGuesses(
  sequence: LlamaContextSequence,
  next: Token[],
  run: ResponseRun,
  signal: AbortSignal | undefined,
): AsyncGenerator<ResponseEvent, Token[] | null> {
  let pending = next;
  while (true) {
    const guesses = run.guess([...sequence.contextTokens, ...pending]);
    const begin = sequence.nextTokenIndex;
    const batch = [pending, ...guesses.slice(0, -1).map(({ tokens }) => tokens)];
    const size = batch.reduce((sum, { length }) => sum + length, 0);
    if (guesses.length < 2 || begin + size + 1 >= sequence.contextSize) return pending;
    const sampled = await fromEngine(drawAll(sequence, batch, guesses), run.text);
    signal?.throwIfAborted();
    let end = begin;
    for (const [index, { allowed, tokens }] of guesses.entries()) {
      end += batch[index]?.length ?? 0;
      const token = sampled[index];
      if (token === undefined || !allowed.includes(token)) {
        // It was sampled from all tokens and is not allowed: sample again under the grammar, after the token before
        // it.
        const last = sequence.contextTokens[end - 1];
        await fromEngine(keep(sequence, end - 1), run.text);
        return last === undefined ? pending : [last];
      }
      const step = run.accept({ token }, false);
      yield* step.events;
      signal?.throwIfAborted();
      if (step.over) return null;
      pending = [...step.tokens];
      if (index === guesses.length - 1 || !isSame(pending, tokens)) break;
    }
    await fromEngine(keep(sequence, end), run.text);
  }
}

/** Evaluates all parts in one batch, and samples after each. */
async function drawAll(
  sequence: LlamaContextSequence,
  parts: readonly (readonly Token[])[],
  guesses: readonly Guess[],
): Promise<readonly (Token | undefined)[]> {
  const ends: number[] = [];
  const input = parts.flatMap((part, index): ControlledEvaluateInputItem[] => {
    ends.push((ends.at(-1) ?? -1) + part.length);
    const bias = guesses[index]?.bias;
    const options = { temperature: 0, ...(bias === undefined ? {} : { tokenBias: bias }) };
    return part.map((token, at) =>
      at < part.length - 1 ? token : [token, { generateNext: { token: true, options } }],
    );
  });
  const output = await sequence.controlledEvaluate(input);
  return ends.map((end) => output[end]?.next.token ?? undefined);
}

/** Discards all but the first `length` tokens. */
async function keep(sequence: LlamaContextSequence, length: number): Promise<void> {
  const end = sequence.nextTokenIndex;
  if (length < end) await sequence.eraseContextTokenRanges([{ start: length, end }]);
}

function isSame(some: readonly Token[], others: readonly Token[]): boolean {
  return some.length === others.length && some.every((token, index) => token === others[index]);
}
