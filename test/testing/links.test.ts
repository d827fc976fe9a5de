/** Links between the pages: each leads to a file that is there, and to a heading that it has. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..', '..');
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...fs.readdirSync(path.join(root, 'docs')).map((name) => `docs/${name}`),
]
  .concat('test/cases/README.md')
  .filter((name) => name.endsWith('.md'));

function textOf(page: string): string {
  return fs.readFileSync(path.join(root, page), 'utf8');
}

/** The name that GitHub gives a heading: no marks, small letters, hyphens for blanks. */
function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function anchors(page: string): ReadonlySet<string> {
  const prose = textOf(page).replace(/^```[\s\S]*?^```$/gm, '');
  return new Set(Array.from(prose.matchAll(/^#+ (.+)$/gm), ([, heading = '']) => anchorOf(heading)));
}

/** Where the links of a page lead, those to other hosts left out. */
function targets(page: string): readonly string[] {
  const prose = textOf(page).replace(/^```[\s\S]*?^```$/gm, '');
  const all = Array.from(prose.matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target);
  return all.filter((target) => !/^[a-z]+:/.test(target));
}

function leadsNowhere(page: string, target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const aim = file === '' ? page : path.join(path.dirname(page), file);
  if (!fs.existsSync(path.join(root, aim))) return true;
  return anchor !== undefined && !anchors(aim).has(anchor);
}

describe.each(pages)('%s', (page) => {
  it('has no link that leads nowhere', () => {
    expect(targets(page).filter((target) => leadsNowhere(page, target))).toEqual([]);
  });
});

it('there are links to other pages and to headings', () => {
  const all = pages.flatMap(targets);
  expect(all.filter((target) => target.includes('#')).length).toBeGreaterThan(20);
  expect(leadsNowhere('README.md', 'docs/tools.md#no-such-heading')).toBe(true);
  expect(leadsNowhere('README.md', 'docs/no-such-page.md')).toBe(true);
});

/** Pages for those who change the code. */
const ofContributors = /^docs\/(?:data-flow.*|experiments|judges)\.md$/;

it('pages that are packed say where a source file is that the package lacks', () => {
  const lines = pages
    .filter((page) => page.startsWith('docs/') && !ofContributors.test(page))
    .flatMap((page) => textOf(page).split('\n'));
  const naming = lines.filter((line) => /`(?:src|site)\//.test(line));
  expect(naming.length).toBeGreaterThan(3);
  expect(naming.filter((line) => !/repository|clone/.test(line))).toEqual([]);
});
