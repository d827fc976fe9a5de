/** `idiolect inspect --open`: the inspector page, served to this machine with a template in it. */
import { spawn } from 'node:child_process';
import fs from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { UnsupportedOptionError } from '../format/errors.ts';

/** The template that the page begins with. */
export interface InspectedTemplate {
  readonly name: string;
  readonly templateSource: string;
  readonly bosToken?: string;
  readonly eosToken?: string;
}

/** The page, served. */
export interface RunningInspector {
  /** `http://127.0.0.1:40123/` */
  readonly url: string;
  close(): Promise<void>;
}

/** Where `npm run build` puts the page; the package has it, a clone has to build it. */
function builtPage(): string {
  const root = path.dirname(createRequire(import.meta.url).resolve('idiolect/package.json'));
  return path.join(root, 'dist/inspector');
}

/**
 * Serves the page in `folder` at a port that is free. Throws `UnsupportedOptionError` where it was not built. It
 * answers to this machine's names alone: under a name of its own, another page could read the template.
 */
export async function serveInspector(
  input: InspectedTemplate,
  folder: string = builtPage(),
): Promise<RunningInspector> {
  const page = withTemplate(await readPage(folder), input);
  const app = new Hono();
  app.use(secureHeaders());
  app.use((context, next) => {
    const { hostname } = new URL(context.req.url);
    return ['127.0.0.1', 'localhost'].includes(hostname)
      ? next()
      : Promise.resolve(context.text('This page is for this machine alone.\n', 403));
  });
  app.get('/', (context) => context.html(page));
  app.get('/assets/*', serveStatic({ root: folder }));
  const server = createAdaptorServer({ fetch: app.fetch });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}

async function readPage(folder: string): Promise<string> {
  try {
    return await fs.readFile(path.join(folder, 'index.html'), 'utf8');
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    if (!isMissing) throw cause;
    const reason = `the page is not built, ${folder} has no index.html; in a clone, run: npm run build`;
    throw new UnsupportedOptionError({ option: '--open', reason });
  }
}

/** The template as a data block, which browsers do not run. No text in it can end the block: it has no `<`. */
function withTemplate(page: string, input: InspectedTemplate): string {
  const state = JSON.stringify({ input }).replaceAll('<', '\\u003c');
  const block = `<script type="application/json" id="given">${state}</script>`;
  // A function, because `$&` in a template is no pattern.
  return page.replace('</body>', () => `${block}</body>`);
}

/** Opens a page in the browser of whoever sits here. Where there is no screen, or no browser, nothing happens. */
export function openBrowser(url: string): void {
  const { platform, env } = process;
  const hasScreen = platform !== 'linux' || 'DISPLAY' in env || 'WAYLAND_DISPLAY' in env;
  if (!hasScreen || 'CI' in env) return;
  const commands = new Map([
    ['darwin', ['open', url]],
    ['win32', ['cmd', '/c', 'start', '', url]],
  ]);
  const [command = 'xdg-open', ...args] = commands.get(platform) ?? ['xdg-open', url];
  const browser = spawn(command, args, { stdio: 'ignore', detached: true });
  browser.on('error', () => undefined);
  browser.unref();
}
