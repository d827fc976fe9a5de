/** The file of `idiolect serve --config`, and options of other programs. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { describe, expect, it, onTestFinished } from 'vitest';
import { neighbourOf } from '../../src/cli/option-neighbours.ts';
import { reportUsage } from '../../src/cli/report-error.ts';
import { registerServe } from '../../src/cli/serve/serve.ts';
import { readServeConfig } from '../../src/cli/serve/serve-config.ts';
import { UnsupportedOptionError } from '../../src/format/errors.ts';

function commandOf(...args: readonly string[]): Command {
  const program = new Command('idiolect');
  registerServe(program);
  const [command] = program.commands;
  if (command === undefined) throw new Error('no command');
  command.exitOverride().parseOptions([...args]);
  return command;
}

function fileOf(config: unknown): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-'));
  onTestFinished(() => fs.rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'models.json');
  fs.writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config));
  return file;
}

describe('a config file', () => {
  it('has options, which the command line precedes, and models with their own', async () => {
    const command = commandOf('--port', '9000');
    const models = await readServeConfig(
      fileOf({
        port: 8000,
        queue: 5,
        anyModel: true,
        cors: ['localhost'],
        gpu: false,
        models: [
          { name: 'coder', model: 'a.gguf', contextSize: 65536, lora: ['s.gguf=0.5'] },
          'small=b.gguf',
          { model: 'http://gpu:8000', server: 'vllm' },
        ],
      }),
      command,
    );
    expect(command.opts()).toMatchObject({
      port: 9000,
      queue: 5,
      anyModel: true,
      cors: ['localhost'],
      gpu: false,
    });
    expect(models).toEqual([
      { name: 'coder', target: 'a.gguf', options: { contextSize: 65536, lora: ['s.gguf=0.5'] } },
      { name: 'small', target: 'b.gguf' },
      { name: 'http://gpu:8000', target: 'http://gpu:8000', options: { server: 'vllm' } },
    ]);
  });

  it.each<[unknown, RegExp]>([
    ['not json', /not the JSON of an object/],
    [{ prot: 1 }, /no option "prot".*port/],
    [{ config: 'x' }, /no option "config"/],
    [{ port: 'http' }, /port: It must be an integer/],
    [{ anyModel: 'yes' }, /anyModel: it must be true or false/],
    [{ cors: [5] }, /cors: it must be a list of strings/],
    [{ server: 'ollama' }, /server: it must be one of/],
    [{ models: {} }, /models must be a list/],
    [{ models: [5] }, /models\[0\]: it must be a string/],
    [{ models: [{ model: 'a.gguf', port: 1 }] }, /models\[0\]: port is no option of one model/],
    [{ models: [{ model: 'a.gguf', contextSize: 0 }] }, /contextSize: It must be an integer/],
  ])('%j is refused', async (config, reason) => {
    const read = readServeConfig(fileOf(config), commandOf());
    await expect(read).rejects.toThrow(UnsupportedOptionError);
    await expect(read).rejects.toThrow(reason);
  });
});

describe('an option of another program', () => {
  const names = [
    '--ctx-size',
    '-ngl',
    '--max-model-len',
    '--ssl-keyfile',
    '--served-model-name',
    '--temp',
    '--rerank',
  ];

  it.each(names)('%s is answered with one that exists', (name) => {
    const [, suggested] = /^Did you mean (--[\w-]+)\?$/.exec(neighbourOf(name) ?? '') ?? [];
    expect(commandOf().options.map(({ long }) => long)).toContain(suggested);
  });

  it('is none of those that exist here', () => {
    const own = commandOf().options.map(({ long }) => long ?? '');
    expect(own.filter((name) => neighbourOf(name) !== null)).toEqual([]);
  });

  it('is answered in place of options that are only spelled similarly', () => {
    const complaint = "error: unknown option '--ctx-size'\n(Did you mean one of --cors, --log?)\n";
    expect(reportUsage(complaint, false)).toBe(
      "error: unknown option '--ctx-size'\n(Did you mean --context-size?)\n",
    );
    expect(reportUsage("error: unknown option '--draft'\n", false)).toContain('There is none: draft models');
    const other = "error: unknown option '--prot'\n(Did you mean --port?)\n";
    expect(reportUsage(other, false)).toBe(other);
  });
});
