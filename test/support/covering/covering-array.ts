/**
 * Covering arrays: few rows in which every combination of the values of any two dimensions occurs, and of the values of
 * any three that are named. Built row by row, greedily, as AETG does (Cohen, Dalal, Fredman, Patton: "The AETG system",
 * 1997). The rows depend on the random numbers alone.
 */
import type { Random } from '../../../scripts/toy/random.ts';

/** The values of each dimension. */
export type Dimensions = Readonly<Record<string, readonly string[]>>;

/** One value of each dimension. */
export type RowOf<Given extends Dimensions> = { readonly [Name in keyof Given]: Given[Name][number] };

/** What an array covers. */
export interface CoveringOptions<Given extends Dimensions> {
  readonly dimensions: Given;
  /** Whether these values go together; is asked of incomplete rows, too, and allows what no value in them forbids. */
  readonly allows: (row: Partial<RowOf<Given>>) => boolean;
  /** All combinations of three of these dimensions are covered, too. Default: none. */
  readonly triples?: readonly (keyof Given & string)[];
  readonly random: Random;
}

/** Rows that are drafted for each row that is kept: the one that covers most. */
const drafts = 6;

/** The rows of an array. Every combination that some allowed row has occurs in one of them. */
export function coveringArray<Given extends Dimensions>(
  options: CoveringOptions<Given>,
): readonly RowOf<Given>[] {
  const table = new Table(options);
  const rows: RowOf<Given>[] = [];
  const { missing } = table;
  while (missing.size > 0) {
    const [wanted = ''] = missing;
    const best = table.bestRow(wanted);
    // No allowed row has this combination.
    if (best === null) missing.delete(wanted);
    else rows.push(table.take(best));
  }
  return rows;
}

/** The index of a value for each dimension that has one. */
type Draft = (number | undefined)[];

class Table<Given extends Dimensions> {
  /** Keys of the combinations that no row has yet. */
  readonly missing: Set<string>;
  readonly #names: readonly (keyof Given & string)[];
  readonly #values: readonly (readonly string[])[];
  readonly #allows: (row: Partial<RowOf<Given>>) => boolean;
  readonly #random: Random;
  /** The sets of dimensions of which each dimension is one. */
  readonly #sets: readonly (readonly (readonly number[])[])[];

  constructor({ dimensions, allows, triples = [], random }: CoveringOptions<Given>) {
    this.#names = Object.keys(dimensions);
    this.#values = this.#names.map((name) => dimensions[name] ?? []);
    this.#allows = allows;
    this.#random = random;
    const all = this.#names.map((_, index) => index);
    const sets = [
      ...subsets(all, 2),
      ...subsets(
        triples.map((name) => this.#names.indexOf(name)),
        3,
      ),
    ];
    this.#sets = all.map((index) => sets.filter((set) => set.includes(index)));
    this.missing = new Set(random.shuffle(sets.flatMap((set) => this.#combinations(set))));
  }

  /** Of several rows with this combination, the one with most others that are missing; `null` if there is none. */
  bestRow(wanted: string): Draft | null {
    let best: { readonly row: Draft; readonly covered: number } | null = null;
    for (let count = 0; count < drafts; count++) {
      const row = this.#draft(wanted);
      if (row === null) return null;
      const covered = this.#keysOf(row).filter((key) => this.missing.has(key)).length;
      if (best === null || covered > best.covered) best = { row, covered };
    }
    return best?.row ?? null;
  }

  /** The row by its values; its combinations are not missing any more. */
  take(row: Draft): RowOf<Given> {
    for (const key of this.#keysOf(row)) this.missing.delete(key);
    return this.#named(row) as RowOf<Given>;
  }

  #draft(wanted: string): Draft | null {
    const row: Draft = this.#names.map(() => undefined);
    for (const pair of wanted.split(' ')) {
      const [dimension = 0, value = 0] = pair.split(':').map(Number);
      row[dimension] = value;
    }
    if (!this.#allows(this.#named(row))) return null;
    const open = this.#names.flatMap((_, index) => (row[index] === undefined ? [index] : []));
    return this.#fill(row, this.#random.shuffle(open)) ? row : null;
  }

  /** Sets the open dimensions, each to the value that covers most, or to another where that leads nowhere. */
  #fill(row: Draft, [dimension, ...others]: readonly number[]): boolean {
    if (dimension === undefined) return true;
    const values = this.#values[dimension]?.map((_, value) => value) ?? [];
    const ranked = this.#random
      .shuffle(values)
      .map((value) => ({ value, gain: this.#gain(row, dimension, value) }))
      .sort((a, b) => b.gain - a.gain);
    for (const { value } of ranked) {
      row[dimension] = value;
      if (this.#allows(this.#named(row)) && this.#fill(row, others)) return true;
    }
    row[dimension] = undefined;
    return false;
  }

  /** How many missing combinations this value completes. */
  #gain(row: Draft, dimension: number, value: number): number {
    const given = [...row];
    given[dimension] = value;
    const sets = this.#sets[dimension] ?? [];
    return sets.filter((set) => this.missing.has(keyOf(set, given) ?? '')).length;
  }

  #keysOf(row: Draft): readonly string[] {
    const sets = new Set(this.#sets.flat());
    return [...sets].flatMap((set) => keyOf(set, row) ?? []);
  }

  #combinations(set: readonly number[]): readonly string[] {
    let rows: readonly Draft[] = [[]];
    for (const dimension of set) {
      const values = this.#values[dimension] ?? [];
      rows = rows.flatMap((row) => values.map((_, value) => Object.assign([...row], { [dimension]: value })));
    }
    return rows.flatMap((row) => keyOf(set, row) ?? []);
  }

  #named(row: Draft): Partial<RowOf<Given>> {
    const given = this.#names.flatMap((name, index) => {
      const value = row[index];
      return value === undefined ? [] : [[name, this.#values[index]?.[value]]];
    });
    return Object.fromEntries(given);
  }
}

/** The combination that a row has in these dimensions; `null` if it is incomplete there. */
function keyOf(set: readonly number[], row: Draft): string | null {
  const parts = set.map((dimension) => `${dimension}:${row[dimension] ?? ''}`);
  return parts.some((part) => part.endsWith(':')) ? null : parts.join(' ');
}

/** All ways to choose this many of the items, in their order. */
function subsets<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  if (size === 0) return [[]];
  return items.flatMap((item, index) =>
    subsets(items.slice(index + 1), size - 1).map((rest) => [item, ...rest]),
  );
}
