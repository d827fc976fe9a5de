/** What a newcomer does with the inspector: a model, a damaged link, a paste, a wrong template, the keyboard. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { toyModel } from 'idiolect/testing';
import type { ElementHandle, Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { llamaTemplate } from '../support/corpora.ts';
import { inspectorPages, ready } from '../support/inspector-page.ts';
import { replaceText } from './replace-text.ts';

const open = inspectorPages();

async function opened(): Promise<Page> {
  const source = (await llamaTemplate('Qwen-Qwen3-0.6B')).source;
  const { page } = await open({ name: 'Qwen3', templateSource: source });
  await ready(page);
  return page;
}

async function give(page: Page, name: string, bytes: string | Uint8Array): Promise<void> {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'given-')), name);
  fs.writeFileSync(file, bytes);
  const input = (await page.$('.picker input[type=file]')) as ElementHandle<HTMLInputElement>;
  await input.uploadFile(file);
}

/** Puts a text in the place of the template. */
function replaceTemplate(page: Page, text: string): Promise<void> {
  return replaceText(page, '.panel.template', text);
}

/** Waits until the title of the template says this. */
async function called(page: Page, name: string): Promise<void> {
  await page.waitForFunction(
    (wanted) => document.querySelector('#template-title')?.textContent?.includes(wanted),
    {},
    name,
  );
}

const alert = (page: Page): Promise<string> =>
  page.$eval('[role=alert]', ({ textContent }) => textContent ?? '');

it.each(['json', 'tags', 'channels'] as const)('a model file is read (%s)', async (format) => {
  const page = await opened();
  await give(page, 'toy.gguf', await toyModel(format));
  await called(page, 'toy.gguf');
  await ready(page);
  expect(await alert(page)).toBe('');
});

it('what holds no template is refused with its name, and the next file is read', async () => {
  const page = await opened();
  const model = await toyModel();
  const refused: readonly (readonly [name: string, bytes: string | Uint8Array, reason: string])[] = [
    ['picture.jinja', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13), 'is not text'],
    ['broken.json', '{"chat_template": ', 'is not JSON'],
    ['other.json', '{"a": 1}', 'holds no chat template'],
    ['empty.gguf', '', 'is empty'],
    ['zeros.gguf', new Uint8Array(1_000_000), 'is not a GGUF model'],
    ['cut.gguf', model.subarray(0, 20_000), 'is truncated'],
    // Counts that no file holds.
    ['hostile.gguf', Uint8Array.of(...model.subarray(0, 8), ...Array(16).fill(0x7f)), 'broken or hostile'],
  ];
  for (const [name, bytes, reason] of refused) {
    await give(page, name, bytes);
    await page.waitForFunction(
      (wanted) => document.querySelector('[role=alert]')?.textContent?.includes(wanted),
      {},
      name,
    );
    expect(await alert(page)).toContain(reason);
    // What was shown before stays.
    expect(await page.$eval('#template-title', (title) => title.textContent)).toContain('Qwen3');
  }
  await give(page, 'toy.gguf', model);
  await called(page, 'toy.gguf');
  await ready(page);
  expect(await alert(page)).toBe('');
});

it('the whole page has thirty stops of the keyboard at most, each of them marked', async () => {
  const page = await opened();
  const stops = new Set<number>();
  for (;;) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const { activeElement } = document;
      return activeElement === document.body
        ? null
        : [...document.querySelectorAll('*')].indexOf(activeElement as Element);
    });
    if (at === null || stops.has(at)) break;
    stops.add(at);
    // An editor and the button of a hidden input are marked around them; an editor a moment after it has the focus.
    await page.waitForFunction(() => {
      const { activeElement: active } = document;
      const marked = active?.closest('.cm-editor') ?? active?.closest('.button') ?? active;
      return marked !== null && marked !== undefined && getComputedStyle(marked).outlineStyle !== 'none';
    });
  }
  expect(stops.size).toBeGreaterThan(20);
  expect(stops.size).toBeLessThanOrEqual(30);
});

it('a damaged link says so', async () => {
  const page = await opened();
  const address = page.url();
  for (const fragment of ['#1.abcdef', '#2.x', '#%']) {
    await page.goto(`${address}${fragment}`);
    await page.reload();
    await page.waitForSelector('[role=alert] .problem');
    expect(await alert(page), fragment).toContain('The link is damaged');
  }
});

it('a pasted template is called that, and an edited one edited', async () => {
  const page = await opened();
  await page.click('.panel.template .cm-content');
  await page.keyboard.type(' ');
  await called(page, '(edited)');
  await replaceTemplate(page, (await llamaTemplate('MiniMax-M2')).source);
  await called(page, 'a pasted template');
});

it('a wrong tag is marked where it stands', async () => {
  const page = await opened();
  await replaceTemplate(page, 'one\ntwo {% if messages %}\nthree {% endfor %}');
  await page.waitForSelector('.panel.template .wrong');
  const line = await page.$eval(
    '.panel.template .wrong',
    (element) => element.closest('.cm-line')?.textContent,
  );
  expect(line).toBe('three {% endfor %}');
  expect(await alert(page)).toMatch(/^a pasted template:3:7: /);
});

it('a replay leaves the page where it is', async () => {
  const page = await opened();
  await page.evaluate(() => {
    document.querySelector<HTMLButtonElement>('.replay button')?.click();
    scrollTo(0, 0);
  });
  await page.waitForFunction(
    () => Number(document.querySelector<HTMLInputElement>('.replay input')?.value) > 20,
  );
  expect(await page.evaluate(() => scrollY)).toBe(0);
});

it('the fields are one stop of the keyboard, and the arrow keys move in them', async () => {
  const page = await opened();
  expect(await page.$$eval('.rows .row[tabindex="0"]', ({ length }) => length)).toBe(1);
  await page.focus('.rows .row[tabindex="0"]');
  await page.keyboard.press('ArrowDown');
  const second = await page.$$eval('.rows .row', (rows) => rows[1]?.textContent);
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(second);
});

it('labels say what they mean', async () => {
  const page = await opened();
  const said = await page.$$eval('.overview dd small', (each) => each.map(({ textContent }) => textContent));
  expect(said).toContain('{"name": "f", "arguments": {…}}');
  expect(said).toHaveLength(3);
});
