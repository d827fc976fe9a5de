/** The evidence for each field of a format, and warnings. */

/** The evidence for one field: the probe, and the slice of its render that shows the field's value. */
export interface Evidence {
  /** Path of the field in the format: `calls.section.open`. */
  readonly field: string;
  /** Id of the probe (see `probes/probes.ts`), or `override`. */
  readonly probe: string;
  /** The part of the render that supports the field; sentinels represent free text. */
  readonly slice: string;
  /** How the field's value follows from the slice. */
  readonly reason: string;
  /**
   * What kind of evidence it is. `history`: a finished turn or a prompt shows it. `prompt`: the prompt's words ask for
   * it. `convention`: no text can show it, and what the field usually does is taken. `override`: a data file asserts it.
   * `derived`: it follows from other fields. `model`: the model's vocabulary has it.
   */
  readonly basis: EvidenceBasis;
}

/** A kind of evidence. */
export type EvidenceBasis = 'history' | 'prompt' | 'convention' | 'override' | 'derived' | 'model';

/** Something to know before trusting the format. */
export interface AnalysisWarning {
  /** Path of the field. */
  readonly field: string;
  /**
   * `tie`: two readings are equally good. `assumed`: no render confirms it. `self-check`: what the format writes
   * differs from the render. `history`: finished turns differ from what a model writes. `prompt`: the prompt asks the
   * model for something else than finished turns show. `model`: the model's vocabulary or configuration contradicts it.
   */
  readonly kind: 'tie' | 'assumed' | 'self-check' | 'history' | 'prompt' | 'model';
  readonly message: string;
  /** The render and the expectation, if the two were compared. */
  readonly rendered?: string;
  readonly written?: string;
}

/** Collects evidence and warnings. */
export class EvidenceLog {
  readonly #entries: Evidence[] = [];
  readonly #warnings: AnalysisWarning[] = [];

  /** Records the evidence for a field. */
  support(field: string, probe: string, slice: string, reason: string, basis = basisOf(probe)): void {
    this.#entries.push({ field, probe, slice: shorten(slice), reason, basis });
  }

  /** Records existing evidence. */
  add(entry: Evidence): void {
    this.#entries.push({ ...entry, slice: shorten(entry.slice) });
  }

  /** Records a warning. */
  warn(warning: AnalysisWarning): void {
    this.#warnings.push(warning);
  }

  /** Removes the evidence for a field and the fields inside it, because there is better evidence. */
  withdraw(field: string): void {
    const concerns = (each: { readonly field: string }) =>
      each.field === field || each.field.startsWith(`${field}.`);
    this.#entries.splice(0, Infinity, ...this.#entries.filter((each) => !concerns(each)));
    this.#warnings.splice(0, Infinity, ...this.#warnings.filter((each) => !concerns(each)));
  }

  /** All evidence so far, in the order of the inferences. */
  get entries(): readonly Evidence[] {
    return [...this.#entries];
  }

  /** All warnings so far. */
  get warnings(): readonly AnalysisWarning[] {
    return [...this.#warnings];
  }
}

/** The kind of evidence that a probe gives. */
function basisOf(probe: string): EvidenceBasis {
  if (probe === 'override' || probe === 'derived') return probe;
  return probe === 'tool-prompt' ? 'prompt' : 'history';
}

const maxSliceLength = 400;

function shorten(slice: string): string {
  return slice.length <= maxSliceLength ? slice : `${slice.slice(0, maxSliceLength)}…`;
}
