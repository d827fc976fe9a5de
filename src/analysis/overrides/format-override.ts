/** The shape of an override. */
import type { ChatFormat } from '../../format/chat-format.ts';

/** Every part may be left out; lists are replaced whole. */
export type PartialDeep<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: PartialDeep<T[K]> }
    : T;

/** One data file. */
export interface FormatOverride {
  /** What it asserts, and why no render shows it. */
  readonly reason: string;
  /** SHA-256 of the templates' sources. */
  readonly templates: readonly string[];
  readonly format: PartialDeep<Pick<ChatFormat, 'turn' | 'reasoning' | 'content' | 'calls' | 'alternatives'>>;
}
