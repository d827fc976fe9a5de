/** Conversations over gateways and servers, in virtual time. */
import { seededRandom } from '../../test/support/sample-grammar.ts';
import { Gateway, type Placement } from './gateway.ts';
import { type Job, Replica, type ReplicaCosts } from './replica.ts';

/** What is simulated. Times are milliseconds. */
export interface Fleet {
  readonly replicas: number;
  readonly gateways: number;
  readonly conversations: number;
  readonly placement: Placement;
  readonly costs: ReplicaCosts;
  readonly lastsMs: number;
  /** The first replica takes this many times longer. Default: 1. */
  readonly slowness?: number;
  /** Each replica in turn is down for this long, and up for half of it before the next one. Default: none is. */
  readonly restartMs?: number;
}

/** What came of it, after the first quarter of the time. */
export interface FleetFigures {
  readonly requestsPerSecond: number;
  /** The share of prompt tokens that were cached. */
  readonly cached: number;
  /** To the first token, and for the whole response: median, and 95 of 100 are faster. */
  readonly first: readonly [number, number];
  readonly whole: readonly [number, number];
  /** Responses that another replica went on with. */
  readonly moved: number;
  readonly failed: number;
  /** Responses that were written at the same time, on average. */
  readonly atOnce: number;
}

/** A reader thinks for this long, on average. */
const thinkMs = 30_000;
const turns = 8;
const sharedSets = 20;
const sharedTokens = 2000;
const questionTokens = 60;
/** A response has 100 to 300 tokens. */
const responseTokens = (random: () => number): number => 100 + Math.floor(200 * random());
/** One response in three is a call, or an answer with a schema. */
const constrainedShare = 1 / 3;

/** Runs it. */
export function simulate(fleet: Fleet): FleetFigures {
  return new Simulation(fleet).run();
}

class Simulation {
  readonly #fleet: Fleet;
  readonly #random = seededRandom(1);
  readonly #replicas: readonly Replica[];
  readonly #gateways: readonly Gateway[];
  readonly #events = new Agenda();
  readonly #stepping = new Set<Replica>();
  readonly #homes = new Map<Job, { readonly gateway: Gateway; readonly leave: () => void }>();
  readonly #firsts: number[] = [];
  readonly #wholes: number[] = [];
  #conversations = 0;
  #moved = 0;
  #failed = 0;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
    const { replicas, gateways, placement, costs, slowness = 1 } = fleet;
    this.#replicas = Array.from(
      { length: replicas },
      (_, at) => new Replica(`http://replica-${at}:8000`, costs),
    );
    for (const replica of this.#replicas.slice(0, 1)) replica.slowness = slowness;
    this.#gateways = Array.from(
      { length: gateways },
      () => new Gateway(this.#replicas, placement, this.#random),
    );
  }

  run(): FleetFigures {
    const { conversations, lastsMs, restartMs } = this.#fleet;
    for (let each = 0; each < conversations; each += 1)
      this.#events.add(2 * thinkMs * this.#random(), (now) => this.#begin(now));
    if (restartMs !== undefined) this.#restartAll(restartMs);
    this.#events.add(this.#warm, () => {
      for (const { prompts } of this.#replicas) Object.assign(prompts, { all: 0, evaluated: 0 });
    });
    this.#events.runUntil(lastsMs);
    const all = this.#replicas.reduce((sum, { prompts }) => sum + prompts.all, 0);
    const evaluated = this.#replicas.reduce((sum, { prompts }) => sum + prompts.evaluated, 0);
    const took = this.#wholes.reduce((sum, each) => sum + each, 0);
    return {
      requestsPerSecond: (1000 * this.#wholes.length) / (lastsMs - this.#warm),
      cached: 1 - evaluated / all,
      first: spread(this.#firsts),
      whole: spread(this.#wholes),
      moved: this.#moved,
      failed: this.#failed,
      atOnce: took / (lastsMs - this.#warm),
    };
  }

  get #warm(): number {
    return this.#fleet.lastsMs / 4;
  }

  #restartAll(restartMs: number): void {
    for (const [at, replica] of this.#replicas.entries()) {
      const from = this.#warm + at * 1.5 * restartMs;
      this.#events.add(from, (now) => {
        for (const job of replica.kill()) this.#moveOn(job, replica, now);
      });
      this.#events.add(from + restartMs, () => {
        replica.isUp = true;
      });
    }
  }

  /** A conversation with nothing in it yet, somewhere in the middle of its readers' day. */
  #begin(now: number): void {
    this.#conversations += 1;
    const shared = `set ${Math.floor(sharedSets * this.#random() ** 2)}`;
    this.#turn(`${shared}, conversation ${this.#conversations}`, shared, 1, sharedTokens, now);
  }

  #turn(conversation: string, shared: string, turn: number, before: number, now: number): void {
    const left = responseTokens(this.#random);
    const promptTokens = before + questionTokens;
    const note = (list: number[], at: number): void => {
      if (now >= this.#warm) list.push(at - now);
    };
    const job: Job = {
      conversation,
      shared,
      sharedTokens,
      promptTokens,
      left,
      isConstrained: this.#random() < constrainedShare,
      first: (at) => note(this.#firsts, at),
      done: (at) => {
        note(this.#wholes, at);
        this.#leave(job);
        const pause = -thinkMs * Math.log(1 - this.#random());
        this.#events.add(at + pause, (next) => {
          if (turn === turns) this.#begin(next);
          else this.#turn(conversation, shared, turn + 1, promptTokens + left, next);
        });
      },
    };
    this.#place(job, now);
  }

  #place(job: Job, now: number): void {
    const gateway = this.#gateways[Math.floor(this.#gateways.length * this.#random())];
    const placed = gateway?.place(job.conversation, now);
    if (gateway === undefined || placed == null) {
      this.#failed += 1;
      this.#events.add(now + thinkMs, (next) => this.#begin(next));
      return;
    }
    this.#homes.set(job, { gateway, leave: placed.leave });
    placed.replica.take(job);
    this.#step(placed.replica, now);
  }

  /** What was written counts as prompt. */
  #moveOn(job: Job, from: Replica, now: number): void {
    this.#moved += 1;
    this.#homes.get(job)?.gateway.rest(from, now);
    this.#leave(job);
    this.#place(job, now);
  }

  #leave(job: Job): void {
    this.#homes.get(job)?.leave();
    this.#homes.delete(job);
  }

  #step(replica: Replica, now: number): void {
    if (this.#stepping.has(replica) || replica.isIdle) return;
    this.#stepping.add(replica);
    this.#events.add(replica.step(now), (end) => {
      this.#stepping.delete(replica);
      this.#step(replica, end);
    });
  }
}

function spread(values: readonly number[]): readonly [number, number] {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor(share * sorted.length)] ?? Number.NaN;
  return [at(0.5), at(0.95)];
}

type Happening = (now: number) => void;

/** What happens when, as a binary heap. */
class Agenda {
  readonly #heap: { readonly at: number; readonly happen: Happening }[] = [];

  add(at: number, happen: Happening): void {
    const heap = this.#heap;
    heap.push({ at, happen });
    for (let index = heap.length - 1; index > 0; ) {
      const above = (index - 1) >> 1;
      if (this.#time(above) <= at) return;
      this.#swap(index, above);
      index = above;
    }
  }

  runUntil(end: number): void {
    for (let [next] = this.#heap; next !== undefined && next.at <= end; [next] = this.#heap) {
      this.#removeFirst();
      next.happen(next.at);
    }
  }

  #removeFirst(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    for (let index = 0; ; ) {
      const least = [index, 2 * index + 1, 2 * index + 2].reduce((one, other) =>
        this.#time(other) < this.#time(one) ? other : one,
      );
      if (least === index) return;
      this.#swap(index, least);
      index = least;
    }
  }

  #time(index: number): number {
    return this.#heap[index]?.at ?? Number.POSITIVE_INFINITY;
  }

  #swap(one: number, other: number): void {
    const [first, second] = [this.#heap[one], this.#heap[other]];
    if (first === undefined || second === undefined) return;
    this.#heap[one] = second;
    this.#heap[other] = first;
  }
}
