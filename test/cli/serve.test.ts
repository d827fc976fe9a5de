/** `idiolect serve` and its log. Nothing here is loaded: models behind addresses are opened on demand. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { Command, InvalidArgumentError } from 'commander';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { locateTarget } from '../../src/cli/model-target.ts';
import { portNumber } from '../../src/cli/option-values.ts';
import { flagsOf, reportError } from '../../src/cli/report-error.ts';
import { isOpenToAll, logJson, logLine, registerServe } from '../../src/cli/serve/serve.ts';
import { locateAll, readTarget } from '../../src/cli/serve/serve-config.ts';
import type { RequestRecord } from '../../src/serve/index.ts';
import { toyModel } from '../../src/testing/index.ts';
import { runCommand } from './run-command.ts';

const record: RequestRecord = {
  id: 'a1',
  endpoint: '/v1/chat/completions',
  model: 'qwen3',
  stream: true,
  status: 200,
  code: null,
  finish: 'tool-calls',
  usage: {
    promptTokens: 830,
    cachedTokens: 812,
    completionTokens: 42,
    reasoningTokens: 0,
    textTokens: 2,
    callTokens: 40,
    injectedTokens: 12,
  },
  calls: 1,
  malformed: 0,
  firstEventMs: 310,
  totalMs: 1900,
};
const noon = new Date(2026, 10, 23, 12, 0, 1);

describe('the log', () => {
  const line = (changed: Partial<RequestRecord>): string =>
    stripVTControlCharacters(logLine({ ...record, ...changed }, noon));

  it('says on one line what a request cost', () => {
    expect(line({})).toBe(
      '12:00:01  200  /v1/chat/completions  qwen3  830 (812 cached) → 42 (12 injected) tokens  1 call  0.31 s, 1.90 s\n',
    );
  });

  it('leaves out what is not known, and says what went wrong', () => {
    const nothing = { usage: null, calls: 0, firstEventMs: null };
    expect(line({ ...nothing, status: 404, code: 'model_not_found', model: null, totalMs: 4 })).toBe(
      '12:00:01  404  /v1/chat/completions  model_not_found  0.00 s\n',
    );
    expect(line({ ...nothing, calls: 2, malformed: 3 })).toContain('  2 calls  3 malformed  ');
  });

  it('is one line whatever a model is called', () => {
    expect(logLine({ ...record, model: 'a\n\u001b[2Jb' }, noon)).toMatch(/^[^\n]*\n$/);
    expect(logLine({ ...record, model: 'a\n\u001b[2Jb' }, noon)).not.toContain('\u001b[2J');
    expect(logJson({ ...record, model: 'a\n\u001b[2Jb' }, noon)).toMatch(/^[\x20-\x7e]+\n$/);
  });

  it('is the record with its time, for programs', () => {
    expect(JSON.parse(logJson(record, noon))).toEqual({
      type: 'request',
      time: noon.toISOString(),
      ...record,
    });
    const exact = logJson({ ...record, firstEventMs: 405.0462200000002, totalMs: 0.04 }, noon);
    expect(JSON.parse(exact)).toMatchObject({ firstEventMs: 405, totalMs: 0 });
  });
});

describe('the command', () => {
  it.each([
    ['models/qwen3.gguf', { name: 'qwen3', target: 'models/qwen3.gguf' }],
    ['small=models/qwen3.gguf', { name: 'small', target: 'models/qwen3.gguf' }],
    [
      'http://localhost:8080/?a=b',
      { name: 'http://localhost:8080/?a=b', target: 'http://localhost:8080/?a=b' },
    ],
  ])('reads %s', (argument, expected) => expect(readTarget(argument)).toEqual(expected));

  it('refuses an empty name', () => expect(() => readTarget('=a.gguf')).toThrow('the name is empty'));

  it('takes options of servers only where a model is on one', async () => {
    const options = { command: 'idiolect serve', requireTools: true, gpu: false } as const;
    const file = { name: 'file', target: 'missing.gguf' };
    const served = { name: 'served', target: ['http://127.0.0.1:9'] };
    const refused = /--server: is for a model on a server, and missing\.gguf is no address/;
    await expect(locateAll([file], { ...options, server: 'vllm' })).rejects.toThrow(refused);
    const own = { ...file, options: { server: 'vllm' } } as const;
    await expect(locateAll([served, own], options)).rejects.toThrow(refused);
    await expect(locateAll([served, file], { ...options, server: 'vllm' })).rejects.toThrow(/no such file/);
  });

  it('takes options of models in this process only where there is one', async () => {
    const options = { command: 'idiolect serve', requireTools: true, gpu: true, sequences: 'auto' } as const;
    const file = { name: 'file', target: 'missing.gguf' };
    const served = { name: 'served', target: ['http://127.0.0.1:9', 'http://127.0.0.1:10'] };
    const given = { threads: 2, lora: ['a.gguf'], gpu: false, sequences: 3, cacheMemory: 1 } as const;
    for (const [name, value] of Object.entries(given)) {
      const one = { [name]: value };
      const refused = /^--[a-z-]+: is for a model that is loaded here, and http:\/\/127\.0\.0\.1:9,/;
      await expect(locateAll([served], { ...options, ...one }), name).rejects.toThrow(refused);
      const own = { ...served, options: one };
      await expect(locateAll([file, own].reverse(), options), name).rejects.toThrow(refused);
      await expect(locateAll([file], { ...options, ...one }), name).rejects.toThrow(/no such file/);
    }
  });

  it.each([
    ['--api-key', 'apiKey'],
    ['--cors', 'cors'],
    ['--allow-host', 'allowHost'],
  ])('refuses an empty text for %s by its own name', async (flag, option) => {
    const refused = runCommand(registerServe, 'serve', 'http://127.0.0.1:9', flag, 'a', '');
    await expect(refused).rejects.toMatchObject({
      option,
      message: expect.stringContaining('must not be empty'),
    });
    const program = new Command();
    registerServe(program);
    const error = await refused.catch((reason: unknown) => reason);
    expect(reportError(error, false, flagsOf(program.commands))).toContain(`${flag} must not be empty`);
  });

  it('takes ports, and nothing else for one', () => {
    expect(['0', '8080', '65535'].map(portNumber)).toEqual([0, 8080, 65_535]);
    for (const text of ['65536', '99999', '-1', '1.5', '', ' ', 'http'])
      expect(() => portNumber(text), text).toThrow(InvalidArgumentError);
  });

  it('is open to all where other machines may ask without a key', () => {
    for (const host of ['127.0.0.1', '127.8.9.1', '::1', 'localhost'])
      expect(isOpenToAll({ host }), host).toBe(false);
    for (const host of ['0.0.0.0', '::', '192.168.1.2', 'gpu.lan', '127.0.0.1.example.org']) {
      expect(isOpenToAll({ host }), host).toBe(true);
      expect(isOpenToAll({ host, apiKeys: ['secret'] }), host).toBe(false);
    }
    expect(isOpenToAll({})).toBe(false);
  });

  it('serves by name, says its address, asks for keys, logs each request, and ends when it is interrupted', async () => {
    const before = process.listeners('SIGINT');
    const stderr = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
    // Nothing answers at the ports of discard and chargen.
    const models = ['one=http://127.0.0.1:9', 'two=http://127.0.0.1:19'];
    const options = ['--port', '0', '--json', '--api-key', 'first', 'second'];
    const ended = runCommand(registerServe, 'serve', ...models, ...options);
    try {
      const { calls } = vi.mocked(process.stdout.write).mock;
      await vi.waitFor(() => expect(calls).toHaveLength(1), { timeout: 60_000 });
      const told: unknown = JSON.parse(String(calls[0]?.[0]));
      expect(told).toEqual({ type: 'serving', url: expect.any(String), models: ['one', 'two'] });
      const url = `${(told as { url: string }).url}/v1`;
      const headers = { authorization: 'Bearer second', 'content-type': 'application/json' };
      expect((await fetch(`${url}/models`)).status).toBe(401);
      const { data } = (await (await fetch(`${url}/models`, { headers })).json()) as {
        data: { id: string }[];
      };
      expect(data.map(({ id }) => id)).toEqual(['one', 'two']);
      const ask = (model: string) =>
        fetch(`${url}/chat/completions`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ model, messages: [{ role: 'user', content: 'secret' }] }),
        });
      expect((await ask('three')).status).toBe(404);
      expect((await ask('two')).status).toBe(502);
    } finally {
      for (const listener of process.listeners('SIGINT')) if (!before.includes(listener)) listener('SIGINT');
      stderr.mockRestore();
    }
    const { text } = await ended;
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toMatchObject([
      { type: 'serving' },
      { type: 'request', status: 401, code: 'invalid_api_key' },
      { status: 404, code: 'model_not_found', model: null },
      { status: 502, code: 'upstream_error' },
    ]);
    expect(text).not.toContain('secret');
    expect(process.listeners('SIGINT')).toHaveLength(before.length);
  });

  it('tells people its address on standard error, where no program reads the answers', async () => {
    const before = process.listeners('SIGINT');
    const told: string[] = [];
    const stderr = vi
      .spyOn(process.stderr, 'write')
      .mockImplementation((text) => told.push(String(text)) > 0);
    const models = ['one=http://127.0.0.1:9', 'two=http://127.0.0.1:19'];
    const ended = runCommand(registerServe, 'serve', ...models, '--port', '0');
    try {
      await vi.waitFor(() => expect(told.join('')).toContain('Ctrl-C'), { timeout: 60_000 });
    } finally {
      for (const listener of process.listeners('SIGINT')) if (!before.includes(listener)) listener('SIGINT');
      stderr.mockRestore();
    }
    const greeting = stripVTControlCharacters(told.join(''));
    expect(greeting).toMatch(/^one, two {2}http:\/\/127\.0\.0\.1:\d+\/v1\n/);
    expect((await ended).text).toBe('');
  });
});

it('what a file is opened to shows its prompts and counts their tokens', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-'));
  onTestFinished(() => fs.rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'toy.gguf');
  fs.writeFileSync(file, await toyModel());
  const options = {
    command: 'idiolect serve',
    requireTools: true,
    gpu: false,
  } as const;
  const model = await (await locateTarget(file, { ...options, contextSize: 256, sequences: 2 })).open();
  onTestFinished(() => model.dispose());
  const preview = await model.preview?.({ messages: [{ role: 'user', content: 'How warm is it?' }] });
  expect(preview?.prompt).toContain('How warm is it?');
  expect(preview?.promptTokens).toBeGreaterThan(3);
  expect(model).toMatchObject({ sequences: 2 });
});

it.each([[['toy.gguf']], [['toy.gguf', 'second=toy.gguf']]])(
  'a model that alone exceeds --memory is refused before it is opened: %j',
  async (names) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-'));
    onTestFinished(() => fs.rmSync(folder, { recursive: true }));
    fs.writeFileSync(path.join(folder, 'toy.gguf'), await toyModel());
    const models = names.map((name) => name.replace('toy.gguf', path.join(folder, 'toy.gguf')));
    const refused = runCommand(registerServe, 'serve', ...models, '--port', '0', '--memory', '0.0001');
    await expect(refused).rejects.toThrow(
      /^memory: model "toy" alone takes [\d.]+ GB, and 0\.0001 are allowed/,
    );
  },
);
