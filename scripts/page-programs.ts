/** The programs of the pages: their blocks of TypeScript, as people copy them. */
import fs from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');

/** One program of a page. */
export interface PageProgram {
  /** The page, from the root of the repository. */
  readonly page: string;
  /** The file that the page names; `null` for the page's own program: its unnamed blocks, one after the other. */
  readonly file: string | null;
  readonly source: string;
}

/** Pages whose blocks are excerpts: of a case, of a file in this repository. */
const excerpts: ReadonlySet<string> = new Set(['docs/unreadable-templates.md', 'docs/adding-a-model.md']);

/** The programs of all pages: those of a page that has no name, and those in blocks like "```ts forecast.test.ts". */
export function pagePrograms(): readonly PageProgram[] {
  const docs = fs.readdirSync(path.join(root, 'docs')).filter((name) => name.endsWith('.md'));
  const pages = ['README.md', ...docs.sort().map((name) => `docs/${name}`)];
  return pages.filter((page) => !excerpts.has(page)).flatMap(programsOf);
}

function programsOf(page: string): readonly PageProgram[] {
  const text = fs.readFileSync(path.join(root, page), 'utf8');
  const blocks = Array.from(
    text.matchAll(/^```ts(?: (\S+))?\n([\s\S]*?)\n```$/gm),
    ([, file, code = '']) => ({
      file: file ?? null,
      code,
    }),
  );
  const own = blocks.filter(({ file }) => file === null).map(({ code }) => code);
  const named = blocks.flatMap(({ file, code }) => (file === null ? [] : [{ page, file, source: code }]));
  return own.length === 0 ? named : [{ page, file: null, source: own.join('\n') }, ...named];
}
