/**
 * The playground in Chromium, as `npm run build` made it: the page shows what Node computes, loads little, asks for
 * nothing afterwards, and everybody can use it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Progress, respond } from '../../site/playground/core/respond.ts';
import { firstSettings, formats, type Settings, writeFragment } from '../../site/playground/core/settings.ts';
import { endChromium, launchChromium, newPage, type Screen } from '../support/chromium.ts';
import { playgroundFolder, servePlayground } from '../support/playground-page.ts';
import { overflow, screens, seriousViolations } from './page-checks.ts';

let browser: Browser;
let server: Awaited<ReturnType<typeof servePlayground>>;
beforeAll(async () => {
  [browser, server] = [await launchChromium(), await servePlayground()];
});
afterAll(async () => {
  await endChromium(browser);
  server.close();
});

const desktop: Screen = { width: 1280, height: 900, colours: 'light' };

async function open(settings: Settings, screen: Screen = desktop) {
  const page = await newPage(browser, screen);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('pageerror', (error) => asked.push(`an error of the page: ${String(error)}`));
  await page.goto(`${server.url}#${writeFragment(settings)}`);
  await page.waitForSelector('.app[data-state=ready]');
  return { page, asked };
}

/** The kinds of the chips, and the call. */
function shown(page: Page) {
  return page.evaluate(() => ({
    kinds: Array.from(
      document.querySelectorAll('.tokens .token'),
      ({ className }) => className.split(' ')[1],
    ),
    call: document.querySelector('.call')?.textContent ?? null,
  }));
}

async function inNode(settings: Settings) {
  const told: Progress[] = [];
  for await (const progress of respond(settings, 1)) told.push(progress);
  const kinds = told.reduce<readonly string[]>((all, each) => {
    if (each.type !== 'tokens') return all;
    return [...all.slice(0, each.kept), ...each.tokens.map(({ kind }) => kind)];
  }, []);
  const end = told.at(-1);
  const called = end?.type === 'end' ? end.message.tool_calls?.[0]?.function : undefined;
  const call = called && { name: called.name, arguments: JSON.parse(called.arguments) };
  return { kinds, call: call ? JSON.stringify(call, null, 2) : null };
}

it.each(formats)(
  '%s: the tokens and the call are those of Node, and nothing is asked for',
  async (format) => {
    const settings = { ...firstSettings, format };
    const { page, asked } = await open(settings);
    const expected = await inNode(settings);
    expect(expected.kinds).toContain('overruled');
    expect(expected.kinds).toContain('forced');
    expect(await shown(page)).toEqual(expected);
    const loaded = asked.splice(0);
    expect(loaded.filter((url) => !url.startsWith(server.url))).toEqual([]);
    await page.select('select', format === 'json' ? 'tags' : 'json');
    await page.waitForSelector('.app[data-state=busy]');
    await page.waitForSelector('.app[data-state=ready]');
    expect(asked).toEqual([]);
    await page.close();
  },
);

it('at an overruled token the likeliest is struck out, and what was taken is allowed', async () => {
  const { page } = await open(firstSettings);
  const rows = await page.$$eval('.candidates tbody tr', (all) =>
    all.map((row) => ({
      kind: row.className,
      line: getComputedStyle(row.querySelector('code') ?? row).textDecorationLine,
    })),
  );
  expect(rows[0]).toEqual({ kind: 'forbidden ', line: 'line-through' });
  expect(rows.filter(({ kind }) => kind.includes('taken'))).toEqual([{ kind: ' taken', line: 'none' }]);
  await page.close();
});

it('the address holds what was set', async () => {
  const { page } = await open({ ...firstSettings, choice: 'none', question: 'How are you?' });
  expect(await page.$eval('#question', (input) => (input as HTMLInputElement).value)).toBe('How are you?');
  expect((await shown(page)).call).toBeNull();
  await page.close();
});

it('a tool that is no JSON is told', async () => {
  const { page } = await open(firstSettings);
  await page.focus('#tool');
  await page.keyboard.type('{');
  await page.waitForSelector('.app[data-state=failed]');
  expect(await page.$eval('[role=alert]', ({ textContent }) => textContent)).not.toBe('');
  await page.close();
});

it('tokens are one stop of the keyboard, and the arrow keys move between them', async () => {
  const { page } = await open(firstSettings);
  expect(await page.$$eval('.tokens [tabindex="0"]', ({ length }) => length)).toBe(1);
  await page.focus('.tokens [tabindex="0"]');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  const second = await page.$$eval('.tokens .token', (chips) =>
    chips.indexOf(document.activeElement as Element),
  );
  expect(second).toBe(1);
  await page.close();
});

describe('everybody can use it', () => {
  it.each(screens)('at $width px, $colours: axe finds nothing serious', async (screen) => {
    const { page } = await open(firstSettings, screen);
    expect(await seriousViolations(page)).toEqual([]);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await page.close();
  });
});

it('has at most 300 kB of script, without the weights of the toy', () => {
  const folder = path.join(playgroundFolder, 'assets');
  const scripts = fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.js') && !name.startsWith('weights'));
  const sizes = scripts.map((name) => brotliCompressSync(fs.readFileSync(path.join(folder, name))).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(300_000);
});
