/** The likeliest tokens that a mask allows, without asking it about all of them. */
import type { Mask } from '../engine.ts';

/** A token that may be drawn. */
export interface Candidate {
  readonly token: number;
  readonly logit: number;
}

/** The `wanted` likeliest tokens that are allowed, in descending order; of equal ones the lower id first. */
export function likeliest(logits: Float32Array, mask: Mask | null, wanted: number): readonly Candidate[] {
  const few = mask?.few() ?? null;
  if (few !== null) return few.map(candidate).filter(isPossible).sort(byLogit).slice(0, wanted);
  const heap = new Heap(logits);
  const found: Candidate[] = [];
  while (found.length < wanted) {
    const token = heap.pop();
    if (token === undefined || !isPossible(candidate(token))) break;
    if (mask === null || mask.allows(token)) found.push(candidate(token));
  }
  return found;

  function candidate(token: number): Candidate {
    return { token, logit: logits[token] ?? Number.NEGATIVE_INFINITY };
  }
}

function isPossible({ logit }: Candidate): boolean {
  return logit > Number.NEGATIVE_INFINITY;
}

function byLogit(one: Candidate, other: Candidate): number {
  return other.logit - one.logit || one.token - other.token;
}

/** Tokens in descending order of their logits: most responses take only the first few. */
class Heap {
  readonly #logits: Float32Array;
  readonly #tokens: Uint32Array;
  #size: number;

  constructor(logits: Float32Array) {
    this.#logits = logits;
    this.#size = logits.length;
    this.#tokens = new Uint32Array(logits.length);
    // `Uint32Array.from` would take most of the time: a vocabulary has a hundred thousand tokens.
    for (let token = 0; token < logits.length; token += 1) this.#tokens[token] = token;
    for (let place = (this.#size >> 1) - 1; place >= 0; place -= 1) this.#sink(place);
  }

  /** Removes the likeliest. */
  pop(): number | undefined {
    if (this.#size === 0) return undefined;
    const first = this.#tokens[0];
    this.#size -= 1;
    this.#tokens[0] = this.#tokens[this.#size] ?? 0;
    this.#sink(0);
    return first;
  }

  #sink(from: number): void {
    let place = from;
    for (;;) {
      let best = place;
      for (let child = 2 * place + 1; child <= 2 * place + 2 && child < this.#size; child += 1) {
        if (this.#isBefore(child, best)) best = child;
      }
      if (best === place) return;
      const token = this.#tokens[place] ?? 0;
      this.#tokens[place] = this.#tokens[best] ?? 0;
      this.#tokens[best] = token;
      place = best;
    }
  }

  #isBefore(one: number, other: number): boolean {
    // Not as an array that is taken apart: this is asked so often that making it would take most of the time.
    const first = this.#tokens[one] ?? 0;
    const second = this.#tokens[other] ?? 0;
    const difference = (this.#logits[first] ?? 0) - (this.#logits[second] ?? 0);
    return difference > 0 || (difference === 0 && first < second);
  }
}
