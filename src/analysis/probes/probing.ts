/** The input of every stage of an analysis. */
import type { Template } from '../../template/parsed-template.ts';
import type { EvidenceLog } from '../evidence.ts';
import type { ModelFacts } from '../result/model-facts.ts';
import type { ProbeTable } from './probes.ts';
import type { TemplateProber } from './template-prober.ts';

/** A template with its probes, and the log of evidence. */
export interface Probing {
  readonly template: Template;
  readonly prober: TemplateProber;
  readonly probes: ProbeTable;
  readonly log: EvidenceLog;
  /** What is known of the model besides its template. */
  readonly facts: ModelFacts;
}
