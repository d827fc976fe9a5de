/**
 * How long the playground takes to answer on a slow machine: the processes that show the page are stopped for 30 of
 * every 40 ms, so that whatever they do in any thread takes four times as long. (Chromium's own
 * `Emulation.setCPUThrottlingRate` slows down the main thread alone, and the toy is in a Worker.)
 *
 *     npm run build
 *     npx tsx --conditions=idiolect:source bench/page/slow-page.ts [FOLDER of another build, …]
 *
 * Several builds take turns. `RUNS=5` and `STOPPED=0.75` are the defaults; `STOPPED=0` stops nothing. Debian: `chromium`.
 * Times are the clock's; as root, on Linux, the browser runs before all others, so that they lengthen them little.
 * Processor time, in brackets, is that of the page's processes
 * with all their threads, in the hundredths of a second that Chromium tells.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'puppeteer-core';
import { endChromium, launchChromium, newPage } from '../../test/support/chromium.ts';
import { playgroundFolder, servePlayground } from '../../test/support/playground-page.ts';
import { median } from '../processor-time.ts';
import { putFirst, slowDown } from './stop-and-go.ts';

const runs = Number(process.env.RUNS ?? 5);
const share = Number(process.env.STOPPED ?? 0.75);
/** Milliseconds between two answers of the second page: what a page does ahead, it does in these. */
const rest = 6000;

/** What a person changes, by the place of a form's element. */
interface Change {
  readonly selector: string;
  readonly value: string;
}

const tags: Change = { selector: 'select', value: 'tags' };
const channels: Change = { selector: 'select', value: 'channels' };
const question: Change = { selector: '#question', value: 'What is the weather in Rome for 6 days?' };

/** One answer: milliseconds until its first token and its end, and processor time until its end. */
interface Answer {
  readonly first: number;
  readonly whole: number;
  readonly processor: number;
}

/** Runs in each page: tells when the first token of an answer and its end are shown, since it was opened or changed. */
function watchAnswers(): void {
  const page = globalThis as unknown as { asked: number; answered(first: number, whole: number): void };
  page.asked = 0;
  let first: number | null = null;
  let isBusy = true;
  new MutationObserver(() => {
    const state = document.querySelector('.app')?.getAttribute('data-state');
    isBusy ||= state === 'busy';
    if (!isBusy) return;
    const now = performance.now() - page.asked;
    if (document.querySelector('.tokens .token') !== null) first ??= now;
    if (state !== 'ready') return;
    page.answered(first ?? now, now);
    isBusy = false;
    first = null;
  }).observe(document, { subtree: true, childList: true, attributes: true });
}

/** A page of one build, and the answers that it is asked for. */
class Asked {
  /** The processes that show it. */
  readonly pids: readonly number[];
  readonly #page: Page;
  readonly #processes: Processes;
  #answered: (times: Omit<Answer, 'processor'>) => void = () => undefined;

  private constructor(page: Page, processes: Processes, pids: readonly number[]) {
    this.#page = page;
    this.#processes = processes;
    this.pids = pids;
  }

  static async open(browser: Browser, url: string): Promise<Asked> {
    const page = await newPage(browser, { width: 1280, height: 900, colours: 'light' });
    const session = await browser.target().createCDPSession();
    const processes = async () => (await session.send('SystemInfo.getProcessInfo')).processInfo;
    const before = (await processes()).map(({ id }) => id);
    // An address without a page, so that the process of the server's pages is there before it is slowed down.
    await page.goto(`${url}none`);
    isFirst &&= putFirst(
      (await processes()).map(({ id }) => id),
      1,
    );
    const added = (await processes()).filter(({ id, type }) => type === 'renderer' && !before.includes(id));
    const pids = added.map(({ id }) => id);
    const asked = new Asked(page, processes, pids);
    await page.exposeFunction('answered', (first: number, whole: number) =>
      asked.#answered({ first, whole }),
    );
    await page.evaluateOnNewDocument(watchAnswers);
    return asked;
  }

  /** The first answer, since the page was asked for. */
  load(url: string): Promise<Answer> {
    return this.#timed(() => this.#page.goto(url));
  }

  /** The next one, since the change. */
  change({ selector, value }: Change): Promise<Answer> {
    const change = (at: string, wanted: string) => {
      (globalThis as unknown as { asked: number }).asked = performance.now();
      const element = document.querySelector<HTMLInputElement | HTMLSelectElement>(at);
      if (element === null) return;
      element.value = wanted;
      for (const type of ['input', 'change']) element.dispatchEvent(new Event(type, { bubbles: true }));
    };
    return this.#timed(() => this.#page.evaluate(change, selector, value));
  }

  close(): Promise<void> {
    return this.#page.close();
  }

  async #timed(begin: () => Promise<unknown>): Promise<Answer> {
    const before = await this.#processorTime();
    const answered = new Promise<Omit<Answer, 'processor'>>((resolve) => {
      this.#answered = resolve;
    });
    await begin();
    const times = await answered;
    const processor = (await this.#processorTime()) - before;
    if (processor === 0)
      throw new Error('the page was shown by another process than the one that was watched');
    return { ...times, processor };
  }

  async #processorTime(): Promise<number> {
    const shown = (await this.#processes()).filter(({ id }) => this.pids.includes(id));
    return shown.reduce((sum, { cpuTime }) => sum + 1000 * cpuTime, 0);
  }
}

/** All processes of the browser, with seconds of processor time. */
type Processes = () => Promise<
  readonly { readonly id: number; readonly type: string; readonly cpuTime: number }[]
>;

const stoppedFor: number[] = [];
let isFirst = true;

/** Two pages: one is asked again as soon as it has answered, one after a rest. */
async function askBuild(browser: Browser, url: string): Promise<Readonly<Record<string, Answer>>> {
  const answers: Record<string, Answer> = {};
  for (const pause of [0, rest]) {
    const page = await Asked.open(browser, url);
    const slowed = share > 0 ? slowDown(page.pids, share) : null;
    const ask = async (what: string, change: Change | null) => {
      await sleep(change === null ? 0 : pause);
      const name = pause === 0 ? `${what}, at once` : `${what}, after a rest`;
      answers[name] = await (change === null ? page.load(url) : page.change(change));
    };
    await ask('opened: json', null);
    await ask('tags', tags);
    await ask('channels', channels);
    await ask('another question', question);
    if (slowed !== null) stoppedFor.push(await slowed.end());
    await page.close();
  }
  return answers;
}

const folders = [playgroundFolder, ...process.argv.slice(2)];
const answers = new Map(folders.map((folder) => [folder, [] as Readonly<Record<string, Answer>>[]]));
for (let run = 0; run < runs; run += 1) {
  for (const [folder, told] of answers) {
    const browser = await launchChromium();
    const server = await servePlayground(folder);
    try {
      told.push(await askBuild(browser, server.url));
    } finally {
      await endChromium(browser);
      server.close();
    }
  }
}
for (const [folder, told] of answers) {
  console.log(`${folder}: first token, whole answer (processor time), ms, medians of ${runs}`);
  for (const name of Object.keys(told[0] ?? {})) {
    const middle = (key: keyof Answer) =>
      median(told.map((each) => each[name]?.[key] ?? Number.NaN)).toFixed(0);
    console.log(
      `  ${name.padEnd(32)} ${middle('first').padStart(6)} ${middle('whole').padStart(6)} (${middle('processor')})`,
    );
  }
}
console.log(isFirst ? 'before all others of the machine' : 'next to all others of the machine');
if (stoppedFor.length > 0) {
  const [least, most] = [Math.min, Math.max].map((end) => (100 * end(...stoppedFor)).toFixed(0));
  console.log(`stopped for ${least} to ${most} % of the time`);
}
