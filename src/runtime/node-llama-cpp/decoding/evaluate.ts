/** Tokens through the model without sampling, and what the engine throws at it. */
import type { LlamaContextSequence, Token } from 'node-llama-cpp';
import { ContextOverflowError, DecodingError } from '../../../format/errors.ts';
import type { ResponseRun } from './response-run.ts';

/** Tokens that are evaluated before the abort signal is looked at again. */
const promptSlice = 512;

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

/** How a prompt is evaluated. */
interface PromptPlaces {
  /** Where a state is kept, if the model needs kept states to go back. */
  readonly places: readonly number[];
  /** Nobody else needs the state, so that the last slice can be evaluated with the first sample. */
  readonly alone: boolean;
}

/**
 * Evaluates all but the last tokens in slices; returns the tokens that are left to start sampling with. Models
 * that cannot go back in their state (recurrent ones, those with a sliding window) keep it at the places to which
 * a later prompt will go back: where this one leaves the one before it, where its turn begins, and before sampling.
 */
export async function evaluatePrompt(
  sequence: LlamaContextSequence,
  tokens: readonly Token[],
  { places: wanted, alone }: PromptPlaces,
  run: ResponseRun,
  signal: AbortSignal | undefined,
): Promise<Token[]> {
  const last = tokens.length - 1;
  const places = sequence.needsCheckpoints ? wanted : [];
  for (let done = sequence.nextTokenIndex; done < last; done = sequence.nextTokenIndex) {
    const stops = [...places, done + promptSlice].filter((place) => place > done);
    const end = Math.min(...stops);
    if (alone && places.length === 0 && last - done <= promptSlice) break;
    await fromEngine(
      sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(done, Math.min(end, last))),
      run.text,
    );
    if (places.includes(sequence.nextTokenIndex)) await fromEngine(sequence.takeCheckpoint(), run.text);
    signal?.throwIfAborted();
  }
  return tokens.slice(sequence.nextTokenIndex);
}

/** Awaits `work` of the engine; what it throws becomes a `DecodingError` with the `text` so far. */
export async function fromEngine<Value>(work: Promise<Value>, text: string): Promise<Value> {
  try {
    return await work;
  } catch (cause) {
    throw new DecodingError({ reason: `node-llama-cpp stopped: ${String(cause)}`, text, cause });
  }
}
