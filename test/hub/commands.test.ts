import fs from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { Command } from 'commander';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { formatBytes, formatCount, formatDuration } from '../../src/cli/figures.ts';
import { registerInfo } from '../../src/cli/hub/info.ts';
import { registerList } from '../../src/cli/hub/list.ts';
import { registerPull } from '../../src/cli/hub/pull.ts';
import { registerRemove } from '../../src/cli/hub/remove.ts';
import { removeCachedModels } from '../../src/hub/cached-models.ts';
import { GatedModelError, ModelNotCachedError } from '../../src/hub/errors.ts';
import { llamaTemplate } from '../support/corpora.ts';
import { type Fixture, startFixture } from './hub-fixture.ts';
import { modelFile } from './model-file.ts';

/** Runs one command against the fixture and returns what it wrote, without colours. */
async function idiolect({ hub, cache }: Fixture, ...args: string[]): Promise<string> {
  vi.stubEnv('HF_ENDPOINT', hub.endpoint);
  vi.stubEnv('HF_HUB_CACHE', cache);
  vi.stubEnv('HF_TOKEN', '');
  vi.stubEnv('HF_HOME', cache);
  const written: string[] = [];
  const capture = (text: unknown): boolean => written.push(String(text)) > 0;
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation(capture),
  );
  onTestFinished(() => void vi.unstubAllEnvs());
  const program = new Command('idiolect').exitOverride();
  for (const register of [registerPull, registerInfo, registerList, registerRemove]) register(program);
  try {
    await program.parseAsync(args, { from: 'user' });
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return stripVTControlCharacters(written.join(''));
}

async function toolRepositories() {
  const { source } = await llamaTemplate('Qwen3-Coder');
  const metadata = {
    'tokenizer.chat_template': 'the default',
    'tokenizer.chat_template.tool_use': source,
    'general.name': 'A Model',
    'llama.context_length': 4096,
  };
  const [small, large] = [64, 70_000].map((size) => modelFile({ metadata, weights: new Uint8Array(size) }));
  if (small === undefined || large === undefined) throw new Error('unreachable');
  return { 'org/model': { files: { 'm-Q4_K_M.gguf': large, 'm-Q8_0.gguf': small, 'mmproj.gguf': small } } };
}

test('info says the same of a file and of the Hub, for programs', async () => {
  const fixture = await startFixture({ repositories: await toolRepositories() });
  const remote = JSON.parse(await idiolect(fixture, 'info', 'org/model', '--json'));
  expect(remote).toMatchObject({
    type: 'model_info',
    supports_tools: true,
    caps: { supports_tools: true, supports_tool_calls: true, supports_parallel_tool_calls: true },
    has_tool_use_template: true,
    architecture: 'llama',
    n_params: 70_000,
    template: 'tool_use',
    quantization: 'Q4_K_M',
    context_length: 4096,
    format: { version: 1, templateSha256: remote.template_sha256 },
    laws: { breaches: expect.any(Array) },
  });
  const local = path.join(fixture.cache, 'm-Q4_K_M.gguf');
  fs.writeFileSync(local, (await toolRepositories())['org/model'].files['m-Q4_K_M.gguf']);
  const { model: _m, file: _f, header_bytes_read: _b, ...same } = remote;
  expect(JSON.parse(await idiolect(fixture, 'info', local, '--json'))).toMatchObject(same);
});

test('a person sees what was chosen, what else there is, that it can call tools, and where it lies', async () => {
  const fixture = await startFixture({ repositories: await toolRepositories() });
  const pulled = await idiolect(fixture, 'pull', 'org/model');
  for (const text of ['m-Q4_K_M.gguf', 'there is also: Q8_0', 'mmproj.gguf', 'can call tools', 'snapshots']) {
    expect(pulled).toContain(text);
  }
  expect(await idiolect(fixture, 'info', 'org/model:Q8_0')).toMatch(/A Model.*can call tools/);
  expect(await idiolect(fixture, 'list')).toMatch(/org\/model +Q4_K_M .* main/);
  expect(await idiolect(fixture, 'remove', 'org/model')).toMatch(/removed org\/model, .* freed/);
  expect(await idiolect(fixture, 'list')).toMatch(/no models in .*idiolect pull/);
});

test('programs are told the files, as JSON', async () => {
  const fixture = await startFixture({ repositories: await toolRepositories() });
  const pulled = JSON.parse(await idiolect(fixture, 'pull', 'org/model', '-q', 'q8_0', '--json'));
  expect(pulled).toMatchObject({ type: 'pulled_model', quantization: 'Q8_0', supports_tools: true });
  expect(fs.existsSync(pulled.files[0])).toBe(true);
  const listed = JSON.parse(await idiolect(fixture, 'list', '--json'));
  expect(listed).toMatchObject({
    type: 'cached_models',
    models: [{ model: 'org/model', files: pulled.files }],
  });
  const removed = JSON.parse(await idiolect(fixture, 'remove', 'org/model:Q8_0', '--json'));
  expect(removed).toMatchObject({ type: 'removed_models', files: pulled.files });
});

test('a cache that is a file is not an empty one', async () => {
  const fixture = await startFixture({ repositories: await toolRepositories() });
  const file = path.join(fixture.cache, 'a-file');
  fs.writeFileSync(file, '');
  const commands = [['list'], ['remove', 'org/model'], ['pull', 'org/model']];
  for (const command of commands)
    for (const cache of [file, path.join(file, 'below')])
      await expect(idiolect(fixture, ...command, '--cache', cache)).rejects.toMatchObject({
        code: 'unsupported-option',
        option: 'cache',
      });
  const missing = path.join(fixture.cache, 'not', 'there');
  expect(await idiolect(fixture, 'list', '--cache', missing)).toContain('no models in');
});

test('what is not in the cache is not removed', async () => {
  const { cache } = await startFixture({ repositories: {} });
  await expect(removeCachedModels(cache, 'org/model', [])).rejects.toBeInstanceOf(ModelNotCachedError);
});

describe('what cannot be done is a typed error, which the command line tells in one line', () => {
  test('a gated model, a model that is not here, a model without tools', async () => {
    const plain = '{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}';
    const repositories = {
      'org/gated': { files: {}, gated: true },
      'org/plain': { files: { 'm.gguf': modelFile({ metadata: { 'tokenizer.chat_template': plain } }) } },
    };
    const fixture = await startFixture({ repositories });
    await expect(idiolect(fixture, 'pull', 'org/gated')).rejects.toBeInstanceOf(GatedModelError);
    await expect(idiolect(fixture, 'remove', 'org/gated')).rejects.toBeInstanceOf(ModelNotCachedError);
    await expect(idiolect(fixture, 'pull', 'org/plain')).rejects.toMatchObject({ code: 'tools-unsupported' });
    expect(await idiolect(fixture, 'pull', 'org/plain', '--no-require-tools')).toContain('cannot call tools');
    expect(await idiolect(fixture, 'info', 'org/plain')).toContain('cannot call tools');
  });
});

test('sizes and counts are printed as people read them', () => {
  expect([0, 999, 1000, 999_999, 4_370_000_000].map(formatBytes)).toEqual([
    '0 bytes',
    '999 bytes',
    '1.00 kB',
    '1.00 MB',
    '4.37 GB',
  ]);
  expect([64, 8_030_000_000].map(formatCount)).toEqual(['64', '8.03B']);
  expect([0, 65, 3725, Number.POSITIVE_INFINITY].map(formatDuration)).toEqual([
    '0:00',
    '1:05',
    '1:02:05',
    '–',
  ]);
});

test.each(['offline', 'down'])('pull and info use what is cached when the Hub is %s', async (state) => {
  const fixture = await startFixture({ repositories: await toolRepositories() });
  const pulled = JSON.parse(await idiolect(fixture, 'pull', 'org/model', '--json'));
  if (state === 'offline') vi.stubEnv('HF_HUB_OFFLINE', '1');
  else fixture.hub.fault = () => ({ type: 'status', status: 503 });
  const asked = fixture.hub.requests.length;
  const found = JSON.parse(await idiolect(fixture, 'pull', 'org/model', '--json'));
  expect(found).toMatchObject({ type: 'cached_model', files: pulled.files, supports_tools: true });
  expect(await idiolect(fixture, 'pull', 'org/model')).toContain(
    'is in the cache, not compared with the Hub',
  );
  expect(JSON.parse(await idiolect(fixture, 'info', 'org/model', '--json'))).toMatchObject({
    supports_tools: true,
    quantization: pulled.quantization,
  });
  if (state === 'offline') expect(fixture.hub.requests).toHaveLength(asked);
  await expect(idiolect(fixture, 'pull', 'org/other')).rejects.toMatchObject({
    code: state === 'offline' ? 'hub-offline' : 'hub-unavailable',
  });
});
