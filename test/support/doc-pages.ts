/** The text of pages of `docs/`, for tests that hold them against the code. */
import fs from 'node:fs';
import path from 'node:path';

const docs = path.join(import.meta.dirname, '../../docs');

/** These pages, without their endings, one after the other: a subject may take several. */
export function docPages(...names: readonly string[]): string {
  return names.map((name) => fs.readFileSync(path.join(docs, `${name}.md`), 'utf8')).join('\n');
}
