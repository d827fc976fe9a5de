/** Before the release no page runs or installs a package that is not there; after it, none speaks of a tarball. */
import { describe, expect, it } from 'vitest';
import { readPages, released, wordings } from '../../scripts/released-pages.ts';

const pages = [...readPages()];
const unreleased = pages.some(([, text]) => text.includes('.tgz'));
const ofNpm = /\bnpx (?:-y )?idiolect\b|\b(?:npm install|npm i|bun add) idiolect\b/;
const ofClone = /\.tgz|no release on npm|--no-install idiolect/;

describe.runIf(unreleased)('before the release', () => {
  it.each(pages)('%s names no package that does not exist yet', (_, text) => {
    expect(text).not.toMatch(ofNpm);
  });

  it.each(wordings)('a page says "$before"', ({ before }) => {
    expect(pages.some(([, text]) => text.includes(before))).toBe(true);
  });
});

it('after the release every page installs it from npm', () => {
  const after = pages.map(([, text]) => released(text));
  for (const text of after) expect(text).not.toMatch(ofClone);
  expect(after.some((text) => ofNpm.test(text))).toBe(true);
});
