/**
 * The playground in Chromium, as `npm run build` made it: the page shows what Node computes, loads little, asks for
 * nothing afterwards, and everybody can use it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordings } from '../../site/playground/core/recordings.ts';
import { type Progress, respond } from '../../site/playground/core/respond.ts';
import {
  firstSettings,
  formats,
  type Settings,
  writeFragment,
  writePlace,
} from '../../site/playground/core/settings.ts';
import { follow, nothing } from '../../site/playground/core/told.ts';
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

async function open(fragment: string, screen: Screen = desktop) {
  const page = await newPage(browser, screen);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('pageerror', (error) => asked.push(`an error of the page: ${String(error)}`));
  await page.goto(`${server.url}#${fragment}`);
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
    const { page, asked } = await open(writeFragment(settings));
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
  const { page } = await open(writeFragment(firstSettings));
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
  const { page } = await open(writeFragment({ ...firstSettings, choice: 'none', question: 'How are you?' }));
  expect(await page.$eval('#question', (input) => (input as HTMLInputElement).value)).toBe('How are you?');
  expect((await shown(page)).call).toBeNull();
  await page.close();
});

it('a tool that is no JSON is told', async () => {
  const { page } = await open(writeFragment(firstSettings));
  await page.focus('#tool');
  await page.keyboard.type('{');
  await page.waitForSelector('.app[data-state=failed]');
  expect(await page.$eval('[role=alert]', ({ textContent }) => textContent)).not.toBe('');
  await page.close();
});

it('tokens are one stop of the keyboard, and the arrow keys move between them', async () => {
  const { page } = await open(writeFragment(firstSettings));
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

describe('recorded models', () => {
  it.each(recordings)('$model: its tokens and its call are shown', async (recording) => {
    const { page, asked } = await open(writePlace({ settings: firstSettings, recording: recording.model }));
    const told = recording.progress.reduce(follow, nothing);
    const { kinds, call } = await shown(page);
    expect(kinds).toEqual(told.tokens.map(({ kind }) => kind));
    expect(JSON.parse(call ?? '').arguments).toEqual(
      JSON.parse(told.message?.tool_calls?.[0]?.function.arguments ?? ''),
    );
    expect(asked.filter((url) => !url.startsWith(server.url))).toEqual([]);
    await page.close();
  });

  it('are a tab, which the arrow keys reach, and which asks for nothing', async () => {
    const { page, asked } = await open(writeFragment(firstSettings));
    asked.splice(0);
    await page.focus('[role=tab][aria-selected=true]');
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('#model');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('tab-recorded');
    expect(page.url()).toContain(`recording=${encodeURIComponent(recordings[0]?.model ?? '')}`);
    await page.waitForSelector('.app[data-state=ready]');
    await page.select('#model', recordings.at(-1)?.model ?? '');
    await page.waitForSelector('.app[data-state=busy]');
    await page.waitForSelector('.app[data-state=ready]');
    await page.click('form button');
    await page.waitForSelector('.app[data-state=busy]');
    await page.focus('[role=tab][aria-selected=true]');
    await page.keyboard.press('ArrowLeft');
    await page.waitForSelector('#question');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('tab-toy');
    expect(asked).toEqual([]);
    await page.close();
  });

  it('are whole at once for whoever wants no motion', async () => {
    const page = await newPage(browser, desktop);
    await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
    await page.goto(
      `${server.url}#${writePlace({ settings: firstSettings, recording: recordings[0]?.model ?? '' })}`,
    );
    await page.waitForSelector('#model');
    expect(await page.$eval('.app', (app) => app.getAttribute('data-state'))).toBe('ready');
    await page.close();
  });
});

describe('everybody can use it', () => {
  const places = [null, recordings[0]?.model ?? null].flatMap((recording) =>
    screens.map((screen) => ({ ...screen, recording, tab: recording ?? 'the toy' })),
  );
  it.each(places)(
    '$tab, at $width px, $colours: axe finds nothing serious',
    async ({ recording, ...screen }) => {
      const { page } = await open(writePlace({ settings: firstSettings, recording }), screen);
      expect(await seriousViolations(page)).toEqual([]);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      await page.close();
    },
  );
});

it('the playground has at most 300 kB of script, without the weights of the toy', () => {
  const folder = path.join(playgroundFolder, 'assets');
  const scripts = fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.js') && !name.startsWith('weights'));
  const sizes = scripts.map((name) => brotliCompressSync(fs.readFileSync(path.join(folder, name))).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(300_000);
});
