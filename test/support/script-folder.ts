/** Where the bundled scripts of a run are: within the repository, so that packages are found from there. */
import fs from 'node:fs';
import path from 'node:path';

process.env.SCRIPTS_RUN ??= String(process.pid);

/** One folder for all processes of a run. */
export const folder = path.join(import.meta.dirname, '../../.cache', `scripts-${process.env.SCRIPTS_RUN}`);

/** Nothing is made before it is needed. */
export function setup(): void {}

/** Removes what the run has made. */
export function teardown(): void {
  fs.rmSync(folder, { recursive: true, force: true });
}
