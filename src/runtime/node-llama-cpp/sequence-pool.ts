/** The sequences of one context, handed out to one response at a time. */
import type { LlamaContext, LlamaContextSequence, Token } from 'node-llama-cpp';
import { onAbort } from '../chat/on-abort.ts';

/** A sequence that is in use; `release` gives it to the next one who waits. */
export interface LeasedSequence {
  readonly sequence: LlamaContextSequence;
  release(): void;
}

/** Bytes for the states of one model. */
export const defaultCheckpointMemory = 1024 ** 3;

/** Hands out sequences, first come first served. */
export class SequencePool {
  readonly #free: LlamaContextSequence[];
  readonly #waiting: ((sequence: LlamaContextSequence) => void)[] = [];

  /** `checkpointMemory`: bytes that all sequences together may keep of states to go back to. */
  constructor(
    context: Pick<LlamaContext, 'totalSequences' | 'getSequence'>,
    checkpointMemory = defaultCheckpointMemory,
  ) {
    const { totalSequences } = context;
    // Places are chosen by the prompt; at every so many tokens none is needed.
    const checkpoints = {
      interval: false,
      maxMemory: Math.floor(checkpointMemory / totalSequences),
    } as const;
    this.#free = Array.from({ length: totalSequences }, () => context.getSequence({ checkpoints }));
  }

  /** A free sequence, the one whose conversation `prompt` goes on with if there is one; waits for its turn. */
  async lease(prompt: readonly Token[], signal: AbortSignal | undefined): Promise<LeasedSequence> {
    signal?.throwIfAborted();
    const [free] = this.#free.splice(bestFor(prompt, this.#free), 1);
    const sequence = free ?? (await this.#turn(signal));
    return { sequence, release: () => this.#pass(sequence) };
  }

  /** Goes to the one who waits longest, without a moment in which somebody else could take it. */
  #pass(sequence: LlamaContextSequence): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(sequence);
    else next(sequence);
  }

  #turn(signal: AbortSignal | undefined): Promise<LlamaContextSequence> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1);
        reject(signal?.reason);
      };
      const turn = (sequence: LlamaContextSequence): void => {
        stay();
        resolve(sequence);
      };
      this.#waiting.push(turn);
      const stay = signal === undefined ? () => undefined : onAbort(signal, leave);
    });
  }
}

/**
 * The sequence that shares most with `prompt`, if that is most of what it holds: a common greeting is no
 * reason to overwrite another conversation. Otherwise an empty one, or the one that was used longest ago.
 */
function bestFor(prompt: readonly Token[], free: readonly LlamaContextSequence[]): number {
  const held = free.map((sequence) => sequence.contextTokens);
  const shared = held.map((tokens) => {
    const length = sharedLength(tokens, prompt);
    return 2 * length > tokens.length ? length : 0;
  });
  const most = Math.max(...shared);
  if (most > 0) return shared.indexOf(most);
  return Math.max(
    0,
    held.findIndex((tokens) => tokens.length === 0),
  );
}

function sharedLength(held: readonly Token[], prompt: readonly Token[]): number {
  const end = held.findIndex((token, index) => token !== prompt[index]);
  return end < 0 ? held.length : end;
}
