/**
 * What a command's options become: those of a model here, or on servers. Nothing is loaded, connected or downloaded: what
 * would be asked of the library is compared.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  isServerAddress,
  locateEmbeddings,
  locateTarget,
  openTarget,
  requireFitting,
  type TargetOptions,
} from '../../src/cli/model-target.ts';
import { ServerError, UnsupportedOptionError } from '../../src/format/errors.ts';

const asked = vi.hoisted(() => ({
  loadModel: vi.fn(),
  loadEmbeddingModel: vi.fn(),
  connectServer: vi.fn(),
  obtainModel: vi.fn(),
}));

vi.mock('../../src/hub/index.ts', async (original) => ({
  ...(await original<typeof import('../../src/hub/index.ts')>()),
  obtainModel: asked.obtainModel,
}));
vi.mock('../../src/servers/connect-server.ts', () => ({ connectServer: asked.connectServer }));
vi.mock('../../src/runtime/node-llama-cpp/index.ts', () => ({
  loadModel: asked.loadModel,
  loadEmbeddingModel: asked.loadEmbeddingModel,
}));

/** A model that answers each question with its name. */
function model(supportsTools: boolean, supportsToolCalls = supportsTools) {
  const templates = { default: { format: { capabilities: { supportsTools, supportsToolCalls } } } };
  const answers = [
    'chat',
    'runTools',
    'preview',
    'previewInTurns',
    'complete',
    'embed',
    'tokenize',
    'tokenizeInTurns',
    'detokenize',
    'detokenizeInTurns',
    'dispose',
  ].map((name) => [name, (...given: unknown[]) => [name, ...given]] as const);
  return {
    name: 'a model',
    contextSize: 512,
    trainedContextSize: 1024,
    sequences: 3,
    vision: true,
    servers: ['a server'],
    templates,
    learnTemplates: async () => templates,
    ...Object.fromEntries(answers),
  };
}

let knowsTools = true;

/** What the library says when a test begins. */
function prepare(): void {
  vi.clearAllMocks();
  knowsTools = true;
  asked.loadModel.mockImplementation(async () => model(knowsTools));
  asked.connectServer.mockImplementation(async () => model(knowsTools));
  asked.loadEmbeddingModel.mockImplementation(async () => 'an embedding model');
  asked.obtainModel.mockImplementation(async () => ({
    file: '/models/a.gguf',
    card: { size: 77, supportsTools: knowsTools },
  }));
}

afterEach(() => {
  vi.unstubAllEnvs();
});

const options: TargetOptions = { command: 'idiolect chat', requireTools: true, gpu: true };
const url = 'http://localhost:8080';

/** The options with which a model in this process is loaded. */
async function loadedWith(given: Partial<TargetOptions>): Promise<Record<string, unknown>> {
  await openTarget('a.gguf', { ...options, ...given });
  const [file, told] = asked.loadModel.mock.lastCall ?? expect.fail('nothing was loaded');
  expect(file).toBe('/models/a.gguf');
  return told;
}

/** The options with which a server is asked. */
async function connectedWith(given: Partial<TargetOptions>): Promise<Record<string, unknown>> {
  await openTarget(url, { ...options, ...given });
  const [told] = asked.connectServer.mock.lastCall ?? expect.fail('nothing was asked');
  return told;
}

function templateFile(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-'));
  onTestFinished(() => fs.rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'own.jinja');
  fs.writeFileSync(file, '{{ messages }}');
  return file;
}

describe('an address', () => {
  it.each([
    ['http://a', true],
    ['HTTPS://a/v1', true],
    ['localhost:8080', true],
    ['localhost:8080/v1', true],
    ['10.0.0.1:80', true],
    ['owner/name', false],
    ['owner/name:Q4_K_M', false],
    ['file.gguf', false],
    ['C:\\models\\a.gguf', false],
    ['localhost:80x', false],
    ['ftp://a', false],
  ])('is told from a file and a model of the Hub: %s', (target, isAddress) => {
    expect(isServerAddress(target)).toBe(isAddress);
  });

  it('is asked over HTTP if it does not say otherwise', async () => {
    prepare();
    for (const [target, asks] of [
      ['localhost:8080', 'http://localhost:8080'],
      ['https://a', 'https://a'],
    ] as const) {
      await openTarget(target, options);
      expect(asked.connectServer).toHaveBeenLastCalledWith(expect.objectContaining({ url: [asks] }));
    }
    await (await locateTarget(['a:1', 'http://b'], options)).open();
    expect(asked.connectServer).toHaveBeenLastCalledWith(
      expect.objectContaining({ url: ['http://a:1', 'http://b'] }),
    );
    expect(asked.obtainModel).not.toHaveBeenCalled();
  });
});

describe('a model that is found', () => {
  it('has a size here, and servers there, and is not opened yet', async () => {
    prepare();
    expect(await locateTarget('a.gguf', options)).toMatchObject({ bytes: 77, servers: 0 });
    expect(await locateTarget(url, options)).toMatchObject({ bytes: 0, servers: 1 });
    expect(await locateTarget([url, 'b:1', 'c:1'], options)).toMatchObject({ bytes: 0, servers: 3 });
    expect([asked.loadModel.mock.calls, asked.connectServer.mock.calls]).toEqual([[], []]);
    asked.obtainModel.mockResolvedValue({ file: 'x', card: {} });
    expect(await locateTarget('a.gguf', options)).toMatchObject({ bytes: 0 });
  });

  it.each<readonly [Partial<TargetOptions>, boolean]>([
    [{}, true],
    [{ requireTools: false }, false],
    [{ toolFormat: 'json' }, false],
    [{ template: 'own.jinja' }, false],
    [{ template: 'own.jinja', toolFormat: 'json' }, false],
  ])('needs tools of its own unless another template brings them: %j', async (given, requireTools) => {
    prepare();
    const names = await toolFormatNames();
    const { toolFormat } = given;
    await locateTarget('a.gguf', { ...options, ...given, ...(toolFormat && { toolFormat: names }) });
    expect(asked.obtainModel).toHaveBeenLastCalledWith('a.gguf', expect.objectContaining({ requireTools }));
  });
});

/** The name of a tool format. */
async function toolFormatNames(): Promise<string> {
  const { toolFormats } = await import('../../src/template/tool-format/wrap-template.ts');
  return toolFormats[0]?.name ?? expect.fail('there are tool formats');
}

describe('a model in this process', () => {
  it('has nothing set that was not given', async () => {
    prepare();
    expect(await loadedWith({})).toEqual({ requireTools: true });
    expect(await loadedWith({ requireTools: false, mmap: true })).toEqual({ requireTools: false });
  });

  it('has what was given', async () => {
    prepare();
    const toolFormat = await toolFormatNames();
    const same = { contextSize: 1, sequences: 2, threads: 3, gpuLayers: 4, batchSize: 5, toolFormat };
    expect(await loadedWith(same)).toEqual({ requireTools: true, ...same });
    expect(await loadedWith({ sequences: 'auto' })).toEqual({ requireTools: true, sequences: 'auto' });
    expect(await loadedWith({ gpu: false, mmap: false })).toEqual({
      requireTools: true,
      gpu: false,
      useMmap: false,
    });
    expect(await loadedWith({ template: templateFile() })).toEqual({
      requireTools: true,
      chatTemplate: '{{ messages }}',
    });
  });

  it('has memory for its cache in whole bytes', async () => {
    prepare();
    expect(await loadedWith({ cacheMemory: 2 })).toMatchObject({ cacheMemory: 2_000_000_000 });
    expect(await loadedWith({ cacheMemory: 1e-9 * 2.7 })).toMatchObject({ cacheMemory: 2 });
    expect(await loadedWith({ cacheMemory: 0 })).toMatchObject({ cacheMemory: 0 });
  });

  it('has adapters, each with its weight or without', async () => {
    prepare();
    expect(await loadedWith({ lora: ['a.gguf', 'b=c.gguf=0.5', 'd=x', 'e.gguf=2'] })).toMatchObject({
      lora: [
        { file: 'a.gguf' },
        { file: 'b=c.gguf', scale: 0.5 },
        { file: 'd=x' },
        { file: 'e.gguf', scale: 2 },
      ],
    });
  });

  it('answers by the library', async () => {
    prepare();
    const opened = await openTarget('a.gguf', options);
    expect(opened).toMatchObject({
      name: 'a model',
      contextSize: 512,
      trainedContextSize: 1024,
      sequences: 3,
    });
    expect(opened.templates).toBe((await opened.learnTemplates?.()) ?? null);
    const one = 'x' as never;
    expect([
      opened.chat(one),
      opened.runTools(one),
      opened.preview?.(one),
      opened.previewInTurns?.(one),
      opened.complete?.(one),
      opened.embed?.(one, one),
      opened.tokenize?.(one),
      opened.tokenizeInTurns?.(one),
      opened.detokenize?.(one),
      opened.detokenizeInTurns?.(one),
      opened.dispose(),
    ]).toEqual([
      ['chat', one],
      ['runTools', one],
      ['preview', one],
      ['previewInTurns', one],
      ['complete', one],
      ['embed', one, one],
      ['tokenize', one],
      ['tokenizeInTurns', one],
      ['detokenize', one],
      ['detokenizeInTurns', one],
      ['dispose'],
    ]);
  });

  it('supports tools by its card, by a tool format, or by the template that was given', async () => {
    prepare();
    const supports = async (given: Partial<TargetOptions> = {}) =>
      (await openTarget('a.gguf', { ...options, ...given })).supportsTools;
    expect([await supports(), await supports({ template: templateFile() })]).toEqual([true, true]);
    knowsTools = false;
    expect([await supports(), await supports({ template: templateFile() })]).toEqual([false, false]);
    expect(await supports({ toolFormat: await toolFormatNames() })).toBe(true);
    for (const [tools, calls] of [
      [true, false],
      [false, true],
    ] as const) {
      asked.loadModel.mockResolvedValue(model(tools, calls));
      expect(await supports({ template: templateFile() })).toBe(false);
    }
  });
});

describe('a model on a server', () => {
  it('is asked for without anything that was not given', async () => {
    prepare();
    vi.stubEnv('IDIOLECT_API_KEY', undefined);
    const asks = { kind: 'llama-server', url: [url], requireTools: true };
    expect(await connectedWith({})).toEqual(asks);
    vi.stubEnv('IDIOLECT_API_KEY', '');
    expect(await connectedWith({})).toEqual(asks);
  });

  it('is asked for with what was given, and with the key of the environment', async () => {
    prepare();
    vi.stubEnv('IDIOLECT_API_KEY', 'secret');
    const same = { contextSize: 9, vision: false, toolFormat: await toolFormatNames() };
    expect(
      await connectedWith({ ...same, server: 'vllm', template: templateFile(), requireTools: false }),
    ).toEqual({
      ...same,
      kind: 'vllm',
      url: [url],
      requireTools: false,
      apiKey: 'secret',
      chatTemplate: '{{ messages }}',
    });
  });

  it('answers by the library, and supports tools if they were required or its template has them', async () => {
    prepare();
    const opened = await openTarget(url, options);
    expect(opened).toMatchObject({ name: 'a model', contextSize: 512, vision: true, servers: ['a server'] });
    const one = 'x' as never;
    expect([opened.chat(one), opened.runTools(one), opened.preview?.(one)]).toEqual([
      ['chat', one],
      ['runTools', one],
      ['preview', one],
    ]);
    await expect(opened.dispose()).resolves.toBeUndefined();
    const supports = async (requireTools: boolean) =>
      (await openTarget(url, { ...options, requireTools })).supportsTools;
    expect([await supports(true), await supports(false)]).toEqual([true, true]);
    knowsTools = false;
    expect([await supports(true), await supports(false)]).toEqual([true, false]);
  });

  it('is told to need a template by the option of the command', async () => {
    prepare();
    asked.connectServer.mockRejectedValue(
      new UnsupportedOptionError({ option: 'chatTemplate', reason: 'x' }),
    );
    await expect(openTarget(url, options)).rejects.toMatchObject({
      code: 'unsupported-option',
      option: '--template',
      reason: expect.stringContaining(url),
    });
    const other = new UnsupportedOptionError({ option: 'contextSize', reason: 'x' });
    asked.connectServer.mockRejectedValue(other);
    await expect(openTarget(url, options)).rejects.toBe(other);
  });

  it('is told to be of another kind perhaps if it does not know the question, and only then', async () => {
    prepare();
    const facts = { url, reason: 'is not there' };
    asked.connectServer.mockRejectedValue(new ServerError({ ...facts, status: 404 }));
    await expect(openTarget(url, { ...options, server: 'vllm' })).rejects.toMatchObject({
      ...facts,
      status: 404,
      advice: expect.stringContaining('--server vllm'),
    });
    for (const error of [
      new ServerError({ ...facts, status: 405 }),
      new ServerError(facts),
      new Error('x'),
    ]) {
      asked.connectServer.mockRejectedValue(error);
      await expect(openTarget(url, options)).rejects.toBe(error);
    }
  });
});

describe('options', () => {
  const ofServers: readonly Partial<TargetOptions>[] = [{ server: 'vllm' }, { vision: false }];
  const ofFiles: readonly Partial<TargetOptions>[] = [
    { threads: 1 },
    { gpu: false },
    { gpuLayers: 0 },
    { lora: [] },
    { batchSize: 1 },
    { mmap: false },
    { sequences: 2 },
    { cacheMemory: 0 },
  ];
  const anywhere: readonly Partial<TargetOptions>[] = [
    { gpu: true, mmap: true, sequences: 'auto' },
    { contextSize: 1, template: 'a', toolFormat: 'b', requireTools: true },
  ];
  const fits = (targets: readonly (string | readonly string[])[], given: Partial<TargetOptions>): boolean => {
    try {
      requireFitting(targets, given);
    } catch (error) {
      if (error instanceof UnsupportedOptionError) return false;
      throw error;
    }
    return true;
  };
  const [here, there, several] = [['a.gguf'], [url], [['a:1', 'b:2']]] as const;

  it.each([
    ['a server', ofServers, false, true],
    ['a model here', ofFiles, true, false],
    ['any model', anywhere, true, true],
  ])('of %s are refused where there is none, and not among others', (_, all, inFiles, onServers) => {
    for (const given of all) {
      expect([given, fits(here, given)]).toEqual([given, inFiles]);
      expect([given, fits(there, given), fits(several, given)]).toEqual([given, onServers, onServers]);
      expect([given, fits([...here, ...there], given)]).toEqual([given, true]);
    }
  });

  it('that do not fit are refused before anything is looked for', async () => {
    prepare();
    await expect(openTarget('a.gguf', { ...options, vision: true })).rejects.toThrow(/^--vision: .*a\.gguf/);
    await expect(openTarget(url, { ...options, threads: 2 })).rejects.toThrow(/^--threads: .*localhost/);
    expect(asked.obtainModel).not.toHaveBeenCalled();
  });
});

describe('a model for search', () => {
  it('is loaded with what was given, and needs no tools', async () => {
    prepare();
    const loaded = async (given: Partial<TargetOptions>) => {
      const found = await locateEmbeddings('a.gguf', { ...options, ...given });
      expect(found).toMatchObject({ bytes: 77, servers: 0 });
      expect(await found.open()).toBe('an embedding model');
      return asked.loadEmbeddingModel.mock.lastCall;
    };
    expect(await loaded({})).toEqual(['/models/a.gguf', {}]);
    const same = { contextSize: 1, threads: 2, gpuLayers: 3 };
    expect(await loaded({ ...same, gpu: false, mmap: false })).toEqual([
      '/models/a.gguf',
      { ...same, gpu: false, useMmap: false },
    ]);
    expect(asked.obtainModel).toHaveBeenLastCalledWith(
      'a.gguf',
      expect.objectContaining({ requireTools: false }),
    );
    asked.obtainModel.mockResolvedValue({ file: 'x', card: {} });
    expect((await locateEmbeddings('a.gguf', options)).bytes).toBe(0);
  });

  it('is none on a server', async () => {
    prepare();
    for (const target of [url, 'localhost:8080', [url]])
      await expect(locateEmbeddings(target, options)).rejects.toThrow(/^--embeddings: /);
  });
});
