/** Why each field of a format says what it says. */

/** One field's support: the probe whose render showed it, and the slice of that render that told. */
export interface Evidence {
  /** Path of the field in the format: `calls.section.open`. */
  readonly field: string;
  /** Id of the probe (see `probes/probes.ts`), or `override`. */
  readonly probe: string;
  /** The stretch of the render that supports the field; sentinels stand for free text. */
  readonly slice: string;
  /** How the field follows from the slice. */
  readonly reason: string;
}

/** Something a person should know before trusting the format. */
export interface AnalysisWarning {
  /** Path of the field concerned. */
  readonly field: string;
  /**
   * `tie`: two readings are equally good. `assumed`: no render confirms it. `self-check`: what the
   * format writes differs from the render. `history`: finished turns show something else than a model
   * writes. `prompt`: the prompt tells the model to write something else than finished turns show.
   */
  readonly kind: 'tie' | 'assumed' | 'self-check' | 'history' | 'prompt';
  readonly message: string;
  /** What the render says, and what was expected, where the two were compared. */
  readonly rendered?: string;
  readonly written?: string;
}

/** Collects evidence and warnings while the inferences run. */
export class EvidenceLog {
  readonly #entries: Evidence[] = [];
  readonly #warnings: AnalysisWarning[] = [];

  /** Records what supports a field. */
  support(field: string, probe: string, slice: string, reason: string): void {
    this.#entries.push({ field, probe, slice: clip(slice), reason });
  }

  /** Records evidence found elsewhere. */
  add(entry: Evidence): void {
    this.#entries.push({ ...entry, slice: clip(entry.slice) });
  }

  /** Records a warning. */
  warn(warning: AnalysisWarning): void {
    this.#warnings.push(warning);
  }

  /** Removes what was recorded of a field and of the fields inside it, where something better is known. */
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

const longestSlice = 400;

function clip(slice: string): string {
  return slice.length <= longestSlice ? slice : `${slice.slice(0, longestSlice)}…`;
}
