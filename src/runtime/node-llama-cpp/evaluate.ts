/** Tokens through the model without sampling, and what the engine throws at it. */
import type { LlamaContextSequence, Token } from 'node-llama-cpp';
import { ContextOverflowError, DecodingError } from '../../format/errors.ts';

/** Tokens that are evaluated between two looks at the abort signal. */
export const promptSlice = 512;

/** Room for `tokens` and one that is sampled. Throws `ContextOverflowError`. */
export function requireRoom(tokens: number, { contextSize }: LlamaContextSequence): void {
  if (tokens >= contextSize) throw new ContextOverflowError({ needed: tokens + 1, available: contextSize });
}

/**
 * Evaluates what the sequence, which holds a beginning of `tokens`, lacks of them. Throws `DecodingError`, or the
 * signal's reason.
 */
export async function evaluateTokens(
  sequence: LlamaContextSequence,
  tokens: readonly Token[],
  signal: AbortSignal | undefined,
): Promise<void> {
  while (sequence.nextTokenIndex < tokens.length) {
    const done = sequence.nextTokenIndex;
    const slice = tokens.slice(done, done + promptSlice);
    await fromEngine(sequence.evaluateWithoutGeneratingNewTokens(slice), '');
    signal?.throwIfAborted();
  }
}

/** What the engine makes of `work`; what it throws is told as a `DecodingError`, with the `text` so far. */
export async function fromEngine<Value>(work: Promise<Value>, text: string): Promise<Value> {
  try {
    return await work;
  } catch (cause) {
    throw new DecodingError({ reason: `node-llama-cpp stopped: ${String(cause)}`, text, cause });
  }
}
