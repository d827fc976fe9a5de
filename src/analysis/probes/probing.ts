/** What every stage of an analysis has at hand. */
import type { Template } from '../../template/template.ts';
import type { EvidenceLog } from '../evidence.ts';
import type { ProbeTable } from './probes.ts';
import type { TemplateProber } from './template-prober.ts';

/** A template with its probes, and where evidence goes. */
export interface Probing {
  readonly template: Template;
  readonly prober: TemplateProber;
  readonly probes: ProbeTable;
  readonly log: EvidenceLog;
}
