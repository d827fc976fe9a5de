import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fsSync from 'node:fs';
import fs from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { reportError } from '../../src/cli/report-error.ts';
import { ContextOverflowError, TemplateError, TemplateLimitError } from '../../src/format/errors.ts';
import { bundledScript } from '../support/bundled-script.ts';

const error = new TemplateError({ template: 'a.jinja', reason: 'missing }}', kind: 'syntax', line: 3 });

describe('an error that ends a command', () => {
  it('is one line for a person', () => {
    expect(stripVTControlCharacters(reportError(error, false))).toBe('error a.jinja:3: missing }}\n');
  });

  it('says of what there was too much', () => {
    const limited = new TemplateLimitError({ template: 'a.jinja', limit: 'output', allowed: 5 });
    expect(limited.message).toContain('more than 5 characters of output');
  });

  it('names what the command has, not options of the library', () => {
    const tooLong = new ContextOverflowError({ needed: 300, available: 256 });
    const shown = stripVTControlCharacters(reportError(tooLong, false));
    expect(shown).toMatch(
      /^error the prompt needs 300 tokens, 44 more than the context holds; .*--context-size/,
    );
    expect(shown).not.toMatch(/contextOverflow|contextSize/);
    expect(JSON.parse(reportError(tooLong, true))).toMatchObject({ error: { needed: 300, available: 256 } });
  });

  it('is its facts for a program', () => {
    expect(JSON.parse(reportError(error, true))).toEqual({
      error: {
        code: 'template',
        message: 'a.jinja:3: missing }}',
        template: 'a.jinja',
        reason: 'missing }}',
        kind: 'syntax',
        line: 3,
      },
    });
  });

  it('is one line where the disk says no', async () => {
    const refused: unknown = await fs.mkdir(path.join(import.meta.filename, 'below')).catch((error) => error);
    expect(stripVTControlCharacters(reportError(refused, false))).toMatch(
      /^error .*below: this path or a part of it is a file, .*\n$/,
    );
    expect(JSON.parse(reportError(refused, true)).error).toMatchObject({ code: 'ENOTDIR', syscall: 'mkdir' });
  });

  it.each([
    ['toy', 'FOLDER'],
    ['serve', 'toy.gguf', '--config', 'FOLDER'],
    ['serve', 'toy.gguf', '--config', 'FOLDER/missing.json'],
    ['inspect', 'FOLDER/missing.jinja', '--structural-tag', 'FOLDER'],
    ['generate', 'FOLDER/missing.jinja', '--tools', 'FOLDER'],
    ['chat', 'toy.gguf', '--tool-format', 'FOLDER'],
  ])('names the path that is at fault, and says nothing of system calls: %s %s %s %s', (...words) => {
    const folder = fsSync.mkdtempSync(path.join(os.tmpdir(), 'fault-'));
    const command = [
      bundledScript('src/cli/main.ts'),
      ...words.map((word) => word.replace('FOLDER', folder)),
    ];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, {
      encoding: 'utf8',
      cwd: folder,
    });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain(folder);
    expect(stderr).not.toMatch(/\bE[A-Z]{3,}\b|syscall|internal/);
  });

  it('is JSON also where the command line is wrong', () => {
    const command = [bundledScript('src/cli/main.ts'), 'generate', '--json'];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
    expect([status, stdout]).toEqual([1, '']);
    expect(JSON.parse(stderr)).toEqual({
      error: { code: 'usage', message: "missing required argument 'files'" },
    });
  });

  it.runIf(fsSync.existsSync('/dev/full'))('is one line where the output has no room', () => {
    const command = [bundledScript('src/cli/main.ts'), 'list', '--cache', '/nowhere'];
    const full = fsSync.openSync('/dev/full', 'w');
    const stdio = ['ignore', full, 'pipe'] as const;
    const { status, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8', stdio: [...stdio] });
    fsSync.closeSync(full);
    expect(status).toBe(1);
    expect(stripVTControlCharacters(stderr)).toMatch(/^error ENOSPC: .*\n$/);
  });

  it('shows the stack of a defect', () => {
    const defect = new RangeError('oops');
    expect(reportError(defect, false)).toMatch(/internal error.* RangeError: oops\n\s+at /s);
    expect(JSON.parse(reportError(defect, true)).error).toMatchObject({
      code: 'internal',
      message: 'oops',
      stack: expect.stringContaining('report-error.test.ts'),
    });
    expect(JSON.parse(reportError('oops', true)).error).toMatchObject({ code: 'internal', message: 'oops' });
  });

  it('of a port that is in use says how to get another', async () => {
    const first = net.createServer().listen(0, '127.0.0.1');
    await once(first, 'listening');
    const { port } = first.address() as net.AddressInfo;
    const [error] = await once(net.createServer().listen(port, '127.0.0.1'), 'error').catch((thrown) => [
      thrown,
    ]);
    first.close();
    expect(reportError(error, false)).toContain(`port ${port} is in use; give another with --port`);
  });
});
