/** The command as a whole: its help, its completion, the toy that it writes, and errors that speak of flags. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { Command } from 'commander';
import { toyModel } from 'idiolect/testing';
import { describe, expect, it } from 'vitest';
import { registerChat } from '../../src/cli/chat/chat.ts';
import { addCommand, commands, loadAll } from '../../src/cli/commands.ts';
import { registerCompletion } from '../../src/cli/completion.ts';
import { helpConfiguration } from '../../src/cli/help.ts';
import { registerInfo } from '../../src/cli/hub/info.ts';
import { registerInspect } from '../../src/cli/inspect.ts';
import { flagsOf, reportError } from '../../src/cli/report-error.ts';
import { registerToy } from '../../src/cli/toy.ts';
import { ToolsUnsupportedError, UnsupportedOptionError } from '../../src/format/errors.ts';
import { toolVersion } from '../../src/format/version.ts';
import { bundledScript } from '../support/bundled-script.ts';
import { runCommand } from './run-command.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'command-'));

function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [bundledScript('src/cli/main.ts'), ...args],
    {
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1', COLUMNS: '80' },
    },
  );
  return { status, stdout, stderr };
}

describe('the command', () => {
  it.each(['-v', '-V', '--version'])('tells its version with %s', (flag) => {
    expect(run(flag)).toMatchObject({ status: 0, stdout: `${toolVersion}\n` });
  });

  it('lists all commands, and finds the one that was meant', () => {
    const { stdout } = run('--help');
    for (const { name, description } of commands) {
      expect(stdout).toContain(`\n  ${name}`);
      expect(stdout.replace(/\s+/g, ' ')).toContain(description);
    }
    expect(run('inspct', 'x').stderr).toContain('Did you mean inspect?');
    expect(run('help', 'inspct')).toEqual(run('inspct'));
  });

  it.each([60, 80, 120])('has helps that keep to a terminal of %i columns', async (width) => {
    const program = new Command()
      .configureHelp(helpConfiguration)
      .configureOutput({ getOutHelpWidth: () => width });
    for (const entry of commands) {
      const command = await addCommand(program, entry);
      const written: string[] = [];
      command.configureOutput({ writeOut: (text) => written.push(text) }).outputHelp();
      const shown = written.join('');
      expect(shown.length).toBeGreaterThan(100);
      // A command to copy is not broken.
      const lines = shown.split('\n').filter((line) => !line.startsWith('  idiolect completion'));
      expect(lines.filter((line) => line.length > width)).toEqual([]);
    }
  });

  it.each(commands.map(({ name }) => name))(
    '%s has a help of 80 columns, by either way',
    (name) => {
      const { status, stdout } = run(name, '--help');
      expect(status).toBe(0);
      expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
      expect(run('help', name).stdout).toBe(stdout);
    },
    20_000,
  );
});

describe('idiolect completion', () => {
  const completion = (program: Command): void => registerCompletion(program, loadAll);

  const words = async (): Promise<readonly string[]> => {
    const loaded = await loadAll();
    return loaded.flatMap((command) => [command.name(), ...command.options.map(({ long }) => `${long}`)]);
  };

  it.each(['bash', 'zsh', 'fish'])('names every command and option in %s', async (shell) => {
    const { text } = await runCommand(completion, 'completion', shell);
    for (const word of await words()) expect(text).toContain(word.replace(/^--/, ''));
  });

  it('completes in bash', async () => {
    const { text } = await runCommand(completion, 'completion', 'bash');
    const complete = (...line: readonly string[]): string[] => {
      const typed = line.map((word) => `'${word}'`).join(' ');
      const script = `${text}COMP_WORDS=(${typed}); COMP_CWORD=${line.length - 1}; _idiolect; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
    };
    expect(complete('idiolect', 'in')).toEqual(['inspect', 'info']);
    expect(complete('idiolect', 'chat', '--thr')).toEqual(['--threads']);
    expect(complete('idiolect', 'chat', '--server', '')).toEqual(['llama-server', 'vllm', 'sglang']);
    expect(complete('idiolect', 'rm', '--ca')).toEqual(['--cache']);
    expect(complete('idiolect', 'inspect', 'a')).toEqual([]);
    expect(complete('idiolect', 'completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(complete('idiolect', 'completion', 'f')).toEqual(['fish']);
    expect(complete('idiolect', 'completion', 'bash', '')).toEqual([]);
  });

  it('offers the shells in fish, where the command takes one', async () => {
    const { text } = await runCommand(completion, 'completion', 'fish');
    const lines = text.split('\n').filter((line) => line.includes("-a 'bash zsh fish'"));
    expect(lines).toEqual([
      "complete -c idiolect -n '__fish_seen_subcommand_from completion' -x -a 'bash zsh fish'",
    ]);
  });
});

describe('idiolect toy', () => {
  it('writes the toy, and replaces nothing else', async () => {
    const file = path.join(folder, 'toy.gguf');
    await runCommand(registerToy, 'toy', file);
    expect(fs.readFileSync(file).equals(await toyModel())).toBe(true);
    await runCommand(registerToy, 'toy', file);
    fs.writeFileSync(file, 'mine');
    await expect(runCommand(registerToy, 'toy', file)).rejects.toThrow(/exists and is something else/);
    expect(fs.readFileSync(file, 'utf8')).toBe('mine');
    const { text } = await runCommand(registerToy, 'toy', file, '--force', '--format', 'tags', '--json');
    expect(fs.readFileSync(file).equals(await toyModel('tags'))).toBe(true);
    expect(JSON.parse(text)).toEqual({
      type: 'toy_model',
      file,
      format: 'tags',
      size: fs.statSync(file).size,
    });
  });
});

describe('a mistake has one message', () => {
  it.each([
    ['inspect', registerInspect],
    ['info', registerInfo],
    ['chat', registerChat],
  ] as const)('%s says the same of a folder, and of nothing at all', async (name, register) => {
    await expect(runCommand(register, name, folder)).rejects.toThrow(
      `${folder} is a folder; give a file in it`,
    );
    const missing = path.join(folder, 'missing.gguf');
    await expect(runCommand(register, name, missing)).rejects.toThrow(
      /no such file.*idiolect pull.*idiolect toy/,
    );
  });

  it('says of an empty template that it is empty', async () => {
    const file = path.join(folder, 'empty.jinja');
    fs.writeFileSync(file, ' \n');
    await expect(runCommand(registerInspect, 'inspect', file)).rejects.toThrow(`${file} is empty`);
  });
});

describe('errors speak of flags', () => {
  const flags = async () => {
    return flagsOf(await loadAll());
  };
  const said = async (error: Error): Promise<string> =>
    stripVTControlCharacters(reportError(error, false, await flags()));

  it('where an option of the library is at fault', async () => {
    const error = new UnsupportedOptionError({ option: 'contextSize', reason: 'must be a number' });
    expect(await said(error)).toBe('error --context-size must be a number\n');
    const { error: facts } = JSON.parse(reportError(error, true, await flags()));
    expect(facts).toMatchObject({ message: '--context-size must be a number', option: 'contextSize' });
  });

  it('where a message names both', async () => {
    const capabilities = { supportsTools: false, supportsToolCalls: false } as never;
    const facts = { model: 'm', template: 'default', capabilities } as const;
    const message = await said(new ToolsUnsupportedError(facts));
    expect(message).toContain('allow it with --no-require-tools; --tool-format json-list would');
    expect(message).not.toMatch(/requireTools|toolFormat/);
  });

  it('gives a model without a template no advice that does not help', async () => {
    const message = await said(new ToolsUnsupportedError({ model: 'm', template: null, capabilities: null }));
    expect(message).toContain('--template');
    expect(message).not.toContain('require-tools');
  });
});
