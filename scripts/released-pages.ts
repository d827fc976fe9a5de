/**
 * `npm run pages:released`: how the pages install the package. Before the first release it is packed in a clone, and
 * its command is run so that no package of another's, with the same name, is fetched; after it, both come from npm.
 * The switch is made once, by the release.
 */
import fs from 'node:fs';
import path from 'node:path';
import { toolVersion } from '../src/format/version.ts';

const root = path.join(import.meta.dirname, '..');

/** What a page says before the release, and after it. */
interface Wording {
  readonly before: string;
  readonly after: string;
}

const tarball = `idiolect-${toolVersion}.tgz`;

/** In this order: a longer text before one that it holds. */
export const wordings: readonly Wording[] = [
  {
    before: `npm ci && npm pack   # in the clone: writes ${tarball}\n`,
    after: '',
  },
  { before: `../idiolect/${tarball}`, after: 'idiolect' },
  {
    before: ' In a project of your own, there being no release on npm yet:',
    after: ' In a project of your own:',
  },
  {
    before: ' There is no release on npm yet: pack it in a clone, and install the file.',
    after: '',
  },
  { before: 'npx --no-install idiolect', after: 'npx idiolect' },
  {
    before: ', which never fetches a package of that name from elsewhere; in a clone',
    after: '; in a clone',
  },
];

/** The pages that people read first, from the root of the repository. */
export function readPages(): ReadonlyMap<string, string> {
  const docs = fs.readdirSync(path.join(root, 'docs')).filter((name) => name.endsWith('.md'));
  const names = ['README.md', ...docs.map((name) => `docs/${name}`)];
  return new Map(names.map((name) => [name, fs.readFileSync(path.join(root, name), 'utf8')]));
}

/** The page as it is after the release. */
export function released(text: string): string {
  return wordings.reduce((page, { before, after }) => page.replaceAll(before, after), text);
}

if (process.argv[1] === import.meta.filename)
  for (const [name, text] of readPages()) fs.writeFileSync(path.join(root, name), released(text));
