/** The environment of people who use huggingface_hub, and what is said of bytes that were there. */
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { ChecksumMismatchError, HubOfflineError, HubUnavailableError } from '../../src/hub/errors.ts';
import { createHub, proxiesOf } from '../../src/hub/hub-client.ts';
import { obtainModel } from '../../src/hub/obtain-model.ts';
import { resolveModel } from '../../src/hub/resolve-model.ts';
import { observeWords, startFixture, toolModel } from './hub-fixture.ts';

afterEach(() => vi.unstubAllEnvs());

const repositories = { 'org/model': { files: { 'model-Q4_K_M.gguf': toolModel(5000) } } };
const reference = { model: 'org/model', revision: null, quantization: null, file: null };

test.each(['1', 'ON', 'yes', 'True'])(
  'HF_HUB_OFFLINE=%s: nothing is asked, what is here is used',
  async (value) => {
    const { hub, cache, pull } = await startFixture({ repositories });
    const { files } = await pull('org/model');
    const asked = hub.requests.length;
    vi.stubEnv('HF_HUB_OFFLINE', value);
    await expect(pull('org/model')).rejects.toBeInstanceOf(HubOfflineError);
    const obtained = await obtainModel('org/model', { cache, endpoint: hub.endpoint, observe: observeWords });
    expect(obtained.file).toBe(files[0]);
    expect(hub.requests).toHaveLength(asked);
  },
);

test('a cached model works when the Hub is down', async () => {
  const { hub, cache, pull } = await startFixture({ repositories });
  const { files } = await pull('org/model');
  hub.fault = () => ({ type: 'status', status: 503 });
  const obtained = await obtainModel('org/model', { cache, endpoint: hub.endpoint, observe: observeWords });
  expect(obtained.file).toBe(files[0]);
});

test('proxies are named as for curl', () => {
  expect(proxiesOf({})).toBeNull();
  expect(proxiesOf({ HTTPS_PROXY: 'http://a:1', NO_PROXY: 'b' })).toEqual({
    httpProxy: '',
    httpsProxy: 'http://a:1',
    noProxy: 'b',
  });
  expect(proxiesOf({ all_proxy: 'http://a:1', HTTP_PROXY: 'http://c:2' })).toMatchObject({
    httpProxy: 'http://c:2',
    httpsProxy: 'http://a:1',
  });
});

test('requests go through the proxy of the environment', async () => {
  const { hub } = await startFixture({ repositories });
  const seen: string[] = [];
  const proxy = http.createServer();
  proxy.on('connect', (request, socket) => {
    seen.push(request.url ?? '');
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  vi.stubEnv('http_proxy', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  const asked = resolveModel(createHub({ endpoint: hub.endpoint, token: null }), reference);
  await expect(asked).rejects.toBeInstanceOf(HubUnavailableError);
  expect(seen).toContain(new URL(hub.endpoint).host);
  expect(hub.requests).toEqual([]);
});

test('a planted blob of the right size is found out, and called verified by nobody', async () => {
  const { cache, pull } = await startFixture({ repositories });
  expect((await pull('org/model')).hashes).toBe('computed');
  expect((await pull('org/model')).hashes).toBe('remembered');
  const blobs = path.join(cache, 'models--org--model', 'blobs');
  const [blob = ''] = fs.readdirSync(blobs);
  const bytes = fs.readFileSync(path.join(blobs, blob));
  fs.writeFileSync(path.join(blobs, blob), Buffer.alloc(bytes.length, 7));
  await expect(pull('org/model')).rejects.toBeInstanceOf(ChecksumMismatchError);
  expect((await pull('org/model')).hashes).toBe('computed');
  expect(fs.readFileSync(path.join(blobs, blob))).toEqual(bytes);
});

test('one that another tool put there is hashed once', async () => {
  const { cache, pull } = await startFixture({ repositories });
  await pull('org/model');
  fs.rmSync(path.join(cache, 'models--org--model', 'verified'), { recursive: true });
  expect((await pull('org/model')).hashes).toBe('computed');
  expect((await pull('org/model')).hashes).toBe('remembered');
});

test('neither a password in the address nor a broken token is repeated', () => {
  const open = () => createHub({ endpoint: 'https://me:s3cret@hub.test', token: null });
  expect(open).toThrow(/password/);
  expect(open).not.toThrow(/s3cret/);
  const broken = () => createHub({ endpoint: 'https://hub.test', token: 'hf_s3cret\nx' });
  expect(broken).toThrow(/printable/);
  expect(broken).not.toThrow(/s3cret/);
});
