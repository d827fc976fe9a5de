/**
 * The site as `npm run site` built it: a page for every name that the package exports, links and anchors that lead
 * somewhere, and little JavaScript on each page. VitePress itself ends the build at a dead link between pages.
 */
import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import ts from 'typescript';
import { entryNames } from './site-api.ts';

const root = path.join(import.meta.dirname, '..');
const site = path.join(root, '.cache/site');

/** Bytes of JavaScript, gzipped, that a page may load. The inspector and the playground are pages of their own. */
const mostScript = 100_000;

const problems: string[] = [];
const files = new Set(
  fs.readdirSync(site, { recursive: true, encoding: 'utf8' }).map((file) => file.split(path.sep).join('/')),
);
const htmlFiles = [...files].filter((file) => /^(?!inspector\/|playground\/).*\.html$/.test(file));
const html = new Map(htmlFiles.map((file) => [file, fs.readFileSync(path.join(site, file), 'utf8')]));

/** What TypeScript says is exported, by import path: TypeDoc, which made the pages, is not asked. */
async function exportedNames(): Promise<readonly { readonly entry: string; readonly name: string }[]> {
  const entries = await entryNames();
  const config = ts.getParsedCommandLineOfConfigFile(
    path.join(root, 'tsconfig.json'),
    {},
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: () => undefined,
    },
  );
  const sources = [...entries.keys()].map((file) => path.join(root, file));
  const program = ts.createProgram(sources, config?.options ?? {});
  const checker = program.getTypeChecker();
  return [...entries].flatMap(([file, entry]) => {
    const source = program.getSourceFile(path.join(root, file));
    const symbol = source === undefined ? undefined : checker.getSymbolAtLocation(source);
    if (symbol === undefined) throw new Error(`${file} exports nothing`);
    return checker.getExportsOfModule(symbol).map(({ name }) => ({ entry, name }));
  });
}

const names = await exportedNames();
for (const { entry, name } of names) {
  const pages = htmlFiles.filter((file) => {
    const [kind, page] = file.startsWith(`api/${entry}/`)
      ? file.slice(`api/${entry}/`.length).split('/')
      : [];
    return kind !== undefined && page === `${name}.html`;
  });
  if (pages.length === 0) problems.push(`${entry}: no page for ${name}`);
}

let links = 0;
for (const [file, text] of html) {
  for (const [, raw = ''] of text.matchAll(/\s(?:href|src)="([^"]*)"/g)) {
    const target = raw.replaceAll('&amp;', '&');
    if (target === '' || /^(?:[a-z]+:|\/\/)/i.test(target)) continue;
    links += 1;
    const problem = problemOf(file, target);
    if (problem !== null) problems.push(`${file}: ${target}: ${problem}`);
  }
}

function problemOf(from: string, target: string): string | null {
  const { pathname, hash } = new URL(target, `http://site/${from}`);
  const asked = decodeURIComponent(pathname).slice(1);
  const candidates = [asked, `${asked}.html`, path.posix.join(asked, 'index.html')];
  const file = candidates.find((each) => files.has(each) && (each.includes('.') || each === 'LICENSE'));
  if (file === undefined) return 'no such file';
  const page = html.get(file);
  if (hash === '' || page === undefined) return null;
  return page.includes(`id="${decodeURIComponent(hash.slice(1))}"`) ? null : 'no such place on the page';
}

/** Gzipped bytes of each script, computed once. */
const sizes = new Map<string, number>();
function gzipped(file: string): number {
  const known = sizes.get(file) ?? gzipSync(fs.readFileSync(path.join(site, file))).length;
  sizes.set(file, known);
  return known;
}

/** The scripts that a page names, and what they import at once. */
function scriptsOf(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (file: string) => {
    if (found.has(file) || !files.has(file)) return;
    found.add(file);
    const code = fs.readFileSync(path.join(site, file), 'utf8');
    for (const [, target = ''] of code.matchAll(
      /(?:^|[;}\s])(?:import|export)[^'"();]*["'](\.[^"']+\.js)["']/g,
    )) {
      visit(path.posix.join(path.posix.dirname(file), target));
    }
  };
  for (const [, file = ''] of text.matchAll(/<(?:script|link)[^>]*(?:src|href)="\/([^"]+\.js)"/g))
    visit(file);
  return found;
}

let heaviest = { file: '', bytes: 0 };
for (const [file, text] of html) {
  const bytes = [...scriptsOf(text)].reduce((sum, script) => sum + gzipped(script), 0);
  if (bytes > heaviest.bytes) heaviest = { file, bytes };
  if (bytes > mostScript) problems.push(`${file}: ${bytes} bytes of JavaScript, gzipped`);
  if (bytes === 0 && file !== '404.html') problems.push(`${file}: no scripts were found in it`);
}

for (const problem of problems.slice(0, 40)) console.error(problem);
if (problems.length > 40) console.error(`and ${problems.length - 40} more`);
console.log(
  `site: ${html.size} pages, ${names.length} exported names, ${links} links; ` +
    `at most ${(heaviest.bytes / 1000).toFixed(0)} kB of JavaScript (${heaviest.file})`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
