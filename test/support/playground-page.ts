/** The playground, as `npm run build` made it, on a server of its own. */
import fs from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

/** The folder of its files. */
export const playgroundFolder = path.join(import.meta.dirname, '../../dist/playground');

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

/** Serves the files of a playground, this one's unless another is given; nothing else is there. */
export async function servePlayground(
  folder = playgroundFolder,
): Promise<{ readonly url: string; close(): void }> {
  const names = await fs.readdir(folder, { recursive: true });
  const server = createServer(async ({ url = '/' }, response) => {
    const name = url === '/' ? 'index.html' : url.slice(1);
    if (!names.includes(name)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': types[path.extname(name)] ?? 'text/plain' });
    response.end(await fs.readFile(path.join(folder, name)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => void server.close() };
}
