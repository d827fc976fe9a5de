import type { Token } from 'node-llama-cpp';

/** One token that has a role instead of being a piece of text. */
export interface SpecialToken {
  readonly token: Token;
  readonly text: string;
}
