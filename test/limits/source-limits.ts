/** The limits of the sources: constants that begin with `max`, where they are stated, and what they are. */
import fs from 'node:fs';
import path from 'node:path';

/** Whether what has so many of something is within a limit. */
export type IsWithin = (size: number) => boolean | Promise<boolean>;

/** What shows limits, each by `file name`, with the file's path in `src`. */
export type Rows = Readonly<Record<string, IsWithin>>;

const folder = path.join(import.meta.dirname, '../../src');
const stated = /^(?:export )?const (max[A-Z]\w*) = ([^;]+);/gm;
const sums = /^[\dxa-fn_\s*<+()-]+$/;

const sources = fs
  .readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
  .sort()
  .map((file) => ({ file, source: fs.readFileSync(path.join(folder, file), 'utf8') }));

/** All limits by `file name`; `null` for one that is more than a sum of numbers and of other constants. */
export const limits: ReadonlyMap<string, number | null> = new Map(
  sources.flatMap(({ file, source }) =>
    [...source.matchAll(stated)].map(
      ([, name = '', value = '']) => [`${file} ${name}`, numberOf(value, source)] as const,
    ),
  ),
);

/** What a sum is, some of whose parts may be constants of the same file, or of one other. */
function numberOf(value: string, source: string): number | null {
  const sum = value.replace(/\b[a-z]\w*[A-Z]\w*/g, (name) => constant(name, source) ?? name);
  return sums.test(sum) ? Number(new Function(`return ${sum}`)()) : null;
}

function constant(name: string, own: string): string | undefined {
  const statement = new RegExp(`^(?:export )?const ${name} = ([\\d_]+);`, 'm');
  const [first, second] = sources.flatMap(({ source }) => statement.exec(source)?.[1] ?? []);
  return statement.exec(own)?.[1] ?? (second === undefined ? first : undefined);
}

/** Whether `run` comes to its end. */
export function ends(run: () => unknown): boolean {
  try {
    run();
    return true;
  } catch {
    return false;
  }
}

/** Lists within one another, `depth` of them, around `inner`. */
export function nested(depth: number, inner: unknown = null): unknown {
  let value = inner;
  for (let at = 0; at < depth; at += 1) value = [value];
  return value;
}
