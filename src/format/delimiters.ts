/** The literals around something. */
export interface Delimiters {
  readonly open: string;
  readonly close: string;
}
