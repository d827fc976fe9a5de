/** Serves files of a page from memory. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
};

/** A server of files, by their paths. */
export interface FileServer {
  readonly url: string;
  close(): void;
}

/** Serves these files, and `/index.html`, which runs `/page.js`. */
export async function serveFiles(files: ReadonlyMap<string, string | Uint8Array>): Promise<FileServer> {
  const page = '<!doctype html><script type="module" src="/page.js"></script>';
  const server: Server = createServer((request, response) => {
    const name = new URL(request.url ?? '', 'http://page').pathname;
    const content = name === '/index.html' ? page : files.get(name);
    response.writeHead(content === undefined ? 404 : 200, {
      'content-type': types[path.extname(name)] ?? 'application/octet-stream',
      'content-length': content === undefined ? 0 : Buffer.byteLength(content),
    });
    response.end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}
