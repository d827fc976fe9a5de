/** `idiolect inspect --open`: the inspector page, served to this machine with a template in it. */
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { builtPage, readPage } from './page.ts';

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

/**
 * Serves the page in `folder` at a port that is free. Throws `UnsupportedOptionError` where it was not built. It
 * answers to this machine's names alone: under a name of its own, another page could read the template.
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

/** The template as a data block, which browsers do not run. No text in it can end the block: it has no `<`. */
function withTemplate(page: string, input: InspectedTemplate): string {
  const state = JSON.stringify({ input }).replaceAll('<', '\\u003c');
  const block = `<script type="application/json" id="given">${state}</script>`;
  // A function, because `$&` in a template is not a pattern.
  return page.replace('</body>', () => `${block}</body>`);
}
