/** What the analysis of a template gives. */
import type { Capabilities } from '../format/capabilities.ts';
import type { ChatFormat } from '../format/chat-format.ts';
import type { AnalysisWarning, Evidence } from './evidence.ts';
import type { CallSample } from './prompt/call-example.ts';

/** The result of an analysis. */
export interface Analysis {
  readonly format: ChatFormat;
  readonly capabilities: Capabilities;
  readonly evidence: readonly Evidence[];
  readonly warnings: readonly AnalysisWarning[];
  /** How many probes the format reproduces byte for byte. */
  readonly selfCheck: SelfCheck;
  /** The calls that the prompt shows the model, with their placeholders filled in. */
  readonly examples: readonly CallSample[];
}

/** How many probes were rendered, and how many of them the format reproduces. */
export interface SelfCheck {
  readonly compared: number;
  readonly exact: number;
}
