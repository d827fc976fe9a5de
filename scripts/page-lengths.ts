/**
 * `npm run site:lengths`, after `npm run site`: how many screens of a phone each page of the site takes, in Chromium.
 * Fails for a page that is longer than anybody scrolls: it is split by task, or what it lists is folded. With names
 * (`docs/tools`), only these pages, each with its sections.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'puppeteer-core';
import { endChromium, launchChromium, newPage } from '../test/support/chromium.ts';
import { serveFiles } from '../test/support/file-server.ts';

const site = path.join(import.meta.dirname, '../.cache/site');

/** A phone, in pixels of a page. */
const screen = { width: 390, height: 844, colours: 'light' } as const;
/** Screens. */
const longest = 12;
/**
 * Pages that are searched, not read: a log that is not in the package, and what is generated for single names, where
 * the docstrings decide.
 */
const exempt = /^docs\/experiments$|^api\/.*\/\w+\/\w+$/;

/** What the pages need to be laid out: without scripts, which change nothing of it. */
function siteFiles(): ReadonlyMap<string, string | Uint8Array> {
  const names = fs.readdirSync(site, { recursive: true, encoding: 'utf8' });
  const needed = names
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => /\.(?:html|css|svg|png)$/.test(name));
  return new Map(
    needed.map((name) => {
      const content = fs.readFileSync(path.join(site, name));
      return [`/${name}`, name.endsWith('.html') ? withoutScripts(content.toString()) : content];
    }),
  );
}

function withoutScripts(html: string): string {
  return html.replace(/<script\b[^>]*>[\s\S]*?<\/script>|<link [^>]*modulepreload[^>]*>/g, '');
}

/** A page's height, and those of its sections, by heading. */
interface Measured {
  readonly height: number;
  readonly sections: readonly (readonly [heading: string, height: number])[];
}

/** Runs in the page, which has another library of types than scripts have. */
const measuring = `(() => {
  const height = document.documentElement.scrollHeight;
  const headings = [...document.querySelectorAll('.vp-doc h1, .vp-doc h2')];
  const tops = headings.map((heading) => heading.getBoundingClientRect().top);
  const sections = headings.map(({ textContent }, at) => [textContent, (tops[at + 1] ?? height) - tops[at]]);
  return { height, sections };
})()`;

async function measure(page: Page, url: string): Promise<Measured> {
  await page.goto(url, { waitUntil: 'load' });
  return (await page.evaluate(measuring)) as Measured;
}

const inScreens = (height: number): string => (height / screen.height).toFixed(1).padStart(6);

const asked = process.argv.slice(2).map((name) => name.replace(/\.(?:md|html)$/, ''));
const files = siteFiles();
const pages = [...files.keys()]
  .filter((name) => /^\/(?!inspector\/|playground\/|404).*\.html$/.test(name))
  .map((name) => name.slice(1, -'.html'.length))
  .filter((name) => asked.length === 0 || asked.includes(name));
const server = await serveFiles(files);
const browser = await launchChromium();
try {
  const page = await newPage(browser, screen);
  const measured: { readonly name: string; readonly found: Measured }[] = [];
  for (const name of pages) measured.push({ name, found: await measure(page, `${server.url}/${name}.html`) });
  measured.sort((one, other) => other.found.height - one.found.height);
  const tooLong = measured.filter(
    ({ name, found }) => found.height > longest * screen.height && !exempt.test(name),
  );
  for (const { name, found } of asked.length === 0 ? tooLong : measured) {
    console.error(`${inScreens(found.height)} screens: ${name}`);
    for (const [heading, height] of found.sections) console.error(`${inScreens(height)}   ${heading}`);
  }
  const [first] = measured.filter(({ name }) => !exempt.test(name));
  console.log(
    `site: ${measured.length} pages on a phone, the longest ${first?.name}: ${inScreens(first?.found.height ?? 0).trim()} of at most ${longest} screens`,
  );
  process.exitCode = tooLong.length === 0 && measured.length > 0 ? 0 : 1;
} finally {
  await endChromium(browser);
  server.close();
}
