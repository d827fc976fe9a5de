/** The order of an object's declared keys: which may come next, and what is remembered of those that came. */

/** What is remembered of the keys that came; equal numbers allow the same keys. */
export interface OrderProgress {
  readonly position: number;
  readonly used: number;
}

/** An order other than the schema's. */
export interface KeyOrder {
  /** Labels of keys that may come any number of times. */
  readonly free: readonly number[];
  /** Labels that may come next, without those of `free`. */
  next(progress: OrderProgress): readonly number[];
  /** Whether undeclared keys may come next. */
  allowsOthers(progress: OrderProgress): boolean;
  /** The progress after a key; that of an undeclared one is beyond all labels. */
  after(progress: OrderProgress, label: number): OrderProgress;
  /** Whether all required keys have come. */
  isComplete(progress: OrderProgress): boolean;
}
