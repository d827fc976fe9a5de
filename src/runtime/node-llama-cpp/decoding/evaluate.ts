/** Evaluates tokens without sampling, and converts the engine's errors. */
import type { LlamaContextSequence, Token } from 'node-llama-cpp';
import { ContextOverflowError, DecodingError } from '../../../format/errors.ts';
import type { ResponseRun } from './response-run.ts';

/** Number of tokens evaluated before the signal is checked again. */
const promptSlice = 512;

/** Throws `ContextOverflowError` unless `tokens` and one sampled token fit into the context. */
export function requireRoom(tokens: number, { contextSize }: LlamaContextSequence): void {
  if (tokens >= contextSize) throw new ContextOverflowError({ needed: tokens + 1, available: contextSize });
}

/**
 * Evaluates the rest of `tokens`, of which the sequence has a prefix. Throws `DecodingError`, or the signal's reason.
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
  /** Where a state is saved, if the model needs saved states to go back. */
  readonly places: readonly number[];
  /** Whether no other sequence needs the state, so the last slice can be evaluated with the first sample. */
  readonly alone: boolean;
}

/**
 * Evaluates all but the last tokens in slices; returns the remaining tokens, to start sampling with. Models that
 * cannot go back in their state (recurrent ones, those with a sliding window) save it where a later prompt will go
 * back to: where this prompt diverges from the previous one, where its turn begins, and before sampling.
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

/** Awaits `work` of the engine; its errors become a `DecodingError` with the `text` so far. */
export async function fromEngine<Value>(work: Promise<Value>, text: string): Promise<Value> {
  try {
    return await work;
  } catch (cause) {
    throw new DecodingError({ reason: `node-llama-cpp stopped: ${String(cause)}`, text, cause });
  }
}
