import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ModelFileError, ToolsUnsupportedError } from '../../src/format/errors.ts';
import * as errors from '../../src/hub/errors.ts';
import type { PullEvent } from '../../src/hub/pull-model.ts';
import { type Fault, fakeCommit, type SeenRequest } from '../support/fake-hub.ts';
import { startFixture, toolModel, toolTemplate } from './hub-fixture.ts';
import { modelFile } from './model-file.ts';

const model = toolModel(300_000);
const one = { 'org/model': { files: { 'README.md': Buffer.from('x'), 'model-Q4_K_M.gguf': model } } };

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

describe('a model is fetched', () => {
  test('byte for byte, under its own name, in the layout that other tools share', async () => {
    const { pull, cachedFiles, cache } = await startFixture({ repositories: one });
    const { files } = await pull('org/model');
    const folder = path.join(cache, 'models--org--model');
    expect(files).toEqual([path.join(folder, 'snapshots', fakeCommit, 'model-Q4_K_M.gguf')]);
    expect(fs.readFileSync(files[0]).equals(model)).toBe(true);
    expect(fs.readFileSync(path.join(folder, 'refs', 'main'), 'utf8')).toBe(fakeCommit);
    expect(fs.realpathSync(files[0])).toBe(path.join(folder, 'blobs', sha256(model)));
    expect(cachedFiles()).toHaveLength(4);
  });

  test('once: a second pull asks the Hub and fetches no bytes but the header', async () => {
    const { pull, hub } = await startFixture({ repositories: one });
    const first = await pull('org/model');
    hub.requests.length = 0;
    expect((await pull('org/model')).files).toEqual(first.files);
    expect(hub.requests.filter(({ host }) => host === 'cdn')).toHaveLength(1);
  });

  test('with all its shards, of one quantisation, from a paged listing, by revision', async () => {
    const shards = [0, 1, 2].map((seed) => toolModel(70_000, seed + 1));
    const names = [1, 2, 3].map((number) => `Q8_0/m-Q8_0-0000${number}-of-00003.gguf`);
    const files = Object.fromEntries(names.map((name, index) => [name, shards[index] ?? model]));
    const repositories = {
      'org/model': { files: { ...files, 'm-Q4_K_M.gguf': model }, revisions: ['v1.0'] },
    };
    const { pull, hub } = await startFixture({ repositories, pageSize: 2 });
    const pulled = await pull('org/model@v1.0:q8_0');
    expect(pulled.files.map((file) => path.basename(file))).toEqual(names.map((name) => path.basename(name)));
    for (const [index, file] of pulled.files.entries()) {
      expect(sha256(fs.readFileSync(file))).toBe(sha256(shards[index] ?? model));
    }
    expect(pulled.card).toMatchObject({ shards: 3, parameterCount: 210_000, quantization: 'Q8_0' });
    expect(hub.requests.some(({ path: url }) => url.includes('cursor='))).toBe(true);
  });

  test('that git itself keeps, verified by its object id', async () => {
    const repositories = { 'org/model': { files: { 'm.gguf': model }, inGit: ['m.gguf'] } };
    const { pull } = await startFixture({ repositories });
    expect(fs.readFileSync((await pull('org/model')).files[0]).equals(model)).toBe(true);
  });

  test('saying what happens: what was chosen, what else there was, every byte', async () => {
    const repositories = {
      'org/model': { files: { 'm-Q4_K_M.gguf': model, 'm-Q8_0.gguf': model, 'mmproj-F16.gguf': model } },
    };
    const { pull } = await startFixture({ repositories });
    const events: PullEvent[] = [];
    await pull('org/model', { onEvent: (event) => events.push(event) });
    const [resolved, inspected, ...rest] = events;
    expect(resolved).toMatchObject({
      type: 'resolved',
      resolved: { choice: { passedOver: ['mmproj-F16.gguf'] } },
    });
    expect(resolved).toMatchObject({ resolved: { choice: { others: [{ name: 'm-Q8_0.gguf' }] } } });
    expect(inspected).toMatchObject({ type: 'inspected', card: { supportsTools: true } });
    const steps = rest.flatMap((event) => (event.type === 'file' ? [event.step] : []));
    const bytes = (type: string): number =>
      steps.reduce((sum, step) => sum + (step.type === type && 'bytes' in step ? step.bytes : 0), 0);
    expect(bytes('received')).toBe(model.length);
    expect(bytes('verified')).toBe(model.length);
  });
});

describe('a broken line', () => {
  test('every fault that passes is survived, and ends with the right bytes', async () => {
    const passing: fc.Arbitrary<Fault> = fc.oneof(
      fc.record({ type: fc.constant('cut' as const), after: fc.nat(70_000) }),
      fc.record({ type: fc.constant('short' as const), by: fc.integer({ min: 1, max: 60_000 }) }),
      fc.constant({ type: 'html' as const }),
      fc.constant({ type: 'whole' as const }),
      fc.record({ type: fc.constant('status' as const), status: fc.constantFrom(403, 404, 410, 500, 503) }),
      fc.constant({ type: 'status' as const, status: 429, headers: { 'retry-after': '0' } }),
    );
    // As many in a row as are forgiven.
    const faults = fc.array(fc.option(passing, { nil: undefined, freq: 2 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(faults, async (planned) => {
        const fixture = await startFixture({ repositories: one });
        const queue = [...planned];
        // After the first answer, the header: what happens to the bytes is the subject here.
        fixture.hub.fault = ({ host }) =>
          host === 'cdn' && fixture.hub.requests.length > 4 ? queue.shift() : undefined;
        const { files } = await fixture.pull('org/model', { connections: 3, retryMs: 1 });
        expect(fs.readFileSync(files[0]).equals(model)).toBe(true);
      }),
      { numRuns: process.env.LAWS === 'long' ? 300 : 20 },
    );
  });

  test('a Hub that is briefly out of order is asked again, also for the header', async () => {
    const { pull, hub } = await startFixture({ repositories: one });
    const asked = new Set<string>();
    hub.fault = ({ host, path: url }) => {
      const kind = /\/(revision|tree|resolve)\//.exec(url)?.[1] ?? host;
      const first = !asked.has(kind);
      asked.add(kind);
      return first ? { type: 'status', status: 502 } : undefined;
    };
    expect((await pull('org/model')).files).toHaveLength(1);
    expect([...asked].sort()).toEqual(['cdn', 'resolve', 'revision', 'tree']);
  });

  test('a stalled connection is given up and tried again, from the byte that came last', async () => {
    const { pull, hub } = await startFixture({ repositories: one });
    const stalled: number[] = [];
    hub.fault = ({ host, range }) => {
      if (host !== 'cdn' || range === null || range.start < 65_536 || stalled.length === 2) return undefined;
      stalled.push(range.start);
      return { type: 'stall', after: 1000 };
    };
    const { files } = await pull('org/model', { stallMs: 300 });
    expect(fs.readFileSync(files[0]).equals(model)).toBe(true);
    expect(stalled).toHaveLength(2);
    const starts = hub.requests.flatMap(({ host, range }) => (host === 'cdn' && range ? [range.start] : []));
    for (const start of stalled) expect(starts).toContain(start + 1000);
  });

  test('addresses that expire are asked for again, and not before', async () => {
    const { pull, hub } = await startFixture({ repositories: one, addressUses: 2 });
    await pull('org/model', { connections: 1 });
    const asked = hub.requests.filter(({ path: url }) => url.includes('/resolve/'));
    expect(asked.length).toBeGreaterThan(2);
    expect(asked.length).toBeLessThan(7);
  });

  test('what is done is not fetched again after giving up', async () => {
    const { pull, hub } = await startFixture({ repositories: one });
    hub.fault = ({ range }) => ((range?.start ?? 0) >= 131_072 ? { type: 'status', status: 503 } : undefined);
    await expect(pull('org/model', { connections: 1 })).rejects.toBeInstanceOf(
      errors.DownloadInterruptedError,
    );
    hub.requests.length = 0;
    hub.fault = () => undefined;
    await pull('org/model', { connections: 1 });
    const fetched = hub.requests.filter(({ host }) => host === 'cdn').slice(1);
    expect(Math.min(...fetched.map(({ range }) => range?.start ?? 0))).toBe(131_072);
  });

  test('an abort stops at once, during the look and during the download, which goes on later', async () => {
    const { pull, hub, cachedFiles } = await startFixture({ repositories: one, speed: 30_000 });
    const looking = AbortSignal.timeout(100);
    await expect(pull('org/model', { signal: looking })).rejects.toThrow(/abort/i);
    hub.speed = Number.POSITIVE_INFINITY;
    const controller = new AbortController();
    const onEvent = (event: PullEvent): void => {
      if (event.type === 'inspected') {
        hub.speed = 10_000;
        hub.requests.length = 0;
      }
      if (event.type === 'file' && event.step.type === 'received') controller.abort();
    };
    await expect(pull('org/model', { signal: controller.signal, onEvent })).rejects.toThrow(/abort/i);
    const sent = hub.requests.filter(isData).reduce((sum, request) => sum + request.sent, 0);
    expect(sent).toBeLessThan(model.length);
    expect(cachedFiles().filter((file) => /\.claim$|snapshots/.test(file))).toEqual([]);
    hub.speed = Number.POSITIVE_INFINITY;
    expect(fs.readFileSync((await pull('org/model')).files[0]).equals(model)).toBe(true);
  });
});

/** Requests that carry bytes of models. */
const isData = ({ host, range }: SeenRequest): boolean => host === 'cdn' && range !== null;

describe('refused, with nothing under the final name', () => {
  test.each<[string, Fault]>([
    ['a web page instead of the model', { type: 'html' }],
    ['a server that ignores ranges', { type: 'whole' }],
    ['a body that is always short', { type: 'short', by: 10 }],
    ['a connection that is always cut at once', { type: 'cut', after: 0 }],
  ])('%s', async (_name, fault) => {
    const { pull, hub, cachedFiles } = await startFixture({ repositories: one });
    let headers = 1;
    hub.fault = (request) => (isData(request) && headers-- <= 0 ? fault : undefined);
    await expect(pull('org/model')).rejects.toBeInstanceOf(errors.DownloadInterruptedError);
    expect(cachedFiles().filter((file) => file.includes('/snapshots/'))).toEqual([]);
    headers = 0;
    await expect(pull('org/model')).rejects.toThrow();
    expect(cachedFiles().filter((file) => /snapshots|blobs\/[0-9a-f]{64}$/.test(file))).toEqual([]);
  });

  test('a wrong byte anywhere; the file is quarantined with its reason and fetched anew', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(model.length - 1), async (at) => {
        const { pull, hub, cachedFiles, cache } = await startFixture({ repositories: one });
        let headers = 1;
        hub.fault = (request) => (isData(request) && headers-- <= 0 ? { type: 'corrupt', at } : undefined);
        const error = await pull('org/model').catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(errors.ChecksumMismatchError);
        const files = cachedFiles();
        expect(files.filter((file) => !file.includes('/quarantine/'))).toEqual([]);
        const note = files.find((file) => file.endsWith('.json')) ?? '';
        expect(JSON.parse(fs.readFileSync(path.join(cache, note), 'utf8'))).toMatchObject({
          file: 'model-Q4_K_M.gguf',
          expected: sha256(model),
        });
        hub.fault = () => undefined;
        expect(fs.readFileSync((await pull('org/model')).files[0]).equals(model)).toBe(true);
      }),
      { numRuns: 6 },
    );
  });

  test('a swapped shard', async () => {
    const [a, b] = [toolModel(70_000, 1), toolModel(70_000, 2)];
    const names = ['m-00001-of-00002.gguf', 'm-00002-of-00002.gguf'] as const;
    const repositories = {
      'org/model': {
        files: { [names[0]]: b, [names[1]]: a },
        statedSha256: { [names[0]]: sha256(a), [names[1]]: sha256(b) },
      },
    };
    const { pull, cachedFiles } = await startFixture({ repositories });
    await expect(pull('org/model')).rejects.toBeInstanceOf(errors.ChecksumMismatchError);
    expect(cachedFiles().filter((file) => file.includes('/snapshots/'))).toEqual([]);
  });

  test.each([
    '../../evil.gguf',
    'a/../../evil.gguf',
    '/etc/evil.gguf',
    'C:\\evil.gguf',
    'C:evil.gguf',
    'a\\..\\evil.gguf',
    'nul/evil.gguf',
    'a//evil.gguf',
    './evil.gguf',
    'line\nbreak.gguf',
    'dots.../evil.gguf',
  ])('a file called %j', async (name) => {
    const { pull, hub, cachedFiles } = await startFixture({
      repositories: { 'org/model': { files: { [name]: model } } },
    });
    await expect(pull('org/model')).rejects.toBeInstanceOf(errors.UnsafeFileNameError);
    expect(hub.requests.filter(isData)).toEqual([]);
    expect(cachedFiles()).toEqual([]);
  });

  test('a file of another size than the Hub says', async () => {
    const { pull, hub } = await startFixture({ repositories: one });
    const listed = JSON.stringify([
      { type: 'file', path: 'm.gguf', size: 9e9, oid: '', lfs: { oid: sha256(model), size: 9e9 } },
    ]);
    hub.fault = ({ path: url }) => (url.includes('/tree/') ? { type: 'body', body: listed } : undefined);
    hub.repositories = { 'org/model': { files: { 'm.gguf': model } } };
    await expect(pull('org/model')).rejects.toThrow(/promised/);
  });

  test('a file without a hash', async () => {
    const { pull, hub } = await startFixture({ repositories: one });
    const listed = JSON.stringify([{ type: 'file', path: 'm.gguf', size: model.length, lfs: { oid: 'x' } }]);
    hub.fault = ({ path: url }) => (url.includes('/tree/') ? { type: 'body', body: listed } : undefined);
    await expect(pull('org/model')).rejects.toBeInstanceOf(errors.UnverifiableFileError);
  });

  test('more than the disk holds, before a byte is fetched', async () => {
    const repositories = { 'org/model': { files: { 'm.gguf': { head: toolModel(64), size: 4e14 } } } };
    const { pull, hub } = await startFixture({ repositories });
    await expect(pull('org/model')).rejects.toBeInstanceOf(errors.DiskFullError);
    expect(hub.requests.filter(isData)).toHaveLength(1);
  });
});

describe('looked at first', () => {
  test('40 GB are refused for want of tools after less than 32 MB', async () => {
    const head = modelFile({ metadata: { 'tokenizer.chat_template': 'chat only' } });
    const repositories = { 'org/model': { files: { 'm.gguf': { head, size: 40e9 } } } };
    const { pull, hub, cachedFiles } = await startFixture({ repositories });
    const error = await pull('org/model').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ToolsUnsupportedError);
    expect(error).toMatchObject({ template: 'default', capabilities: { supportsTools: false } });
    expect(hub.requests.reduce((sum, { sent }) => sum + sent, 0)).toBeLessThan(32e6);
    expect(cachedFiles()).toEqual([]);
  });

  test('the tool_use template decides, which the model info hides; without tools only when asked', async () => {
    const files = (metadata: Record<string, string>) => ({ 'm.gguf': modelFile({ metadata }) });
    const repositories = {
      'org/both': {
        files: files({ 'tokenizer.chat_template': 'chat', 'tokenizer.chat_template.tool_use': toolTemplate }),
      },
      'org/hidden': {
        files: files({ 'tokenizer.chat_template': toolTemplate, 'tokenizer.chat_template.tool_use': 'chat' }),
      },
      'org/none': { files: files({}) },
    };
    const { pull } = await startFixture({ repositories });
    expect((await pull('org/both')).card).toMatchObject({ supportsTools: true, hasToolUseTemplate: true });
    await expect(pull('org/hidden')).rejects.toMatchObject({ template: 'tool_use' });
    await expect(pull('org/none')).rejects.toMatchObject({ template: null, capabilities: null });
    expect((await pull('org/none', { requireTools: false })).card.supportsTools).toBe(false);
  });

  test('a projector under a model’s name is no model', async () => {
    const files = { 'm-Q4_K_M.gguf': modelFile({ metadata: { 'general.type': 'mmproj' } }) };
    const { pull } = await startFixture({ repositories: { 'org/model': { files } } });
    await expect(pull('org/model')).rejects.toBeInstanceOf(errors.NotAModelError);
  });

  test('a safetensors file under a model’s name is no model', async () => {
    const { pull } = await startFixture({
      repositories: { 'org/model': { files: { 'm.gguf': Buffer.alloc(99) } } },
    });
    await expect(pull('org/model')).rejects.toBeInstanceOf(ModelFileError);
  });
});
