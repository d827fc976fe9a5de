/** `idiolect inspect --open`: serves the inspector page with a template on this machine. */
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { builtPage, readPage } from './page.ts';

/** The template that the page shows first. */
export interface InspectedTemplate {
  readonly name: string;
  readonly templateSource: string;
  readonly bosToken?: string;
  readonly eosToken?: string;
  readonly addedTokens?: readonly string[];
  readonly endTokens?: readonly string[];
}

/** The served page. */
export interface RunningInspector {
  /** `http://127.0.0.1:40123/` */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves the page in `folder` on a free port. Throws `UnsupportedOptionError` if it was not built. Answers only to
 * this machine's names, because a page with another name could otherwise read the template.
 */
export async function serveInspector(
  input: InspectedTemplate,
  folder: string = builtPage('inspector'),
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

/**
 * The template as a data block, which browsers do not execute. It contains no `<`, so nothing in it can end the block.
 */
function withTemplate(page: string, input: InspectedTemplate): string {
  const state = JSON.stringify({ input }).replaceAll('<', '\\u003c');
  const block = `<script type="application/json" id="given">${state}</script>`;
  // A function, because `$&` in a template would be a pattern.
  return page.replace('</body>', () => `${block}</body>`);
}
