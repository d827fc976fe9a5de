/** Debian's Chromium without a window, and pages of it that give up instead of hanging. */
import { type Browser, launch, type Page } from 'puppeteer-core';

/** Milliseconds that any single call of the browser may take, on a machine that is busy. */
const longestCall = 120_000;

/** `CHROMIUM` names another executable than `/usr/bin/chromium`. It ends with this process at the latest. */
export function launchChromium(): Promise<Browser> {
  return launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    // A browser whose pipe is broken ends by itself.
    pipe: true,
    timeout: longestCall,
    protocolTimeout: longestCall,
    // Its sandbox does not run as root, nor in most containers; it opens only pages of this repository.
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-extensions'],
  });
}

/** How a page is shown. */
export interface Screen {
  readonly width: number;
  readonly height: number;
  readonly colours: 'light' | 'dark';
}

/** A new page of this size and these colours. */
export async function newPage(browser: Browser, { width, height, colours }: Screen): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(longestCall);
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: colours }]);
  return page;
}

/** Ends the browser, by force where it does not do so by itself. */
export async function endChromium(browser: Browser): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, 10_000);
  });
  await Promise.race([browser.close(), late]);
  clearTimeout(timer);
  browser.process()?.kill('SIGKILL');
}
