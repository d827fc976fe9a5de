/** The sequences of one context, each leased to one response at a time. */
import type { LlamaContext, LlamaContextSequence } from 'node-llama-cpp';
import { untilAborted } from '../../../format/on-abort.ts';
import { SequenceQueue } from './sequence-queue.ts';
import { leastShared, sharedLength } from './shared-prefix.ts';

/** A leased sequence. */
export interface LeasedSequence {
  readonly sequence: LlamaContextSequence;
  /** Whether no other sequence could copy what is evaluated here. */
  readonly alone: boolean;
  /** Copies what another sequence has evaluated of the same prompt, once it has; may do nothing. */
  share(signal: AbortSignal | undefined): Promise<void>;
  /** The prompt is evaluated: others may copy it. */
  evaluated(): void;
  /** Returns the sequence; the next waiter gets it. */
  release(): void;
}

/** A sequence that evaluates a prompt. */
interface Work {
  readonly sequence: LlamaContextSequence;
  readonly prompt: readonly number[];
  readonly ready: Promise<void>;
  readonly setReady: () => void;
}

/** Bytes for the saved states of one model. */
const defaultCheckpointMemory = 1024 ** 3;

/** Leases sequences: each prompt gets the one that shares most with it. */
export class SequencePool {
  readonly #free: LlamaContextSequence[];
  readonly #size: number;
  readonly #queue = new SequenceQueue<LlamaContextSequence>();
  /** In order of their start. */
  readonly #working = new Set<Work>();

  /** `checkpointMemory`: bytes for the saved states of all sequences together. */
  constructor(
    context: Pick<LlamaContext, 'totalSequences' | 'getSequence'>,
    checkpointMemory = defaultCheckpointMemory,
  ) {
    const { totalSequences } = context;
    this.#size = totalSequences;
    // States are saved at positions chosen by the prompt, not at fixed intervals.
    const checkpoints = {
      interval: false,
      maxMemory: Math.floor(checkpointMemory / totalSequences),
    } as const;
    this.#free = Array.from({ length: totalSequences }, () => context.getSequence({ checkpoints }));
  }

  /** Leases a free sequence, preferably one whose conversation `prompt` continues; waits if none is free. */
  async lease(prompt: readonly number[], signal: AbortSignal | undefined): Promise<LeasedSequence> {
    signal?.throwIfAborted();
    const [free] = this.#free.splice(bestFor(prompt, this.#free), 1);
    const sequence = free ?? (await this.#queue.wait(prompt, signal));
    const earlier = [...this.#working];
    const work = startWork(sequence, prompt);
    this.#working.add(work);
    return {
      sequence,
      alone: this.#size === 1,
      share: (leaving) => this.#share(work, earlier, leaving),
      evaluated: work.setReady,
      release: () => {
        work.setReady();
        this.#working.delete(work);
        if (!this.#queue.pass(sequence)) this.#free.push(sequence);
      },
    };
  }

  /** The context is disposed of: rejects the waiters with the reason, so they need not wait for slow readers. */
  close(reason: Error): void {
    this.#queue.dismiss(reason);
  }

  /**
   * Copies the state of the sequence that shares most of the prompt, if that saves much; `earlier`: the sequences that
   * started before.
   */
  async #share(work: Work, earlier: readonly Work[], signal: AbortSignal | undefined): Promise<void> {
    const { sequence, prompt } = work;
    const own = sharedLength(sequence.contextTokens, prompt);
    // The last token is always evaluated.
    const most = prompt.length - 1;
    const idle = this.#free.map((each) => ({ sequence: each, tokens: each.contextTokens, ready: null }));
    const busy = earlier.map((each) => ({ sequence: each.sequence, tokens: each.prompt, ready: each.ready }));
    const donors = [...idle, ...busy].map((donor) => ({
      ...donor,
      length: sharedLength(donor.tokens, prompt),
    }));
    const [best] = donors.sort((one, other) => other.length - one.length);
    if (best === undefined || Math.min(best.length, most) - own < leastShared) return;
    if (best.ready !== null) await untilAborted(best.ready, signal);
    const evaluated = Math.min(sharedLength(best.sequence.contextTokens, prompt), most);
    if (evaluated - own >= leastShared) await copyState(sequence, best.sequence, evaluated);
  }
}

function startWork(sequence: LlamaContextSequence, prompt: readonly number[]): Work {
  let setReady = (): void => undefined;
  const ready = new Promise<void>((resolve) => {
    setReady = resolve;
  });
  return { sequence, prompt, ready, setReady };
}

/** node-llama-cpp's function for copying a state, which its types do not declare. */
interface StateCopier {
  _copyStateFromOtherSequence(other: LlamaContextSequence, length: number): Promise<boolean>;
}

function isStateCopier(sequence: object): sequence is StateCopier {
  return typeof Reflect.get(sequence, '_copyStateFromOtherSequence') === 'function';
}

/**
 * Copies the state of the first `length` tokens; if that is impossible, `to` is left empty and evaluates them itself.
 */
async function copyState(
  to: LlamaContextSequence,
  from: LlamaContextSequence,
  length: number,
): Promise<void> {
  if (!isStateCopier(to) || to.needsCheckpoints) return;
  const isCopied = await to._copyStateFromOtherSequence(from, length).catch(() => false);
  if (!isCopied) await to.clearHistory();
}

/**
 * The sequence that shares most with `prompt`, if that is most of what it contains: a common greeting is no reason to
 * overwrite another conversation. Otherwise an empty one, or the least recently used.
 */
function bestFor(prompt: readonly number[], free: readonly LlamaContextSequence[]): number {
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
