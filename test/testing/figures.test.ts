/** Figures that pages state, against what they count. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { overrides } from '../../src/analysis/overrides/format-override.ts';

const root = path.join(import.meta.dirname, '..', '..');

function textOf(page: string): string {
  return fs.readFileSync(path.join(root, page), 'utf8');
}

it('pages state the number of generated modules', () => {
  const folders = fs.readdirSync(path.join(root, 'generated'), { withFileTypes: true });
  const count = folders.filter((entry) => entry.isDirectory()).length;
  for (const page of ['README.md', 'docs/ahead-of-time.md', 'docs/entry-points.md']) {
    const stated = Array.from(
      textOf(page).matchAll(/(\d+) templates by (?:their )?fingerprint|those of (\d+) templates/g),
    );
    expect(stated.length, page).toBeGreaterThan(0);
    for (const [, one, other] of stated) expect(Number(one ?? other), page).toBe(count);
  }
});

it('the page of guarantees states the number of overrides', () => {
  expect(textOf('docs/guarantees.md')).toContain(
    `**${overrides.length}** families of templates hide something`,
  );
});

/** What `npm run conformance` gave when it was last recorded. */
const baseline: Readonly<Record<string, number>> = JSON.parse(textOf('test/conformance/baseline.json'));

it.each([
  ['renders like', 'jinja'],
  ['templates whose every message', 'laws over both corpora'],
  ["llama.cpp's recorded parser cases", 'chat-cases'],
  ["Hugging Face's response-template cases", 'response-templates'],
])('the page of guarantees has the baseline’s figure in the row that begins with %s', (row, part) => {
  const line = textOf('docs/guarantees.md')
    .split('\n')
    .find((each) => each.startsWith(`| ${row}`));
  expect(line).toContain(`| ${baseline[part]?.toLocaleString('en')} of `);
});
