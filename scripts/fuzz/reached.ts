/**
 * Which code of `src` has run, as V8 counts it. Counting begins before the sources are loaded, costs them a fifth
 * to a third of their time, and each reading as much as a few inputs.
 */
import { type Profiler, Session } from 'node:inspector/promises';

/** What ran between two readings. */
export interface Ran {
  /** For each file, 1 for each character of its text that ran, and 0 for all others. */
  readonly characters: ReadonlyMap<string, Uint8Array>;
  /** The file of each function, and where it begins. */
  readonly functions: readonly string[];
}

const session = new Session();

/** To be called before the sources are imported. */
export async function startCounting(): Promise<void> {
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: true });
}

/** What ran since the last reading. */
export async function readCounts(): Promise<Ran> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const files = result.filter(({ url }) => url.includes('/src/') && !url.includes('/node_modules/'));
  return {
    characters: new Map(files.map(({ url, functions }) => [url, charactersOf(functions)])),
    functions: files.flatMap(({ url, functions }) =>
      functions.flatMap(({ ranges: [whole] }) =>
        whole !== undefined && whole.count > 0 ? [`${url} ${whole.startOffset}`] : [],
      ),
    ),
  };
}

/** Functions and blocks come with what contains them first, so that later ones say more. */
function charactersOf(functions: readonly Profiler.FunctionCoverage[]): Uint8Array {
  const ranges = functions.flatMap((each) => each.ranges);
  const characters = new Uint8Array(Math.max(...ranges.map(({ endOffset }) => endOffset)));
  for (const { startOffset, endOffset, count } of ranges)
    characters.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  return characters;
}

/** All that ever ran. */
export class Reached {
  readonly #files = new Map<string, Uint8Array>();
  readonly #functions = new Set<string>();

  /** How many functions. */
  get functions(): number {
    return this.#functions.size;
  }

  /** Whether something of `ran` had not run before. */
  isNews({ characters }: Ran): boolean {
    for (const [file, ranNow] of characters) {
      const known = this.#files.get(file);
      if (ranNow.some((hasRun, at) => hasRun === 1 && known?.[at] !== 1)) return true;
    }
    return false;
  }

  add({ characters, functions }: Ran): void {
    for (const [file, ranNow] of characters) {
      const known = this.#files.get(file) ?? new Uint8Array(0);
      const both = ranNow.length > known.length ? Uint8Array.from(ranNow) : known;
      for (const [at, hasRun] of (both === known ? ranNow : known).entries()) if (hasRun === 1) both[at] = 1;
      this.#files.set(file, both);
    }
    for (const each of functions) this.#functions.add(each);
  }
}
