/** The items of recent answers, which clients of Responses name in place of sending them again. */
import type { Body } from './read-body.ts';

/** Characters of JSON; some thousand answers. */
const defaultLimit = 16 * 1024 ** 2;

interface Kept {
  readonly item: Body;
  readonly size: number;
}

/**
 * Remembers items by their ids, the latest ones, in this process only. The ids are random, so whoever knows one got the
 * item before.
 */
export class ItemMemory {
  /** Oldest first. */
  readonly #kept = new Map<string, Kept>();
  readonly #limit: number;
  #size = 0;

  /** `limit`: characters of JSON that are kept at most. */
  constructor(limit = defaultLimit) {
    this.#limit = limit;
  }

  /** Keeps items, and forgets the oldest ones if there are too many. */
  remember(items: readonly (Body & { readonly id: string })[]): void {
    for (const item of items) {
      const size = JSON.stringify(item).length;
      this.#forget(item.id);
      this.#kept.set(item.id, { item, size });
      this.#size += size;
    }
    for (const id of this.#kept.keys()) {
      if (this.#size <= this.#limit) return;
      this.#forget(id);
    }
  }

  /** The item of that id; `undefined` if it is not known (any more). One that is asked for is kept longer. */
  recall(id: string): Body | undefined {
    const kept = this.#kept.get(id);
    if (kept === undefined) return undefined;
    this.#kept.delete(id);
    this.#kept.set(id, kept);
    return kept.item;
  }

  #forget(id: string): void {
    this.#size -= this.#kept.get(id)?.size ?? 0;
    this.#kept.delete(id);
  }
}
