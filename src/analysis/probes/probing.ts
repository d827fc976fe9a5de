/** The input of every stage of an analysis. */
import type { Template } from '../../template/parsed-template.ts';
import type { EvidenceLog } from '../evidence.ts';
import type { ProbeTable } from './probes.ts';
import type { TemplateProber } from './template-prober.ts';

/** Facts of a model besides its template, as far as they are at hand. */
export interface ModelFacts {
  /** The tokens that were added to its vocabulary: `added_tokens` of its tokenizer. */
  readonly addedTokens?: readonly string[];
  /** The tokens at which its generation ends: `eos_token_id` of its generation config. */
  readonly endTokens?: readonly string[];
}

/** A template with its probes, and the log of evidence. */
export interface Probing {
  readonly template: Template;
  readonly prober: TemplateProber;
  readonly probes: ProbeTable;
  readonly log: EvidenceLog;
  /** What is known of the model besides its template. */
  readonly facts: ModelFacts;
}
