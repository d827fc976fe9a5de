/** One token that has a role instead of being a piece of text. */
export interface SpecialToken {
  readonly token: number;
  readonly text: string;
}
