/** `idiolect inspect --open`: what is served, and to whom. The page itself is tried by `npm run test:browser`. */
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningInspector, serveInspector } from '../../src/cli/inspector.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-inspector-'));
const input = {
  name: "somebody's.jinja",
  templateSource: "{{ '</script><script>alert(1)</script><!--' }} $& $' \u2028",
  bosToken: '<s>',
};
let inspector: RunningInspector;

beforeAll(async () => {
  fs.mkdirSync(path.join(folder, 'assets'));
  fs.writeFileSync(path.join(folder, 'index.html'), '<html><body><div id="page"></div></body></html>');
  fs.writeFileSync(path.join(folder, 'assets/page.js'), 'export {};');
  fs.writeFileSync(path.join(folder, 'unlisted.txt'), 'no part of the page');
  inspector = await serveInspector(input, folder);
});
afterAll(async () => {
  await inspector.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

it('the inspector’s server gives the page the template, whatever is in it', async () => {
  const text = await (await fetch(inspector.url)).text();
  const blocks = [...text.matchAll(/<script type="application\/json" id="given">([^<]*)<\/script>/g)];
  expect(blocks).toHaveLength(1);
  expect(JSON.parse(blocks[0]?.[1] ?? '')).toEqual({ input });
  expect(text.match(/<script/g)).toHaveLength(1);
});

it('the inspector’s server serves the assets of the page, and nothing else', async () => {
  const script = await fetch(`${inspector.url}assets/page.js`);
  expect(script.headers.get('content-type')).toContain('javascript');
  expect(await script.text()).toBe('export {};');
  for (const other of ['unlisted.txt', 'assets/..%2funlisted.txt', 'assets/%2e%2e/unlisted.txt']) {
    expect((await fetch(`${inspector.url}${other}`)).status, other).toBe(404);
  }
});

it('the inspector’s server answers to names of this machine alone', async () => {
  expect(new URL(inspector.url).hostname).toBe('127.0.0.1');
  expect(await statusAs('evil.example')).toBe(403);
  expect(await statusAs(`localhost:${new URL(inspector.url).port}`)).toBe(200);
});

it('the inspector’s server says what to do where the page was not built', async () => {
  await expect(serveInspector(input, path.join(folder, 'nowhere'))).rejects.toThrow(
    /--open: the page is not built.*npm run build/,
  );
});

/** `fetch` does not let anybody choose the name. */
function statusAs(host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = http.get(inspector.url, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject);
  });
}
