/** What every page of ours is held to. */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'puppeteer-core';
import type { Screen } from '../support/chromium.ts';

/** Wide and narrow, in both sets of colours. */
export const screens: readonly Screen[] = [1360, 390].flatMap((width) =>
  (['light', 'dark'] as const).map((colours) => ({ width, height: 900, colours })),
);

/** What axe finds serious or critical: rules, and the elements that break them. */
export async function seriousViolations(page: Page): Promise<readonly [string, readonly string[]][]> {
  const source = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(source);
  const { violations } = await page.evaluate(() => {
    const { axe } = globalThis as unknown as { readonly axe: { run(o: RunOptions): Promise<AxeResults> } };
    return axe.run({ resultTypes: ['violations'] });
  });
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))]);
}

/** Pixels that the page is wider than its window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
