/**
 * Template after template in one page, in Chromium: each has the format that `idiolect inspect --json` prints, and the
 * events that Node reads. With `LAWS=long` all 167 templates, and what each cost.
 */
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { ElementHandle, Page } from 'puppeteer-core';
import { afterAll, describe, expect, it } from 'vitest';
import { requests } from '../../site/inspector/core/requests.ts';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { sha256 } from '../../src/format/sha256.ts';
import { allTemplates, type CorpusTemplate, llamaTemplate } from '../support/corpora.ts';
import { inspectorPages, ready } from '../support/inspector-page.ts';

const isLong = process.env.LAWS === 'long';
/** In the default form, one template of so many. */
const stride = 14;

const open = inspectorPages();
const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'idiolect-templates-'));
afterAll(() => fs.rm(folder, { recursive: true }));

/** What the page shows of a template, or why it shows nothing. */
interface Shown {
  readonly problem?: string;
  readonly format?: string;
  readonly events?: readonly (readonly (string | null)[])[];
  readonly message?: string;
}

/** What it should show. */
function expected(source: string): Shown {
  try {
    const input = { name: 'template.jinja', templateSource: source };
    const { conversation } = requests.inspect(input);
    const { format } = analyzeTemplate(source, { name: 'template.jinja' });
    const text = writtenBy(() => requests.write({ input, format, conversation }));
    if (typeof text !== 'string') return { format: JSON.stringify(format), problem: told(text) };
    const request = { text, at: text.length, tools: conversation.tools, generationPrompt: null };
    const { rows, message } = requests.read({ format, request, window: { from: 0, to: text.length } });
    const events = rows.map(({ type, start, end, count, detail }) => [
      count > 1 ? `${type} ×${count}` : type,
      `${start}–${end}`,
      detail.replaceAll('\n', '↵'),
    ]);
    return { format: JSON.stringify(format), events, message };
  } catch (error) {
    return { problem: told(error) };
  }
}

/** What a model writes, or why the template does not render the conversation. */
function writtenBy(write: () => ReturnType<typeof requests.write>): unknown {
  try {
    return write()
      .answer.map((span) => span.text)
      .join('');
  } catch (error) {
    return error;
  }
}

function told(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Gives a template to the page as a file, and reads what comes; `took`: milliseconds until all of it was there. */
async function show(page: Page, { source }: CorpusTemplate): Promise<Shown & { readonly took: number }> {
  const file = path.join(folder, 'template.jinja');
  await fs.writeFile(file, source);
  const picker = (await page.$('header input[type=file]')) as ElementHandle<HTMLInputElement>;
  await page.evaluate(() => {
    const [app, findings] = [document.querySelector('.app'), document.querySelector('.findings')];
    findings?.setAttribute('data-waiting', String(performance.now()));
    findings?.removeAttribute('data-begun');
    // What came of the template before this one stays until the page is busy with it.
    const observer = new MutationObserver(() => {
      if (app?.getAttribute('data-state') !== 'busy') return;
      findings?.setAttribute('data-begun', '');
      observer.disconnect();
    });
    if (app !== null) observer.observe(app, { attributeFilter: ['data-state'] });
  });
  await picker.uploadFile(file);
  await page.waitForFunction(
    (hash) => {
      const findings = document.querySelector('.findings');
      const state = document.querySelector('.app')?.getAttribute('data-state');
      const last = document.querySelector('.live[data-ready=true] .events li:last-child');
      const isRead = last?.firstElementChild?.textContent?.startsWith('finish') === true;
      const isWhole = /^(\d+) of \1$/.test(document.querySelector('.replay output')?.textContent ?? '');
      const isThere = findings?.getAttribute('data-template') === hash && state === 'ready';
      const isDone = isThere && isRead && isWhole && document.querySelector('[role=tab]') !== null;
      return findings?.hasAttribute('data-begun') === true && (state === 'failed' || isDone);
    },
    { polling: 'raf' },
    sha256(source),
  );
  const took = await page.evaluate(
    () => performance.now() - Number(document.querySelector('.findings')?.getAttribute('data-waiting')),
  );
  const problem = await page.$('[role=alert] .problem');
  if (problem !== null) return { problem: await problem.evaluate((each) => each.textContent ?? ''), took };
  await page.click('[id="tab-format.json"]');
  await page.waitForSelector('[id="tab-format.json"][aria-selected=true]');
  const format = await page.$eval('#made-file pre', (pre) =>
    JSON.stringify(JSON.parse(pre.textContent ?? '')),
  );
  const unwritten = await page.$('.message .problem');
  if (unwritten !== null) {
    return { format, problem: await unwritten.evaluate((each) => each.textContent ?? ''), took };
  }
  const events = await page.$$eval('.events li', (lines) =>
    lines.map((line) => [...line.children].map((part) => part.textContent)),
  );
  const message = await page.$eval('.results .json', (pre) => pre.textContent ?? '');
  return { format, events, message, took };
}

describe('in the page', () => {
  it('every template has its format and its events', { timeout: 1_200_000 }, async () => {
    const templates = (await allTemplates()).filter((_, index) => isLong || index % stride === 0);
    const first = await llamaTemplate('Qwen-Qwen3-0.6B');
    const { page, asked } = await open({ name: 'first', templateSource: first.source });
    await ready(page);
    asked.splice(0);
    const times: number[] = [];
    for (const template of templates) {
      const { took, ...shown } = await show(page, template);
      const { problem, ...rest } = expected(template.source);
      if (problem !== undefined) expect(shown.problem ?? 'nothing is wrong', template.id).toContain(problem);
      else expect(shown.problem, template.id).toBeUndefined();
      expect({ ...shown, problem: undefined }, template.id).toEqual({ ...rest, problem: undefined });
      times.push(took);
    }
    expect(asked.filter((url) => !url.startsWith('blob:'))).toEqual([]);
    if (!isLong) return;
    times.sort((one, other) => one - other);
    const [middle, last] = [times[times.length >> 1], times.at(-1)].map((each) => Math.round(each ?? 0));
    console.log(`${templates.length} templates: median ${middle} ms, at most ${last} ms`);
  });
});
