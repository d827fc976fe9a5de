/** The schemas of MaskBench that do not pass, and why; `docs/deviations.md` has more on the wrong ones. */
import type { MaskBenchOutcome } from './maskbench.ts';

const known: Readonly<Record<string, MaskBenchOutcome>> = {
  // No value is valid: all branches of a `oneOf` hold.
  'Glaiveai2K---calculate_area_6fd20e8d': 'refused',
  'Glaiveai2K---calculate_area_8db9d7ff': 'refused',
  'Glaiveai2K---calculate_area_95058385': 'refused',
  'Glaiveai2K---calculate_area_e6818129': 'refused',
  'Glaiveai2K---calculate_area_e8f1513d': 'refused',
  // A pattern refers back to a group with too many values.
  'Github_hard---o75605': 'refused',
  // A keyword of a later draft than the schema names is enforced.
  'Github_medium---o3385': 'reported',
  // A valid instance is labelled invalid.
  'Github_easy---o24544': 'silent',
  // Instances have text under `format: byte` that is no base64.
  'Kubernetes---kb_1147_Normalized': 'silent',
  'Kubernetes---kb_1150_Normalized': 'silent',
  'Kubernetes---kb_1152_Normalized': 'silent',
  'Kubernetes---kb_75_Normalized': 'silent',
  'Kubernetes---kb_76_Normalized': 'silent',
};

/** The ids of those that came out worse than is known, and of those that pass although they are listed here. */
export function newOutcomes(outcomes: Readonly<Record<string, MaskBenchOutcome>>): {
  readonly worse: readonly string[];
  readonly better: readonly string[];
} {
  const changed = Object.keys(outcomes).filter((id) => (known[id] ?? 'pass') !== outcomes[id]);
  const better = changed.filter((id) => outcomes[id] === 'pass');
  return { worse: changed.filter((id) => outcomes[id] !== 'pass'), better };
}
