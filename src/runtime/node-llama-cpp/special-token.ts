import type { Token } from 'node-llama-cpp';

/** One token that plays a role rather than being a piece of text. */
export interface SpecialToken {
  readonly token: Token;
  readonly text: string;
}
