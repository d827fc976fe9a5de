/** A server in virtual time: a batch that takes a step for all of its responses at once, and a cache of prompts. */

/** What a server takes; milliseconds. */
export interface ReplicaCosts {
  /** A step of a batch of no responses, and what each response adds. */
  readonly stepMs: number;
  readonly perResponseMs: number;
  /** The mask of a response that is under a constraint, for each of its tokens. */
  readonly maskMs: number;
  /** Tokens of prompts that are evaluated in a millisecond. */
  readonly promptTokensPerMs: number;
  /** Tokens that its cache holds. */
  readonly cacheTokens: number;
}

/** A response that is written. */
export interface Job {
  readonly conversation: string;
  /** The tools and the system message, which other conversations share. */
  readonly shared: string;
  readonly sharedTokens: number;
  readonly promptTokens: number;
  /** Tokens still to write. */
  left: number;
  readonly isConstrained: boolean;
  readonly first: (now: number) => void;
  readonly done: (now: number) => void;
}

/** A replica, and when it takes its next step. */
export class Replica {
  readonly connection: { readonly url: string };
  readonly #costs: ReplicaCosts;
  /** How many times longer everything takes. */
  slowness = 1;
  isUp = true;
  /** Tokens of prompts: all, and those that were evaluated. */
  readonly prompts = { all: 0, evaluated: 0 };
  readonly #cache = new Map<string, number>();
  #cached = 0;
  #jobs = new Set<Job>();
  #waiting: Job[] = [];

  constructor(url: string, costs: ReplicaCosts) {
    this.connection = { url };
    this.#costs = costs;
  }

  get isIdle(): boolean {
    return this.#jobs.size + this.#waiting.length === 0;
  }

  take(job: Job): void {
    this.#waiting.push(job);
  }

  /** Ends as a process does: its responses, and the cache, are gone. */
  kill(): readonly Job[] {
    const lost = [...this.#jobs, ...this.#waiting];
    this.#jobs = new Set();
    this.#waiting = [];
    this.#cache.clear();
    this.#cached = 0;
    this.isUp = false;
    return lost;
  }

  /** Takes a step that begins `now`; when it ends. */
  step(now: number): number {
    const { stepMs, perResponseMs, maskMs, promptTokensPerMs } = this.#costs;
    const begun = this.#waiting.splice(0);
    const evaluated = begun.reduce((sum, job) => sum + this.#evaluate(job), 0);
    for (const job of begun) this.#jobs.add(job);
    const masks = [...this.#jobs].filter(({ isConstrained }) => isConstrained).length * maskMs;
    const work = stepMs + perResponseMs * this.#jobs.size + masks + evaluated / promptTokensPerMs;
    const end = now + work * this.slowness;
    for (const job of begun) job.first(end);
    for (const job of this.#jobs) {
      job.left -= 1;
      if (job.left > 0) continue;
      this.#jobs.delete(job);
      job.done(end);
    }
    return end;
  }

  /** The tokens of a prompt that are not in the cache; now they are. */
  #evaluate({ conversation, shared, sharedTokens, promptTokens, left }: Job): number {
    const known = this.#cache.get(conversation) ?? (this.#cache.has(shared) ? sharedTokens : 0);
    const evaluated = Math.max(0, promptTokens - known);
    this.prompts.all += promptTokens;
    this.prompts.evaluated += evaluated;
    this.#keep(shared, sharedTokens);
    this.#keep(conversation, promptTokens + left);
    return evaluated;
  }

  #keep(key: string, tokens: number): void {
    this.#cached += tokens - (this.#cache.get(key) ?? 0);
    this.#cache.delete(key);
    this.#cache.set(key, tokens);
    for (const [oldest, held] of this.#cache) {
      if (this.#cached <= this.#costs.cacheTokens) return;
      this.#cache.delete(oldest);
      this.#cached -= held;
    }
  }
}
