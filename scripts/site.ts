/**
 * `npm run site`: the documentation as a site, in `.cache/site`. The pages of `docs/` are taken as they are; TypeDoc
 * writes a page for every exported name; the inspector and the playground, which `npm run build` makes, are parts of it.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import { build } from 'vitepress';
import { writeApiPages } from './site-api.ts';

const root = path.join(import.meta.dirname, '..');
/** What VitePress reads; laid out as the repository is, so that links lead to the same files. */
const source = path.join(root, '.cache/site-source');

/** Markdown that becomes pages as it is. */
const pages = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'LICENSE',
  'test/cases/README.md',
];

async function gather(): Promise<void> {
  await fs.rm(source, { recursive: true, force: true });
  await fs.mkdir(source, { recursive: true });
  for (const page of pages) {
    // A licence without an ending is text, and is served as such.
    const target = page.endsWith('.md') ? page : path.join('public', page);
    await fs.mkdir(path.dirname(path.join(source, target)), { recursive: true });
    await fs.copyFile(path.join(root, page), path.join(source, target));
  }
  await fs.cp(path.join(root, 'docs'), path.join(source, 'docs'), {
    recursive: true,
    filter: (file) => path.relative(root, file) !== path.join('docs', 'api'),
  });
  await templatePages(path.join(source, 'docs/lantern'));
  // Pages link to these, which are served as they are.
  await fs.cp(path.join(root, 'examples'), path.join(source, 'public/examples'), { recursive: true });
  await fs.cp(path.join(root, 'docs'), path.join(source, 'public/docs'), {
    recursive: true,
    filter: (file) => path.extname(file) === '' || path.extname(file) === '.svg',
  });
  await fs.cp(path.join(root, 'test/cases/tools.json'), path.join(source, 'public/test/cases/tools.json'));
  for (const part of ['inspector', 'playground']) {
    await fs.cp(path.join(root, 'dist', part), path.join(source, 'public', part), { recursive: true });
  }
  const home = await fs.readFile(path.join(root, 'site/pages/home.md'), 'utf8');
  await fs.writeFile(path.join(source, 'index.md'), home.replace('<!-- example -->', await firstExample()));
  for (const page of ['inspect.md', 'play.md']) {
    await fs.copyFile(path.join(root, 'site/pages', page), path.join(source, page));
  }
}

/** Pages link to templates: each becomes a page of its own, under its name. */
async function templatePages(folder: string): Promise<void> {
  for (const file of await fs.readdir(folder)) {
    const template = await fs.readFile(path.join(folder, file), 'utf8');
    await fs.writeFile(
      path.join(folder, `${file}.md`),
      `# ${file}\n\n~~~jinja\n${template.trimEnd()}\n~~~\n`,
    );
  }
}

/** The first program of the README: the home page has no other. */
async function firstExample(): Promise<string> {
  const readme = await fs.readFile(path.join(root, 'README.md'), 'utf8');
  const example = /^```ts\n[\s\S]*?^```$/m.exec(readme)?.[0];
  if (example === undefined) throw new Error('README.md has no example in TypeScript');
  return example;
}

await gather();
await writeApiPages(path.join(source, 'api'));
await build(path.join(root, 'site/pages'));
