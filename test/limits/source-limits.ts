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

/** All limits by `file name`; `null` for one that is computed from others. */
export const limits: ReadonlyMap<string, number | null> = new Map(
  fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .sort()
    .flatMap((file) =>
      [...fs.readFileSync(path.join(folder, file), 'utf8').matchAll(stated)].map(
        ([, name = '', value = '']) => [`${file} ${name}`, numberOf(value)] as const,
      ),
    ),
);

function numberOf(value: string): number | null {
  return sums.test(value) ? Number(new Function(`return ${value}`)()) : null;
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
