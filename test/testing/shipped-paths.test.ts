/** Pages come with the package, which has no `src`: declarations that they name are there, and what they import is installed. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readPages } from '../../scripts/released-pages.ts';

const root = path.join(import.meta.dirname, '../..');
const pages = [...readPages()];
const named = pages.flatMap(([page, text]) =>
  Array.from(text.matchAll(/`dist\/(src\/[\w/-]+)\.d\.ts`/g), ([, file = '']) => [page, file] as const),
);

it('declarations are named', () => expect(named.length).toBeGreaterThan(1));

it.each(named)('%s names the declarations of %s, which exist', (_, file) => {
  expect(fs.existsSync(path.join(root, `${file}.ts`))).toBe(true);
});

it("a page that imports MCP's SDK says how to install it", () => {
  const importing = pages.filter(([, text]) => /from '@modelcontextprotocol\/sdk\//.test(text));
  expect(importing.length).toBeGreaterThan(0);
  for (const [page, text] of importing)
    expect(text, page).toMatch(/^npm install .*@modelcontextprotocol\/sdk/m);
});
