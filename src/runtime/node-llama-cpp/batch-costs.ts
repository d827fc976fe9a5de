/**
 * Whether a few tokens take longer in one batch than one by one, as they may on a processor: measured once per model, in
 * the responses that it writes anyway.
 */

/** Larger batches save more of the pass over the weights than they cost. */
const maxBatch = 4;
/** How often a size is timed; the least time counts, because others share the processor. */
const trials = 3;

/** What batches of one model cost. */
export class BatchCosts {
  /** By number of tokens. */
  readonly #least = new Map<number, { readonly times: number; readonly milliseconds: number }>();
  readonly #slow = new Map<number, boolean>();

  /** Notes how long it took to evaluate this many tokens in one batch, and to draw the next one. */
  note(tokens: number, milliseconds: number): void {
    const { times, milliseconds: least } = this.#least.get(tokens) ?? { times: 0, milliseconds };
    if (tokens > maxBatch || times >= trials) return;
    this.#least.set(tokens, { times: times + 1, milliseconds: Math.min(least, milliseconds) });
  }

  /**
   * Whether this many tokens are evaluated sooner one by one; false as long as that is not known. The answer never
   * changes after that, because of two tokens that are about as likely, the batch may decide which is drawn.
   */
  isSlow(tokens: number): boolean {
    const known = this.#slow.get(tokens);
    if (known !== undefined) return known;
    const [single, batch] = [this.#least.get(1), this.#least.get(tokens)];
    if (single?.times !== trials || batch?.times !== trials) return false;
    const isSlow = batch.milliseconds > tokens * single.milliseconds;
    this.#slow.set(tokens, isSlow);
    return isSlow;
  }
}
