/** A gateway in virtual time: it chooses servers as `connectServer` does, and knows only of its own requests. */
import { serverOrder } from '../../src/servers/server-order.ts';
import type { Replica } from './replica.ts';

/** As `src/servers/pooled-server.ts` has them. */
const firstRestMs = 1000;
const longestRestMs = 30_000;

/** How a gateway sees a server. */
interface Seen {
  readonly replica: Replica;
  readonly connection: { readonly url: string };
  running: number;
  failures: number;
  restsUntil: number;
}

/** Where a conversation is sent: `at-random` is there to be compared with. */
export type Placement = 'by-prefix' | 'at-random';

/** See the top of this file. */
export class Gateway {
  readonly #seen: readonly Seen[];
  readonly #placement: Placement;
  readonly #random: () => number;

  constructor(replicas: readonly Replica[], placement: Placement, random: () => number) {
    this.#seen = replicas.map((replica) => {
      const { connection } = replica;
      return { replica, connection, running: 0, failures: 0, restsUntil: 0 };
    });
    this.#placement = placement;
    this.#random = random;
  }

  /** A server that is up, and what to call when the response is over; `null` if none is. */
  place(conversation: string, now: number): { readonly replica: Replica; readonly leave: () => void } | null {
    const order = this.#order(conversation);
    const rested = order.filter(({ restsUntil }) => restsUntil <= now);
    for (const seen of [...rested, ...order.filter((each) => !rested.includes(each))]) {
      if (!seen.replica.isUp) {
        this.rest(seen.replica, now);
        continue;
      }
      seen.failures = 0;
      seen.running += 1;
      const leave = (): void => {
        seen.running -= 1;
      };
      return { replica: seen.replica, leave };
    }
    return null;
  }

  /** A server has failed. */
  rest(replica: Replica, now: number): void {
    const seen = this.#seen.find((each) => each.replica === replica);
    if (seen === undefined || seen.restsUntil > now) return;
    seen.restsUntil = now + Math.min(longestRestMs, firstRestMs * 2 ** seen.failures);
    seen.failures += 1;
  }

  #order(conversation: string): readonly Seen[] {
    if (this.#placement === 'by-prefix') return serverOrder(this.#seen, conversation);
    const shuffled = this.#seen.map((seen) => ({ seen, at: this.#random() }));
    return shuffled.sort((one, other) => one.at - other.at).map(({ seen }) => seen);
  }
}
