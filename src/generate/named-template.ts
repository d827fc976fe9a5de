/** A chat template, and what is known of its model. */
import type { ModelFacts } from '../analysis/probes/probing.ts';

/** See the top of this file. */
export interface NamedTemplate {
  /** Name of the folder: `qwen-qwen3-0.6b`. */
  readonly name: string;
  /** For people and errors: where the template comes from. */
  readonly origin: string;
  readonly templateSource: string;
  /** The model's beginning- and end-of-sequence tokens, if known; default none. */
  readonly bosToken?: string;
  readonly eosToken?: string;
  /** What else is known of the model's tokens. */
  readonly facts?: ModelFacts;
}
