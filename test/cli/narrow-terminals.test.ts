/** What commands tell keeps to the width of a terminal, except for words and samples that are longer. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { registerInfo } from '../../src/cli/hub/info.ts';
import { registerVerify } from '../../src/cli/verify.ts';
import { wrapped } from '../../src/cli/wrapped.ts';
import { toyModel } from '../../src/testing/index.ts';
import { runCommand } from './run-command.ts';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-narrow-'));
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));
const toy = path.join(root, 'toy.gguf');
beforeAll(async () => fs.writeFileSync(toy, await toyModel()));

const { columns: usual } = process.stdout;
afterEach(() => {
  process.stdout.columns = usual;
});

/** What is told, without the sample, which stands as it is between two empty lines. */
const told = (text: string): string => text.replace(/\n\n[^✓]*?(?=\n\n✓)/, '');
const words = (text: string): string => text.replaceAll(/\s+/g, ' ');

async function shown(
  columns: number | undefined,
  ...commands: readonly (readonly [typeof registerInfo, string, string])[]
) {
  Object.assign(process.stdout, { columns });
  let text = '';
  for (const [register, name, target] of commands) text += (await runCommand(register, name, target)).text;
  return told(text);
}

it.each([60, 50, 40])('of info on %i columns, with the same words', async (columns) => {
  const info = [registerInfo, 'info', toy] as const;
  const narrow = await shown(columns, info);
  for (const line of narrow.split('\n')) {
    const isOneWord = /^ *(\S+ +)?\S+$/.test(line);
    expect(line.length <= columns || isOneWord, line).toBe(true);
  }
  expect(words(narrow)).toBe(words(await shown(undefined, info)));
});

it('of what verify cannot read', async () => {
  const missing = path.join(root, 'a.jinja');
  const narrow = await shown(60, [registerVerify, 'verify', missing]);
  for (const line of narrow.split('\n').filter((each) => !each.includes(root)))
    expect(line.length, line).toBeLessThanOrEqual(60);
});

it('as many texts as a line has room for', () => {
  process.stdout.columns = 10;
  expect(wrapped(['aaa', 'bbb', 'cc'], 2)).toBe('aaa bbb\n  cc');
  expect(wrapped(['aaaaaaaaaaaa', 'b'], 0)).toBe('aaaaaaaaaaaa\nb');
  process.stdout.columns = 12;
  expect(wrapped(['aaa', 'bbb', 'cc'], 2)).toBe('aaa bbb cc');
});
