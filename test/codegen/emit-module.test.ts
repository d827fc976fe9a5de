/** What generated source text looks like. That it reads what the interpreter reads is a law of the parser. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { generatedBanner } from '../../src/codegen/banner.ts';
import { lowerToStates, references } from '../../src/codegen/lower-to-states.ts';
import type { ToolCall } from '../../src/format/messages.ts';
import { toolVersion } from '../../src/format/version.ts';
import { emitModule } from '../../src/generate/emit-module.ts';
import { turnLayout } from '../../src/layout/turn-layout.ts';
import { writeCalls } from '../../src/layout/write-response.ts';
import { generatedModule } from '../support/generated-module.ts';
import { sampleFormats } from '../support/sample-formats.ts';

/** States whose text is all of calls, but for those that read malformed ones. */
const insideCalls =
  /^(?:afterCalls?Open|inCall|in(?:Tool|Composed)|before(?:Argument|Key|Object|Item)|in(?:Key|Value|Object|Array|Item)|after(?:Entry|Property|Item|Call$)|argumentsEnded|nestedEnded|at(?:Outer)?CallEnd)/;

/** Two calls as samples show them, one with two arguments, and one for each kind of nested value. */
const sampleCalls: readonly (readonly ToolCall[])[] = [
  ['{"city":"Paris"}', '{"city":"Paris"}'],
  ['{"city":"Paris","days":"x"}'],
  ['{"city":{"city":"Paris","days":"x"}}'],
  ['{"city":{"city":"Paris"}}'],
  ['{"city":["Paris","Paris"]}'],
].map((made) =>
  made.map((args, index) => ({
    id: `abc${123 + index}`,
    type: 'function',
    function: { name: 'get_time', arguments: args },
  })),
);

describe.each(sampleFormats)('%s', (_name, format) => {
  const program = lowerToStates(format);

  it('has all states that it refers to, each once, and no others', () => {
    const names = program.states.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const wanted = new Set([program.start, ...program.states.flatMap(references)]);
    expect(new Set(names)).toEqual(wanted);
  });

  it('draws every state inside a call as the format writes it', () => {
    const { calls } = turnLayout(format);
    const written = sampleCalls.map((made) => (calls === null ? '' : writeCalls(calls, made))).join('\f');
    for (const { name, picture } of program.states.filter((state) => insideCalls.test(state.name))) {
      // What is too long for a line is cut; each of the rest is written.
      const sample = (picture.before + picture.here + picture.after).split('…');
      for (const part of sample) expect(written, name).toContain(part);
    }
  });

  it('draws every state: the carets stand under the sample, and not under what is left out', () => {
    const lines = emitModule(format)['parser.ts'].split('\n');
    for (const { name, title } of program.states) {
      const at = lines.findIndex((line) => line.startsWith(`    ${name}: `));
      const carets = /^ {4}\/\/ ( *)(\^+)(?: (.*))?$/.exec(lines[at - 1] ?? '');
      const [, before = '', under = '', label] = carets ?? [];
      expect(under, name).not.toBe('');
      // The title stands next to the carets or, where they leave no room, above the sample.
      expect(label === undefined ? lines[at - 3] : label, name).toMatch(new RegExp(`${title}$`));
      const sample = (lines[at - 2] ?? '').slice('    // '.length);
      const marked = sample.slice(before.length, before.length + under.length);
      // The text may be empty after the last caret: a place at the end of the sample.
      expect(before.length + under.length, name).toBeLessThanOrEqual(sample.length + 1);
      if (under.length > 1) expect(marked, name).not.toContain('…');
    }
  });

  it('names every marker once, and uses each', () => {
    const source = emitModule(format)['parser.ts'];
    const [, markers = '', states = ''] = source.split(/^ {2}(?:markers|states): \{$/m);
    const names = [...markers.matchAll(/^ {4}(\w+): /gm)].map(([, name = '']) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(
      new Set(markers.split('\n').map((line) => line.replace(/^ {4}\w+: /, ''))).size,
    ).toBeGreaterThanOrEqual(names.length);
    for (const name of names) expect(states).toMatch(new RegExp(`\\b${name}: `));
  });

  it('fits into 120 columns, and names markers by words', () => {
    const source = emitModule(format)['parser.ts'];
    for (const line of source.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
    const [, markers = ''] = source.split(/^ {2}(?:markers|states): \{$/m);
    expect(markers).not.toMatch(/^ {4}\w+\d: /m);
  });

  it('is written the same every time, and its format is the format', () => {
    const files = emitModule(format);
    expect(emitModule(structuredClone(format))).toEqual(files);
    expect(JSON.parse(files['format.json'])).toEqual(format);
    for (const source of [files['parser.ts'], files['index.ts']]) {
      expect(source.startsWith(generatedBanner)).toBe(true);
    }
  });
});

it('a generated module is formatted and passes the linter as it is written', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-emit-'));
  const { formatter, javascript, linter, overrides } = JSON.parse(fs.readFileSync('biome.json', 'utf8'));
  const config = { formatter, javascript, linter, overrides };
  fs.writeFileSync(path.join(folder, 'biome.json'), JSON.stringify(config));
  for (const [name, format] of sampleFormats) {
    fs.mkdirSync(path.join(folder, 'generated', name), { recursive: true });
    for (const [file, source] of Object.entries(emitModule(format))) {
      if (file.endsWith('.ts')) fs.writeFileSync(path.join(folder, 'generated', name, file), source);
    }
  }
  const biome = path.resolve('node_modules/.bin/biome');
  const { status, stdout, stderr } = spawnSync(biome, ['check', 'generated'], {
    cwd: folder,
    encoding: 'utf8',
  });
  fs.rmSync(folder, { recursive: true });
  expect(status, stdout + stderr).toBe(0);
});

it('a generated module carries the version of the package', () => {
  expect(toolVersion).toBe(JSON.parse(fs.readFileSync('package.json', 'utf8')).version);
});

it('a generated module writes texts of other alphabets and line ends so that they stay what they are', () => {
  const [, format] = sampleFormats[0] ?? [];
  if (format === undefined) throw new Error('no format');
  const turn = { ...format.turn, start: '<｜▁"\'\\ \u2028*/>\r\n', ends: ['</｜>'] };
  const changed = { ...format, turn };
  expect(emitModule(changed)['parser.ts']).not.toMatch(/[\r\u2028]/);
  expect(generatedModule(changed).turnStart).toBe(turn.start);
});
