/** The inspector in Chromium, as `npm run build` made it. */
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type InspectedTemplate, type RunningInspector, serveInspector } from '../../src/cli/inspector.ts';
import { endChromium, launchChromium, newPage, type Screen } from './chromium.ts';

const desktop: Screen = { width: 1360, height: 900, colours: 'light' };

/** A page with a template in it. */
export interface OpenInspector {
  readonly page: Page;
  /** Addresses that the page asked for, and its errors. */
  readonly asked: string[];
  readonly server: RunningInspector;
}

/** For a whole file of tests: one browser, and how to open the inspector in it. Pages are closed after each test. */
export function inspectorPages(): (input: InspectedTemplate, screen?: Screen) => Promise<OpenInspector> {
  let browser: Browser;
  const closing: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => endChromium(browser));
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
  return async (input, screen = desktop) => {
    const server = await serveInspector(input);
    const page = await newPage(browser, screen);
    closing.push(() => page.close(), server.close);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('pageerror', (error) => asked.push(`an error of the page: ${String(error)}`));
    await page.goto(server.url);
    return { page, asked, server };
  };
}

/** Until the analysis is there, and the live parse has read all that is written. */
export async function ready(page: Page): Promise<void> {
  await page.waitForSelector('.app[data-state=ready], .app[data-state=failed]');
  const problem = await page.$('[role=alert] .problem');
  const reason = await problem?.evaluate((element) => element.textContent);
  if (reason?.includes('given up after')) {
    // The page's own limit, on a machine that is busy: no word on what is tried here.
    await page.reload();
    return ready(page);
  }
  expect(reason).toBeUndefined();
  await page.waitForSelector('.live[data-ready=true]');
  await page.waitForSelector('[role=tab]');
}
