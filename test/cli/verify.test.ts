/** `idiolect verify`: one line for every file, whatever the others are. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { registerVerify } from '../../src/cli/verify.ts';
import { runCommand } from './run-command.ts';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-verify-'));
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

const at = (name: string): string => path.join(root, name);
const verify = (...args: string[]) => runCommand(registerVerify, 'verify', ...args);

beforeAll(() => {
  fs.copyFileSync(path.join(import.meta.dirname, '../../docs/lantern/lantern.jinja'), at('good.jinja'));
  fs.writeFileSync(at('empty.jinja'), '');
  fs.writeFileSync(at('open.jinja'), 'one\n{% if x %}');
  fs.mkdirSync(at('folder.jinja'));
});

it('verify goes on after files that cannot be read, and fails at the end', async () => {
  const files = ['missing.jinja', 'folder.jinja', 'empty.jinja', 'good.jinja'].map(at);
  const { text, exitCode } = await verify(...files);
  const lines = text.trimEnd().split('\n');
  expect(exitCode).toBe(1);
  expect(lines.slice(1).map((line) => line.split(/\s/, 1)[0])).toEqual(files);
  expect(lines[1]).toMatch(/missing\.jinja +no such file/);
  expect(lines[2]).toMatch(/folder\.jinja +is a folder/);
  expect(lines[4]?.match(/holds/g)).toHaveLength(7);
});

it('verify takes addresses of files, and knows what a shell would have made of ~', async () => {
  expect((await verify(pathToFileURL(at('good.jinja')).href)).exitCode).toBe(0);
  const { text, exitCode } = await verify('~/none.jinja');
  expect(exitCode).toBe(1);
  expect(text).toContain(
    `only shells replace ~ with the home folder; write ${path.join(os.homedir(), 'none.jinja')}`,
  );
});

it('verify names file, line and column of what does not parse', async () => {
  const { text } = await verify(at('open.jinja'));
  expect(text).toContain(`${at('open.jinja')}:2:1: `);
});

it('verify tells programs, too, which file cannot be read, and goes on', async () => {
  const { text, exitCode } = await verify('--json', at('missing.jinja'), at('good.jinja'));
  expect(exitCode).toBe(1);
  expect(JSON.parse(text)).toMatchObject([
    { file: at('missing.jinja'), result: { error: { code: 'model-file' } } },
    { file: at('good.jinja'), result: { holds: true } },
  ]);
});

it('verify succeeds where every law holds', async () => {
  expect((await verify(at('good.jinja'))).exitCode).toBe(0);
});
