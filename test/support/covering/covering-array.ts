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
  /** Whether two values go together, given as a row that has no others. */
  readonly allows: (pair: Partial<RowOf<Given>>) => boolean;
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

/** A value, numbered over all dimensions; and one for each dimension that has one. */
type Value = number;
type Draft = ReadonlyMap<number, Value>;

class Table<Given extends Dimensions> {
  /** Keys of the combinations that no row has yet. */
  readonly missing: Set<string>;
  readonly #names: readonly (keyof Given & string)[];
  readonly #values: readonly { readonly dimension: number; readonly text: string }[];
  /** The values of each dimension. */
  readonly #domains: readonly (readonly Value[])[];
  /** For each value, whether it goes together with each other one. */
  readonly #together: readonly (readonly boolean[])[];
  readonly #random: Random;
  readonly #sets: readonly (readonly number[])[];
  /** The sets of dimensions of which each dimension is one. */
  readonly #setsOf: readonly (readonly (readonly number[])[])[];

  constructor({ dimensions, allows, triples = [], random }: CoveringOptions<Given>) {
    const names: readonly (keyof Given & string)[] = Object.keys(dimensions);
    const all = names.map((_, dimension) => dimension);
    const values = all.flatMap((dimension) =>
      (dimensions[names[dimension] ?? ''] ?? []).map((text) => ({ dimension, text })),
    );
    const pairOf = (...pair: typeof values): Partial<RowOf<Given>> =>
      Object.fromEntries(pair.map(({ dimension, text }) => [names[dimension], text])) as Partial<
        RowOf<Given>
      >;
    this.#names = names;
    this.#values = values;
    this.#domains = all.map((each) =>
      values.flatMap(({ dimension }, value) => (dimension === each ? [value] : [])),
    );
    this.#together = values.map((one) => values.map((other) => allows(pairOf(one, other))));
    this.#random = random;
    const named = triples.map((name) => names.indexOf(name));
    this.#sets = [...subsets(all, 2), ...subsets(named, 3)];
    this.#setsOf = all.map((dimension) => this.#sets.filter((set) => set.includes(dimension)));
    this.missing = new Set(random.shuffle(this.#sets.flatMap((set) => this.#combinations(set))));
  }

  /** Of several rows with this combination, the one with most others that are missing; `null` if there is none. */
  bestRow(wanted: string): Draft | null {
    let best: { readonly row: Draft; readonly covered: number } | null = null;
    for (let count = 0; count < drafts; count++) {
      const row = this.#draft(wanted.split(' ').map(Number));
      if (row === null) return null;
      const covered = this.#keysOf(row).filter((key) => this.missing.has(key)).length;
      if (best === null || covered > best.covered) best = { row, covered };
    }
    return best?.row ?? null;
  }

  /** The row by its values; its combinations are not missing any more. */
  take(row: Draft): RowOf<Given> {
    for (const key of this.#keysOf(row)) this.missing.delete(key);
    const entries = this.#names.map((name, dimension) => [name, this.#values[row.get(dimension) ?? 0]?.text]);
    return Object.fromEntries(entries) as RowOf<Given>;
  }

  #draft(wanted: readonly Value[]): Draft | null {
    const row = new Map(wanted.map((value) => [this.#values[value]?.dimension ?? 0, value]));
    const domains = wanted.reduce(
      (left, value) => this.#narrowed(left, value),
      new Map(this.#domains.map((values, dimension) => [dimension, values])),
    );
    if (!wanted.every((value) => domains.get(this.#values[value]?.dimension ?? 0)?.includes(value) === true))
      return null;
    for (const dimension of row.keys()) domains.delete(dimension);
    return this.#fill(row, domains) ? row : null;
  }

  /** Sets the open dimensions, each to the value that covers most, or to another where that leads nowhere. */
  #fill(row: Map<number, Value>, domains: ReadonlyMap<number, readonly Value[]>): boolean {
    if (domains.size === 0) return true;
    if ([...domains.values()].some((values) => values.length === 0)) return false;
    const dimension = this.#random.pick([...domains.keys()]);
    const others = new Map(domains);
    others.delete(dimension);
    const ranked = this.#random
      .shuffle(domains.get(dimension) ?? [])
      .map((value) => ({ value, gain: this.#gain(row, dimension, value) }))
      .sort((a, b) => b.gain - a.gain);
    for (const { value } of ranked) {
      row.set(dimension, value);
      if (this.#fill(row, this.#narrowed(others, value))) return true;
    }
    row.delete(dimension);
    return false;
  }

  /** What is left of the open dimensions next to this value. */
  #narrowed(domains: ReadonlyMap<number, readonly Value[]>, value: Value): Map<number, readonly Value[]> {
    const allowed = this.#together[value] ?? [];
    const own = this.#values[value]?.dimension;
    return new Map(
      Array.from(domains, ([dimension, values]) => [
        dimension,
        dimension === own ? values : values.filter((each) => allowed[each] === true),
      ]),
    );
  }

  /** How many missing combinations this value completes. */
  #gain(row: Draft, dimension: number, value: Value): number {
    const given = new Map([...row, [dimension, value]]);
    const sets = this.#setsOf[dimension] ?? [];
    return sets.filter((set) => this.missing.has(keyOf(set, given) ?? '')).length;
  }

  #keysOf(row: Draft): readonly string[] {
    return this.#sets.flatMap((set) => keyOf(set, row) ?? []);
  }

  #combinations(set: readonly number[]): readonly string[] {
    return set.reduce<readonly string[]>(
      (keys, dimension) =>
        keys.flatMap((key) => (this.#domains[dimension] ?? []).map((value) => `${key} ${value}`.trim())),
      [''],
    );
  }
}

/** The combination that a row has in these dimensions; `null` if it is incomplete there. */
function keyOf(set: readonly number[], row: Draft): string | null {
  const values = set.map((dimension) => row.get(dimension));
  return values.includes(undefined) ? null : values.join(' ');
}

/** All ways to choose this many of the items, in their order. */
function subsets<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  if (size === 0) return [[]];
  return items.flatMap((item, index) =>
    subsets(items.slice(index + 1), size - 1).map((rest) => [item, ...rest]),
  );
}
