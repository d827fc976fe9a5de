/** A call whose name is known, while its arguments are read. */

/** See the top of this file. */
export interface StartedCall {
  readonly name: string;
  readonly id: string;
  /** Offset of the call's opening, or of its name if that comes first. */
  readonly openedAt: number;
  /** Offset after the name. */
  readonly nameEnd: number;
  /** Offset of the arguments; after the name until they begin. */
  argumentsAt: number;
  /** The model's own id, if it came after the call had started. */
  writtenId: string | null;
}
