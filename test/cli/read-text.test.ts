/** Files of any usual encoding of Unicode are the same text. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readToolSources } from '../../src/cli/generate/tool-source.ts';
import { readModelSource } from '../../src/cli/model-source.ts';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-text-'));
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

const little = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
const encodings: readonly [string, (text: string) => Buffer][] = [
  ['UTF-8', (text) => Buffer.from(text)],
  ['UTF-8 with a byte order mark', (text) => Buffer.from(`\ufeff${text}`)],
  ['UTF-16, little end first', little],
  ['UTF-16, big end first', (text) => little(text).swap16()],
];

it.each(encodings)('a file in %s is the same text', async (_name, encode) => {
  const [template, list] = ['a.jinja', 'tools.json'].map((name) => path.join(root, name));
  fs.writeFileSync(template ?? '', encode('{{ "ü€😀" }}'));
  fs.writeFileSync(list ?? '', encode('[{"name": "größe"}]'));
  expect((await readModelSource(template ?? '')).templateSource).toBe('{{ "ü€😀" }}');
  const { tools } = await readToolSources([list ?? '']);
  expect(tools.map((tool) => tool.function.name)).toEqual(['größe']);
});

it('a binary file is not taken for a template', async () => {
  const file = path.join(root, 'binary.jinja');
  fs.writeFileSync(file, Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13));
  await expect(readModelSource(file)).rejects.toThrow('binary.jinja is not text');
});
