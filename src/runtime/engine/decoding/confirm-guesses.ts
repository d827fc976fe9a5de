/** Speculative decoding: guesses of the next tokens are evaluated in one batch, and kept as far as sampling agrees. */
import { startAndFinishInTurns } from '../../../language/expression/steps.ts';
import type { ResponseEvent } from '../../../parser/events.ts';
import type { BiasedPart } from '../engine.ts';
import type { Guess } from './guessed-tokens.ts';
import type { OpenSequence } from './open-sequence.ts';
import type { ResponseRun } from './response-run.ts';

/**
 * Evaluates the pending tokens with guesses of what follows, and keeps what sampling confirms, as long as there is
 * something to guess. At temperature 0, the same token is sampled alone and in a batch, so guesses only change the
 * number of batches.
 */
export async function* confirmGuesses(
  sequence: OpenSequence,
  run: ResponseRun,
  signal: AbortSignal | undefined,
): AsyncGenerator<ResponseEvent, 'go-on' | 'over'> {
  while (sequence.batches) {
    const guesses = await startAndFinishInTurns(run.guess(sequence.tokens), signal);
    const parts = partsOf(sequence.pending, guesses);
    const size = parts.reduce((sum, { tokens }) => sum + tokens.length, 0);
    let end = sequence.tokens.length - sequence.pending.length;
    if (guesses.length < 2 || end + size + 1 >= sequence.contextSize) break;
    const drawn = await sequence.drawAfterEach(parts);
    for (const [index, { allowed, tokens }] of guesses.entries()) {
      end += parts[index]?.tokens.length ?? 0;
      const token = drawn[index];
      if (token === undefined || !allowed.includes(token)) {
        // It was sampled from all tokens and is not allowed: sample again under the grammar, after the token before
        // it.
        await sequence.hold(end - 1);
        return 'go-on';
      }
      const step = await startAndFinishInTurns(run.accept({ token }, false), signal);
      yield* step.events;
      signal?.throwIfAborted();
      if (step.over) return 'over';
      sequence.write(step.tokens);
      if (index === guesses.length - 1 || !isSame(step.tokens, tokens)) break;
    }
    await sequence.hold(end);
  }
  return 'go-on';
}

/** The pending tokens, then those of each guess but the last; each with the bias of the draw after it. */
function partsOf(pending: readonly number[], guesses: readonly Guess[]): readonly BiasedPart[] {
  return guesses.map(({ bias }, index) => ({ tokens: guesses[index - 1]?.tokens ?? pending, bias }));
}

function isSame(some: readonly number[], others: readonly number[]): boolean {
  return some.length === others.length && some.every((token, index) => token === others[index]);
}
