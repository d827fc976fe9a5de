/** The chat page in Chromium, as `npm run build` made it, in front of models of known words. */
import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, type ServeOptions, serve } from '../../src/serve/index.ts';
import type { Turn } from '../ai-sdk/written-model.ts';
import { heldModel } from '../serve/held-model.ts';
import { answer, anyFormat, oneCall, serveTurns } from '../serve/served-models.ts';
import { endChromium, launchChromium, newPage, type Screen } from '../support/chromium.ts';
import { overflow, screens, seriousViolations } from './page-checks.ts';

const folder = path.join(import.meta.dirname, '../../dist/chat');
const desktop: Screen = { width: 1360, height: 900, colours: 'light' };
const calling: Turn = { ...oneCall, reasoning_content: 'They ask for the weather.' };

let browser: Browser;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => endChromium(browser));
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Opens the page of a server. What it asks for is listed, and errors of its own. */
async function open(server: RunningServer, screen: Screen = desktop) {
  const page = await newPage(browser, screen);
  closing.push(
    () => page.close(),
    () => server.close(AbortSignal.abort()),
  );
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('pageerror', (error) => asked.push(`an error of the page: ${String(error)}`));
  await page.goto(`${server.url}/`);
  return { page, asked };
}

async function openTurns(turns: readonly Turn[], screen?: Screen, options: ServeOptions = {}) {
  const served = await serveTurns(anyFormat, turns, { page: folder, ...options });
  return { served, ...(await open(served, screen)) };
}

/** Waits for a model to choose from, and says something. */
async function say(page: Page, text: string): Promise<void> {
  await page.waitForSelector('select option');
  await page.type('.composer textarea', text);
  await page.keyboard.press('Enter');
}

async function offerExample(page: Page): Promise<void> {
  await page.$eval('.settings', (settings) => settings.setAttribute('open', ''));
  await page.click('.settings > button');
}

const textOf = (page: Page, selector: string): Promise<string> =>
  page.$eval(selector, (element) => element.textContent ?? '');

describe('a conversation', () => {
  it('has a call with its types, takes its result, and goes on; nobody else is asked', async () => {
    const { page, served, asked } = await openTurns([calling, { ...answer }]);
    await offerExample(page);
    await say(page, 'How warm is it in Bern?');
    await page.waitForSelector('.call .answer');
    expect(await page.$eval('.thoughts', (thoughts) => thoughts.hasAttribute('open'))).toBe(false);
    expect(await textOf(page, '.thoughts p')).toBe('They ask for the weather.');
    expect(await textOf(page, '.call h3')).toBe('call get_weather');
    expect(await textOf(page, '.call dt')).toBe('city string');
    expect(await textOf(page, '.call dd')).toBe('Bern');
    await page.type('.call textarea', '21 degrees');
    await page.click('.call .answer button');
    await page.waitForFunction(() => document.querySelectorAll('.model[data-state=ended]').length === 2);
    expect(await textOf(page, '.model:last-of-type .text')).toBe(answer.content);
    const [first, second] = served.model.asked;
    expect(first).toMatchObject({ toolChoice: 'auto', tools: [{ function: { name: 'get_weather' } }] });
    expect(second?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(second?.messages[1]).toMatchObject({ reasoning_content: 'They ask for the weather.' });
    expect(second?.messages[2]).toMatchObject({ content: '21 degrees' });
    expect(asked.filter((url) => !url.startsWith(served.url) && !url.startsWith('data:'))).toEqual([]);
  });

  it('is stopped with Escape, and goes on after it', async () => {
    const model = heldModel(2);
    const { page } = await open(await serve(model, { port: 0, page: folder }));
    await say(page, 'Hello');
    await model.step();
    await page.waitForSelector('.model .text');
    await page.keyboard.press('Escape');
    await page.waitForSelector('.model[data-state=ended]');
    expect(await textOf(page, '.model footer')).toBe('stopped');
    await model.until('over', 1);
    await say(page, 'Again');
    await model.until('begun', 2);
  });

  it('shows what fits the format nowhere, and no card for a call that broke off', async () => {
    const { page } = await openTurns([{ ...oneCall, cut: 40 }]);
    await offerExample(page);
    await say(page, 'How warm is it in Bern?');
    await page.waitForSelector('.model .problem code');
    expect(await textOf(page, '.model .problem code')).toContain('name');
    expect(await page.$('.call')).toBeNull();
  });

  it('says what the server refuses', async () => {
    const { page } = await openTurns([]);
    await page.$eval('.settings', (settings) => settings.setAttribute('open', ''));
    await page.type('.settings textarea', '[{"type":"magic"}]');
    await say(page, 'Hello');
    await page.waitForSelector('.model [role=alert]');
    expect(await textOf(page, '.model [role=alert]')).toContain('tools[0].type');
  });
});

it('the chat page asks for a key where there is one, and again for a wrong one', async () => {
  const { page, served } = await openTurns([answer], desktop, { apiKeys: ['right'] });
  for (const key of ['wrong', 'right']) {
    await page.waitForSelector('.key input');
    await page.type('.key input', key);
    await page.click('.key button');
    if (key === 'right') break;
    await page.waitForFunction(() => document.body.textContent?.includes('refuses this key'));
    await page.$eval('.key input', (input) => (input as HTMLInputElement).select());
  }
  await page.waitForFunction(() => document.querySelector('.key') === null);
  await say(page, 'Hello');
  await page.waitForSelector('.model[data-state=ended]');
  expect(await textOf(page, '.model .text')).toBe(answer.content);
  expect(served.model.asked).toHaveLength(1);
});

it.each(screens)('at $width px, $colours: axe finds nothing serious in it', async (screen) => {
  const { page } = await openTurns([calling, answer], screen);
  await offerExample(page);
  await say(page, 'How warm is it in Bern?');
  await page.waitForSelector('.call .answer');
  expect(await seriousViolations(page)).toEqual([]);
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  if (process.env.SCREENSHOTS !== undefined)
    await page.screenshot({
      path: `${process.env.SCREENSHOTS}/chat-${screen.width}-${screen.colours}.png` as never,
    });
});

it('the chat page is 60 kB at the most', () => {
  const assets = path.join(folder, 'assets');
  const files = fs.readdirSync(assets).map((name) => fs.readFileSync(path.join(assets, name)));
  const sizes = files.map((bytes) => gzipSync(bytes).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60_000);
});
