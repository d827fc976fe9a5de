import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ModelFileError } from '../../src/format/errors.ts';
import { readGgufHeader } from '../../src/hub/gguf/gguf-header.ts';
import { effectiveTemplate } from '../../src/hub/gguf/read-header.ts';
import { type ModelFile, modelFile } from './model-file.ts';

let folder = '';
let count = 0;

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-header-'));
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

function write(bytes: Uint8Array): string {
  const file = path.join(folder, `${count++}.gguf`);
  fs.writeFileSync(file, bytes);
  return file;
}

/** A `fetch` over bytes in memory that answers ranges, and counts what it sent. */
function rangeServer(bytes: Uint8Array, total = bytes.length) {
  const sent = { bytes: 0 };
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const match = /bytes=(\d+)-(\d+)/.exec(new Headers(init?.headers).get('range') ?? '');
    const start = Number(match?.[1]);
    const end = Math.min(Number(match?.[2]), total - 1);
    const body = new Uint8Array(end - start + 1);
    body.set(bytes.subarray(start, end + 1));
    sent.bytes += body.length;
    return new Response(body, {
      status: 206,
      headers: { 'content-range': `bytes ${start}-${end}/${total}` },
    });
  };
  return { fetch, sent };
}

const templates = fc.record({
  default: fc.option(fc.string({ unit: 'grapheme', maxLength: 2000 })),
  toolUse: fc.option(fc.string({ unit: 'grapheme', maxLength: 2000 })),
});

function withTemplates(found: { default: string | null; toolUse: string | null }): ModelFile {
  return {
    metadata: {
      ...(found.default === null ? {} : { 'tokenizer.chat_template': found.default }),
      'tokenizer.ggml.tokens': ['a', 'b', '<s>'],
      ...(found.toolUse === null ? {} : { 'tokenizer.chat_template.tool_use': found.toolUse }),
      'tokenizer.ggml.bos_token_id': 2,
    },
  };
}

describe('laws', () => {
  test('what a file holds is what its header says, local and remote alike', async () => {
    await fc.assert(
      fc.asyncProperty(templates, fc.nat(3000), async (found, weights) => {
        const bytes = modelFile({ ...withTemplates(found), weights: new Uint8Array(weights + 1) });
        const local = await readGgufHeader(write(bytes));
        const remote = await readGgufHeader('https://hub.test/m.gguf?signature=1', {
          fetch: rangeServer(bytes).fetch,
        });
        expect(local).toMatchObject({ templates: found, parameterCount: weights + 1, size: bytes.length });
        expect(local).toMatchObject({ architecture: 'llama', specialTokens: { bos: '<s>', eos: null } });
        expect(remote).toEqual({ ...local, file: 'https://hub.test/m.gguf' });
      }),
      { numRuns: 60 },
    );
  });

  test('a file cut anywhere is refused', async () => {
    const bytes = modelFile(withTemplates({ default: 'x'.repeat(300), toolUse: 'y'.repeat(300) }));
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 65), async (length) => {
        const cut = bytes.subarray(0, length);
        await expect(readGgufHeader(write(cut))).rejects.toBeInstanceOf(ModelFileError);
      }),
      { numRuns: 200 },
    );
  });

  test('bytes changed at random are read or refused with a typed error, never worse', async () => {
    const bytes = modelFile(withTemplates({ default: 'template', toolUse: null }));
    const change = fc.tuple(fc.nat(bytes.length - 1), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
        const changed = Buffer.from(bytes);
        for (const [at, value] of changes) changed[at] = value;
        const answer = await readGgufHeader(write(changed)).catch((error: unknown) => error);
        if (answer instanceof Error) expect(answer).toBeInstanceOf(ModelFileError);
      }),
      { numRuns: process.env.LAWS === 'long' ? 5000 : 80 },
    );
  });
});

describe('refused, saying why', () => {
  test.each([
    ['a web page', Buffer.from('<!DOCTYPE html><html><body>Sign in</body></html>'), /web page/],
    ['a page after a mark of its bytes', Buffer.from('\ufeff \n<html>Sign in</html>'), /web page/],
    ['an empty file', Buffer.alloc(0), /is empty.*fetch it again/],
    ['noise', Buffer.concat([Buffer.from([9, 0, 0, 0]), Buffer.alloc(100)]), /not a GGUF model$/],
    ['safetensors', Buffer.from('\u0042\0\0\0\0\0\0\0{"weight":{}}'), /safetensors.*convert/],
    ['a chat template', Buffer.from('<s>{% for m in messages %}'), /is a chat template.*chatTemplate/],
    ['what a server said', Buffer.from('{"error":"{{ no }}"}'), /is JSON/],
    ['a pointer', Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:0'), /git lfs pull/],
    ['a model from before GGUF', Buffer.from('tjgg\u0003\0\0\0'), /before GGUF/],
    ['weights of PyTorch', Buffer.from('PK\u0003\u0004'), /archive/],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0]), /archive/],
    [
      'a header cut off',
      modelFile().subarray(0, 100),
      /is truncated: it ends after 100 bytes, within its header.*fetch it again/,
    ],
    ['too many tensors', modelFile({ declaredTensors: 2n ** 60n }), /declares 1152921504606846976 tensors/],
    ['too many entries', modelFile({ declaredEntries: 2n ** 63n }), /metadata entries/],
    ['more entries than it holds', modelFile({ declaredEntries: 19_999n }), /./],
    ['an unknown version', modelFile({ version: 9 }), /version/],
    ['a key twice', modelFile({ moreMetadata: [['general.architecture', 'evil']] }), /twice/],
    ['a key that would change prototypes', modelFile({ moreMetadata: [['__proto__', ['x']]] }), /not a name/],
    [
      'weights cut off',
      modelFile({ weights: new Uint8Array(64) }).subarray(0, -64),
      /ends after the file.*fetch it again/,
    ],
    [
      'an absurd template',
      modelFile({ metadata: { 'tokenizer.chat_template': 'x'.repeat(450_000) } }),
      /longer/,
    ],
  ])('%s', async (_name, bytes, reason) => {
    await expect(readGgufHeader(write(bytes))).rejects.toThrow(reason);
    await expect(readGgufHeader(write(bytes))).rejects.toBeInstanceOf(ModelFileError);
  });

  test('a missing file and a folder', async () => {
    await expect(readGgufHeader(path.join(folder, 'none.gguf'))).rejects.toThrow(/does not exist/);
    await expect(readGgufHeader(folder)).rejects.toThrow(/not a regular file/);
  });

  test('a connection that breaks is tried again', async () => {
    const server = rangeServer(modelFile());
    let breaks = 2;
    const fetch = async (url: unknown, init?: RequestInit): Promise<Response> => {
      const whole = await server.fetch(url, init);
      if (breaks-- <= 0) return whole;
      const { status, headers } = whole;
      return new Response((await whole.arrayBuffer()).slice(0, 10), { status, headers });
    };
    const header = await readGgufHeader('https://hub.test/m', { fetch });
    expect(header.architecture).toBe('llama');
  });

  test('a server that knows no ranges, or sends less than it says', async () => {
    const whole = async () => new Response(modelFile(), { status: 200 });
    await expect(readGgufHeader('https://hub.test/m', { fetch: whole })).rejects.toThrow(/whole file/);
    const short = async () =>
      new Response('GGUF', { status: 206, headers: { 'content-range': 'bytes 0-1999999/3000000' } });
    await expect(readGgufHeader('https://hub.test/m', { fetch: short })).rejects.toThrow(/less/);
  });
});

test('a 40 GB file is judged by its header alone', async () => {
  const vocabulary = Array.from({ length: 300_000 }, (_, index) => `token number ${index}`);
  const bytes = modelFile({
    metadata: { 'tokenizer.ggml.tokens': vocabulary, 'tokenizer.chat_template': 't' },
  });
  const server = rangeServer(bytes, 40e9);
  const header = await readGgufHeader('https://hub.test/big.gguf', { fetch: server.fetch });
  expect(header).toMatchObject({ size: 40e9, templates: { default: 't' }, bytesRead: server.sent.bytes });
  expect(server.sent.bytes).toBeLessThan(32e6);
});

test('a header without end is given up within 32 MB', async () => {
  const server = rangeServer(modelFile({ declaredEntries: 20_000n, weights: null }), 40e9);
  await expect(readGgufHeader('https://hub.test/big.gguf', { fetch: server.fetch })).rejects.toBeInstanceOf(
    ModelFileError,
  );
  const endless = modelFile({ metadata: { text: 'x'.repeat(31_000_000) } });
  const second = rangeServer(endless, 40e9);
  await expect(readGgufHeader('https://hub.test/big.gguf', { fetch: second.fetch })).rejects.toBeInstanceOf(
    ModelFileError,
  );
  expect(Math.max(server.sent.bytes, second.sent.bytes)).toBeLessThan(32e6);
});

test('the tool_use template is the one that counts where there are tools', () => {
  expect(effectiveTemplate({ default: 'a', toolUse: 'b' })).toEqual({ name: 'tool_use', source: 'b' });
  expect(effectiveTemplate({ default: 'a', toolUse: null })).toEqual({ name: 'default', source: 'a' });
  expect(effectiveTemplate({ default: null, toolUse: null })).toBeNull();
});

test('the tokens that were added, and those at which generation ends, are in the header', async () => {
  const names = fc.uniqueArray(fc.string({ unit: 'grapheme', minLength: 1 }), {
    minLength: 3,
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(names, fc.infiniteStream(fc.constantFrom(1, 2, 3, 4, 6)), async (tokens, kinds) => {
      const types = tokens.map(() => kinds.next().value);
      const metadata = {
        'tokenizer.ggml.tokens': tokens,
        'tokenizer.ggml.token_type': types,
        'tokenizer.ggml.eos_token_id': 0,
        'tokenizer.ggml.eot_token_id': 2,
      };
      const { addedTokens, endTokens } = await readGgufHeader(write(modelFile({ metadata })));
      expect(addedTokens).toEqual(tokens.filter((_, index) => types[index] === 3 || types[index] === 4));
      expect(endTokens).toEqual([tokens[0], tokens[2]]);
    }),
    { numRuns: 30 },
  );
});
