/** Paths as Windows has them, emulated: drives, blanks, letters of all scripts, case, lengths, the user's folders. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { analyzeTemplate } from 'idiolect';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { openLineInput } from '../../src/cli/chat/line-input.ts';
import { registerGenerate } from '../../src/cli/generate/generate.ts';
import { readToolSources } from '../../src/cli/generate/tool-source.ts';
import { folderName } from '../../src/cli/model-source.ts';
import { emitModule } from '../../src/generate/emit-module.ts';
import { emitRegistry } from '../../src/generate/emit-registry.ts';
import { localPath, userCache } from '../../src/hub/local-file.ts';
import { looksLikeReference } from '../../src/hub/reference.ts';
import { llamaTemplate } from '../support/corpora.ts';
import { runCommand } from './run-command.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'windows paths ü中 '));
afterAll(() => fs.rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

describe('a drive', () => {
  it('of an address is that of the path', () => {
    expect(localPath('file:///C:/my%20models/%C3%BC.gguf', 'win32')).toBe('C:\\my models\\ü.gguf');
    expect(localPath(new URL('file:///D:/toy.gguf'), 'win32')).toBe('D:\\toy.gguf');
    expect(localPath('file://server/share/toy.gguf', 'win32')).toBe('\\\\server\\share\\toy.gguf');
  });

  it.each([
    'C:\\models\\toy.gguf',
    'C:/models/toy.gguf',
    'C:/models/toy',
    'C:toy',
    '\\\\server\\share\\toy',
    '\\\\?\\C:\\models\\toy',
    '//server/share/toy',
    '..\\toy',
  ])('%s is no model of the Hub, and stays as it is', (given) => {
    expect(looksLikeReference(given)).toBe(false);
    expect(localPath(given, 'win32')).toBe(given);
  });
});

describe('a folder with blanks and other letters', () => {
  it('is read from, imported from and written to', async () => {
    const { source } = await llamaTemplate('Qwen-Qwen3-0.6B');
    const template = path.join(folder, 'Ein Modell.jinja');
    fs.writeFileSync(template, source);
    const tools = [
      { name: 'get_weather', description: 'It.', parameters: { type: 'object', properties: {} } },
    ];
    const file = path.join(folder, 'werk zeuge.mjs');
    fs.writeFileSync(file, `export const tools = ${JSON.stringify(tools)};`);
    const [read] = (await readToolSources([file])).tools;
    expect(read?.function.name).toBe('get_weather');
    const out = path.join(folder, 'aus gabe');
    const said = await runCommand(registerGenerate, 'generate', '-o', out, '--tools', file, template);
    expect(said.text).toContain('ein-modell');
    expect(fs.readdirSync(path.join(out, 'ein-modell'))).toContain('tools.compiled.ts');
  });
});

describe('names', () => {
  it('that differ in case alone would be one folder, and are refused', async () => {
    const { source } = await llamaTemplate('Qwen-Qwen3-0.6B');
    for (const name of ['One.jinja', 'one.jinja']) fs.writeFileSync(path.join(folder, name), source);
    const out = path.join(folder, 'case');
    const files = ['One.jinja', 'one.jinja'].map((name) => path.join(folder, name));
    await expect(runCommand(registerGenerate, 'generate', '-o', out, ...files)).rejects.toThrow(
      'would both become one',
    );
    expect(fs.existsSync(out)).toBe(false);
  });

  it('add a bounded length to the path that was chosen', async () => {
    const { source } = await llamaTemplate('Qwen-Qwen3-0.6B');
    const files = Object.keys(emitModule(analyzeTemplate(source).format));
    const longest = Math.max(...files.map((file) => file.length));
    // What Windows allows without a prefix, less a folder of the user's that is long itself.
    const added = path.win32.join(`${folderName('M'.repeat(999))}.new-4294967295`, 'x'.repeat(longest));
    expect(added.length).toBeLessThan(260 - 110);
  });

  it('in what is written have slashes, on every system', async () => {
    const { source } = await llamaTemplate('Qwen-Qwen3-0.6B');
    const texts = Object.values(emitModule(analyzeTemplate(source).format));
    const registry = emitRegistry([{ name: 'one', templateSha256: 'ab' }]);
    const imported = [...texts, registry].flatMap((text) =>
      Array.from(text.matchAll(/(?:from|import\() ?'([^']+)'/g), ([, name = '']) => name),
    );
    expect(imported.length).toBeGreaterThan(3);
    expect(imported.filter((name) => !/^(?:\.\/|idiolect)[\w./-]*$/.test(name))).toEqual([]);
    // Nothing that writes modules can ask how this system joins paths.
    for (const room of ['generate', 'codegen']) {
      const files = fs.readdirSync(path.join('src', room), { recursive: true, encoding: 'utf8' });
      const sources = files
        .filter((file) => file.endsWith('.ts'))
        .map((file) => fs.readFileSync(path.join('src', room, file), 'utf8'));
      expect(sources.filter((text) => /from 'node:path'/.test(text))).toEqual([]);
    }
  });
});

describe('the folders of the user', () => {
  it('are found without HOME', () => {
    vi.spyOn(os, 'homedir').mockReturnValue('C:\\Users\\Ada');
    expect(userCache({ USERPROFILE: 'C:\\Users\\Ada', LOCALAPPDATA: 'C:\\Users\\Ada\\AppData\\Local' })).toBe(
      path.join('C:\\Users\\Ada', '.cache'),
    );
    expect(userCache({ XDG_CACHE_HOME: 'D:\\cache' })).toBe('D:\\cache');
  });
});

describe('lines that are piped in', () => {
  it('may end as on Windows', async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: false });
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(stdin as unknown as typeof process.stdin);
    const input = openLineInput('› ');
    stdin.write('one\r');
    stdin.write('\n\r\ntwo');
    stdin.end();
    expect([await input.next(), await input.next(), await input.next(), await input.next()]).toEqual([
      'one',
      '',
      'two',
      null,
    ]);
    input.close();
  });
});
