/**
 * `idiolect/transformers` in Chromium: the toy as ONNX in WebAssembly, through the package at `IDIOLECT_TRANSFORMERS`,
 * does what it does in plain JavaScript.
 */
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectEngine } from '../../src/runtime/engine/index.ts';
import { FileEngine, loadFile } from '../../src/testing/evaluator/file-engine.ts';
import { type ToyFormat, toyModel } from '../../src/testing/index.ts';
import { toyTemplates } from '../../src/testing/toy/templates.ts';
import { asked, tools } from '../support/chat-modes.ts';
import { endChromium, launchChromium, newPage } from '../support/chromium.ts';
import { type FileServer, serveFiles } from '../support/file-server.ts';
import { filesOf } from '../support/transformers/model-files.ts';
import { onnxModel } from '../support/transformers/onnx-model.ts';

const root = path.join(import.meta.dirname, '../..');
const installed = process.env.IDIOLECT_TRANSFORMERS ?? '';
const contextSize = 1024;

const script = `
import * as transformers from 'transformers';
import { loadModel } from './src/transformers/index.ts';
const { env } = transformers;
Object.assign(env, { allowRemoteModels: false, allowLocalModels: true, localModelPath: '/models/', useBrowserCache: false });
Object.assign(env.backends.onnx.wasm, { wasmPaths: '/wasm/', numThreads: 1 });
globalThis.answers = async (format, requests) => {
  const model = await loadModel(format, { transformers, device: 'wasm', dtype: 'fp32', contextSize: ${contextSize} });
  const messages = [];
  for (const request of requests) messages.push(await model.chat(request).message);
  await model.dispose();
  return messages;
};
globalThis.ready = true;
`;

/** The page's script, as a bundler makes it. */
async function bundled(): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: { contents: script, loader: 'ts', resolveDir: root },
    ...{ bundle: true, write: false, format: 'esm', platform: 'browser', target: 'es2023', outdir: 'page' },
    conditions: ['idiolect:source'],
    alias: { transformers: path.join(installed, 'dist/transformers.web.js') },
    nodePaths: [path.join(installed, '../..')],
    external: ['@huggingface/transformers'],
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

/** Serves the page, the toy in each format, and the engine. */
async function served(): Promise<FileServer> {
  const files = new Map<string, string | Uint8Array>([['/page.js', await bundled()]]);
  for (const format of Object.keys(toyTemplates) as ToyFormat[]) {
    const file = loadFile(await toyModel(format));
    files.set(`/models/${format}/onnx/model.onnx`, onnxModel(file.weights));
    for (const [name, content] of Object.entries(filesOf(file)))
      files.set(`/models/${format}/${name}`, JSON.stringify(content));
  }
  const wasm = path.join(installed, '../../onnxruntime-web/dist');
  for (const name of fs.readdirSync(wasm).filter((each) => /^ort-wasm.*\.(?:mjs|wasm)$/.test(each)))
    files.set(`/wasm/${name}`, fs.readFileSync(path.join(wasm, name)));
  return serveFiles(files);
}

describe.skipIf(installed === '')('in Chromium', () => {
  let browser: Browser;
  let server: FileServer;

  beforeAll(async () => {
    browser = await launchChromium();
    server = await served();
  });
  afterAll(async () => {
    await endChromium(browser);
    server.close();
  });

  it.each(Object.keys(toyTemplates) as ToyFormat[])('the toy writes the same: %s', async (format) => {
    const requests = asked.flatMap((content) =>
      (['auto', 'required'] as const).map((toolChoice) => ({
        messages: [{ role: 'user', content }] as const,
        ...{ tools, toolChoice, maxTokens: 120 },
      })),
    );
    const page = await newPage(browser, { width: 800, height: 600, colours: 'light' });
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.goto(`${server.url}/index.html`);
    await page.waitForFunction('globalThis.ready === true');
    const answers = await page.evaluate(`answers(${JSON.stringify(format)}, ${JSON.stringify(requests)})`);
    expect(errors).toEqual([]);
    const own = await connectEngine(new FileEngine(loadFile(await toyModel(format)), { contextSize }));
    const expected: unknown[] = [];
    for (const request of requests) expected.push(await own.chat(request).message);
    expect(answers).toEqual(JSON.parse(JSON.stringify(expected)));
    await page.close();
  });
});
