/**
 * `npm run screenshots`, after `npm run build`: docs/inspector.png, the inspector in Chromium, and docs/demo.svg, what
 * `npm run demo` writes to a terminal. With `inspector` or `demo` only that one.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { serveInspector } from '../src/cli/inspector.ts';
import { endChromium, launchChromium, newPage } from '../test/support/chromium.ts';
import { llamaTemplate } from '../test/support/corpora.ts';
import { drawTerminal } from './terminal-picture.ts';

const root = path.join(import.meta.dirname, '..');

/** A picture of the first screen takes no longer to load than the page that it is on. */
const mostBytes = 300_000;

async function drawInspector(): Promise<void> {
  const { source } = await llamaTemplate('Qwen-Qwen3-0.6B');
  const server = await serveInspector({ name: 'Qwen3', templateSource: source });
  const browser = await launchChromium();
  try {
    const page = await newPage(browser, { width: 1280, height: 1040, colours: 'light' });
    await page.goto(server.url);
    await page.waitForSelector('.app[data-state=ready]');
    await page.waitForSelector('.live[data-ready=true] .cm-content .span');
    const picture = await page.screenshot();
    if (picture.length > mostBytes) throw new Error(`the picture has ${picture.length} bytes`);
    await fs.writeFile(path.join(root, 'docs/inspector.png'), picture);
  } finally {
    await endChromium(browser);
    await server.close();
  }
}

async function drawDemo(): Promise<void> {
  const output = execFileSync('npm', ['run', '--silent', 'demo'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, FORCE_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await fs.writeFile(path.join(root, 'docs/demo.svg'), drawTerminal('npm run demo', output));
}

const wanted = process.argv.slice(2);
if (wanted.length === 0 || wanted.includes('inspector')) await drawInspector();
if (wanted.length === 0 || wanted.includes('demo')) await drawDemo();
