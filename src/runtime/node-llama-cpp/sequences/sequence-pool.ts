/** The sequences of one context, each leased to one response at a time. */
import type { LlamaContext, LlamaContextSequence } from 'node-llama-cpp';
import { untilAborted } from '../../../format/on-abort.ts';
import { KeptPrompts } from './kept-prompts.ts';
import { maxPause, SequenceQueue } from './sequence-queue.ts';
import { leastShared, sharedLength } from './shared-prefix.ts';

/** A leased sequence. */
export interface LeasedSequence {
  readonly sequence: LlamaContextSequence;
  /** Whether no other sequence could copy what is evaluated here. */
  readonly alone: boolean;
  /** Copies what another sequence has evaluated of the same prompt, once it has; may do nothing. */
  share(signal: AbortSignal | undefined): Promise<void>;
  /** Runs `work` on the sequence, which counts as used meanwhile. */
  use<Result>(work: () => Promise<Result>): Promise<Result>;
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
  /** Whether its prompt is evaluated. */
  isReady: boolean;
  /** How many of its responses' steps are running. */
  running: number;
  /** When it was last used, in milliseconds. */
  lastUse: number;
}

/** Memory of a pool, in bytes. */
export interface PoolMemory {
  /** For the saved states of all sequences together. Default: 1 GiB. */
  readonly checkpointMemory?: number;
  /** For prompts whose sequences others took. Default: 1 GiB. */
  readonly cacheMemory?: number;
}

const defaultMemory = 1024 ** 3;

/** Leases sequences: each prompt gets the one that shares most with it. */
export class SequencePool {
  readonly #free: LlamaContextSequence[];
  readonly #size: number;
  readonly #queue = new SequenceQueue<LlamaContextSequence>(() => this.#isAbandoned());
  /** In order of their start. */
  readonly #working = new Set<Work>();
  /** How much of what a sequence holds its conversation's next prompt begins with. */
  readonly #lasting = new WeakMap<LlamaContextSequence, number>();
  readonly #kept: KeptPrompts;

  constructor(
    context: Pick<LlamaContext, 'totalSequences' | 'getSequence'>,
    { checkpointMemory = defaultMemory, cacheMemory = defaultMemory }: PoolMemory = {},
  ) {
    this.#kept = new KeptPrompts(cacheMemory);
    const { totalSequences } = context;
    this.#size = totalSequences;
    // States are saved at positions chosen by the prompt, not at fixed intervals.
    const checkpoints = {
      interval: false,
      maxMemory: Math.floor(checkpointMemory / totalSequences),
    } as const;
    this.#free = Array.from({ length: totalSequences }, () => context.getSequence({ checkpoints }));
  }

  /**
   * Leases a free sequence, preferably one whose conversation `prompt` continues; waits if none is free. `lasting`: how
   * many tokens of the prompt the conversation's next one begins with, too.
   */
  async lease(
    prompt: readonly number[],
    signal: AbortSignal | undefined,
    lasting = prompt.length,
  ): Promise<LeasedSequence> {
    signal?.throwIfAborted();
    const [free] = this.#free.splice(this.#bestFor(prompt), 1);
    const sequence = free ?? (await this.#queue.wait(prompt, signal));
    const earlier = [...this.#working];
    const work = startWork(sequence, prompt);
    this.#working.add(work);
    return {
      sequence,
      alone: this.#size === 1,
      share: async (leaving) => {
        await this.#makeRoom(sequence, prompt);
        this.#lasting.set(sequence, lasting);
        await this.#share(work, earlier, leaving);
      },
      use: (step) => use(work, step),
      evaluated: work.setReady,
      release: () => {
        work.setReady();
        this.#working.delete(work);
        if (!this.#queue.pass(sequence)) this.#free.push(sequence);
      },
    };
  }

  /** Whether nobody has used a leased sequence for long. */
  #isAbandoned(): boolean {
    const since = performance.now() - maxPause;
    return [...this.#working].every(({ running, lastUse }) => running === 0 && lastUse <= since);
  }

  /** The context is disposed of: rejects the waiters with the reason, so they need not wait for slow readers. */
  close(reason: Error): void {
    this.#queue.dismiss(reason);
    this.#kept.close();
  }

  /**
   * The sequence whose conversation `prompt` continues. Otherwise an empty one, or the least recently used: it copies
   * what another one has of the prompt, which is no reason to overwrite that. Where nothing can be copied, the sequence
   * that shares most with the prompt, if that is most of what it holds: a common greeting is no reason either.
   */
  #bestFor(prompt: readonly number[]): number {
    const shared = this.#free.map((sequence) => {
      const { length } = sequence.contextTokens;
      const common = sharedLength(sequence.contextTokens, prompt);
      const least =
        isStateCopier(sequence) && !sequence.needsCheckpoints ? this.#lastingOf(sequence) : length / 2;
      return common > 0 && (common >= least || common > length - leastShared) ? common : 0;
    });
    const most = Math.max(...shared);
    if (most > 0) return shared.indexOf(most);
    const empty = this.#free.findIndex(({ contextTokens }) => contextTokens.length === 0);
    return Math.max(0, empty);
  }

  #lastingOf(sequence: LlamaContextSequence): number {
    const { length } = sequence.contextTokens;
    return Math.min(length, this.#lasting.get(sequence) ?? length);
  }

  /** Keeps the conversation that `prompt` displaces. Models that cannot go back could not go on with most of it. */
  async #makeRoom(sequence: LlamaContextSequence, prompt: readonly number[]): Promise<void> {
    const lost = this.#lastingOf(sequence) - sharedLength(sequence.contextTokens, prompt);
    if (lost >= leastShared && !sequence.needsCheckpoints) await this.#kept.keep(sequence);
  }

  /**
   * Takes what others have of the prompt, if that saves much. It looks again after each wait and each copy: meanwhile,
   * a sequence may have gone to another prompt, and what it held is kept. `earlier`: what started before.
   */
  async #share(work: Work, earlier: readonly Work[], signal: AbortSignal | undefined): Promise<void> {
    if (work.sequence.needsCheckpoints) return;
    // Whoever is evaluated is waited for at most once; a copy may fail, or come too late.
    for (let left = earlier.length + maxCopies; left > 0; left -= 1) {
      const source = this.#bestSource(work, earlier);
      if (source === null || !(await source.take(signal))) return;
    }
  }

  /** The longest beginning of a prompt that somebody has, or will have; `null` if none saves much. */
  #bestSource({ sequence, prompt }: Work, earlier: readonly Work[]): Source | null {
    // The last token is always evaluated.
    const most = prompt.length - 1;
    const shared = (tokens: readonly number[]): number => Math.min(sharedLength(tokens, prompt), most);
    let length = shared(sequence.contextTokens) + leastShared - 1;
    let best: Source | null = null;
    const offer = (offered: number, take: Source['take']): void => {
      if (offered <= length) return;
      length = offered;
      best = { take };
    };
    for (const other of [...this.#free, ...[...this.#working].map((each) => each.sequence)]) {
      if (other === sequence) continue;
      const held = shared(other.contextTokens);
      offer(held, () => copyState(sequence, other, held));
    }
    const kept = this.#kept.best(prompt);
    if (kept !== null)
      offer(Math.min(kept.length, most), async () => {
        await this.#kept.restore(kept.kept, sequence, kept.length);
        return true;
      });
    for (const { ready, isReady, prompt: coming } of earlier)
      if (!isReady)
        offer(shared(coming), async (signal) => {
          await untilAborted(ready, signal);
          return true;
        });
    return best;
  }
}

/** Copies of one prompt's beginning that are tried. */
const maxCopies = 4;

/** Somebody who has the beginning of a prompt. */
interface Source {
  /** Takes it, or waits until it is there; `false` if nothing can be taken. Throws the signal's reason. */
  take(signal: AbortSignal | undefined): Promise<boolean>;
}

function startWork(sequence: LlamaContextSequence, prompt: readonly number[]): Work {
  let setReady = (): void => undefined;
  const ready = new Promise<void>((resolve) => {
    setReady = resolve;
  });
  const work: Work = {
    sequence,
    prompt,
    ready,
    setReady: () => {
      work.isReady = true;
      setReady();
    },
    isReady: false,
    running: 0,
    lastUse: performance.now(),
  };
  return work;
}

async function use<Result>(work: Work, step: () => Promise<Result>): Promise<Result> {
  work.running += 1;
  try {
    return await step();
  } finally {
    work.running -= 1;
    work.lastUse = performance.now();
  }
}

/** node-llama-cpp's function for copying a state, which its types do not declare. */
interface StateCopier {
  _copyStateFromOtherSequence(other: LlamaContextSequence, length: number): Promise<boolean>;
}

function isStateCopier(sequence: object): sequence is StateCopier {
  return typeof Reflect.get(sequence, '_copyStateFromOtherSequence') === 'function';
}

/**
 * Copies the state of the first `length` tokens; `false` if this engine cannot. If it fails, `to` is left empty and
 * evaluates them itself.
 */
async function copyState(
  to: LlamaContextSequence,
  from: LlamaContextSequence,
  length: number,
): Promise<boolean> {
  if (!isStateCopier(to)) return false;
  const isCopied = await to._copyStateFromOtherSequence(from, length).catch(() => false);
  if (!isCopied) await to.clearHistory();
  return true;
}
