/** What the inspector page computes, without a browser: links, files, comparisons, readings. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareFormats, fieldsOf } from '../../site/inspector/core/compare-formats.ts';
import { readFragment, type SharedState, writeFragment } from '../../site/inspector/core/permalink.ts';
import { readTemplateFile } from '../../site/inspector/core/read-file.ts';
import { type Reading, readResponse } from '../../site/inspector/core/read-response.ts';
import { readModelSource } from '../../src/cli/model-source.ts';
import { sampleMessage, sampleSpans, sampleTool } from '../../src/cli/sample-response.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import { toyModel } from '../../src/testing/index.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { sampled } from '../support/sample.ts';

const formats = generatedFormats();

describe('a link', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 200 });
  const state: fc.Arbitrary<SharedState> = fc.record(
    {
      input: fc.record(
        {
          ...{ name: text, templateSource: text, bosToken: text, eosToken: text },
          ...{ addedTokens: fc.array(text), endTokens: fc.array(text) },
        },
        { requiredKeys: ['name', 'templateSource'] },
      ),
      output: text,
    },
    { requiredKeys: ['input'] },
  );

  it('holds the whole state, in characters that every program leaves alone', async () => {
    await fc.assert(
      fc.asyncProperty(state, async (given) => {
        const fragment = await writeFragment(given);
        expect(fragment).toMatch(/^1\.[\w-]+$/);
        expect(await readFragment(`#${fragment}`)).toEqual(given);
      }),
      { numRuns: 50 },
    );
  });

  it('that is broken gives nothing, and does not throw', async () => {
    const whole = await writeFragment({ input: { name: 'a', templateSource: 'b'.repeat(100) } });
    const cut = whole.slice(0, -3);
    const packed = (value: unknown) => writeFragment(value as SharedState);
    const others = [await packed(null), await packed([1]), await packed({ input: { templateSource: 1 } })];
    for (const broken of ['', '#', '#1.', '#1.****', '#2.AAAA', '#1.AAAA', cut, ...others]) {
      expect(await readFragment(broken), broken).toBeNull();
    }
    await fc.assert(
      fc.asyncProperty(fc.string(), async (any) => {
        expect(await readFragment(`1.${any}`)).toBeNull();
      }),
      { numRuns: 50 },
    );
  });

  it('that unpacks to more than 16 MB gives nothing', async () => {
    const bomb = { input: { name: 'bomb', templateSource: ' '.repeat(16_000_001) } };
    const fragment = await writeFragment(bomb);
    expect(fragment.length).toBeLessThan(30_000);
    expect(await readFragment(fragment)).toBeNull();
  });
});

describe('a model file', () => {
  it.each(['json', 'channels'] as const)('is read as the command reads it (%s)', async (format) => {
    const bytes = await toyModel(format);
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'model-'));
    const file = path.join(folder, 'toy.gguf');
    fs.writeFileSync(file, bytes);
    const { templateSource, bosToken, eosToken, facts } = await readModelSource(file);
    expect(facts?.endTokens).toContain(eosToken);
    expect(await readTemplateFile(new File([bytes], 'toy.gguf'))).toEqual({
      ...{ name: 'toy.gguf', templateSource, bosToken, eosToken },
      ...facts,
    });
  });
});

describe('a comparison', () => {
  it('of a format with itself finds nothing', () => {
    for (const { name, format } of formats) expect(compareFormats(format, format), name).toEqual([]);
  });

  it('finds what differs, and the same the other way round', () => {
    for (const [index, { name, format }] of formats.entries()) {
      const other = formats[(index + 1) % formats.length]?.format ?? format;
      const there = compareFormats(format, other);
      const back = new Map(compareFormats(other, format).map((each) => [each.path, each]));
      expect(back.size, name).toBe(there.length);
      for (const { path, one, other: second } of there) {
        expect(one, path).not.toBe(second);
        expect(back.get(path), path).toEqual({ path, one: second, other: one });
        if (one !== undefined) expect(one, path).toBe(valueAt(format, path));
        if (second !== undefined) expect(second, path).toBe(valueAt(other, path));
      }
    }
  });

  it('tells one changed field by its path', () => {
    for (const { name, format } of formats) {
      const changed = { ...format, templateSha256: '', turn: { ...format.turn, start: '<changed>' } };
      const differences = compareFormats(format, changed);
      expect(differences, name).toEqual([
        { path: 'turn.start', one: JSON.stringify(format.turn.start), other: '"<changed>"' },
      ]);
    }
  });

  it('sees every field once', () => {
    for (const { name, format } of formats) {
      const paths = fieldsOf(format).map(({ path }) => path);
      expect(new Set(paths).size, name).toBe(paths.length);
    }
  });
});

describe('a reading', () => {
  const tools = [sampleTool];

  /** With the end of the turn. */
  function written(format: ChatFormat): string {
    const spans = sampleSpans(format, { message: sampleMessage(format), tools });
    return spans.map(({ text }) => text).join('');
  }

  function read(format: ChatFormat, text: string, at = text.length): Reading {
    return readResponse(format, { text, at, tools, generationPrompt: null });
  }

  it.each(sampled(formats, 4))(
    'of $name is what the parser says, wherever the replay stands',
    ({ format }) => {
      const text = written(format);
      const cuts = [0, 1, Math.floor(text.length / 3), Math.floor(text.length / 2), text.length];
      for (const at of cuts) {
        const reading = read(format, text, at);
        const parser = createResponseParser(format, { tools, markers: true });
        parser.feed(text.slice(0, at));
        expect(reading.position).toEqual(parser.position);
        if (at === text.length) expect(reading.message).toEqual(parser.finish('stop').message);
        else expect(reading.message).not.toHaveProperty('malformed');
        expect(reading.rows.reduce((sum, { count }) => sum + count, 0)).toBe(reading.eventCount);
        expectInOrder(reading, at);
      }
      expect(read(format, text).spans.filter(({ type }) => type === 'malformed')).toEqual([]);
    },
  );

  it('says how much of the text the grammar of required allows, wherever the replay stands', () => {
    const whole: string[] = [];
    for (const { name, format } of sampled(formats, 4, 1)) {
      const { content: _, ...message } = sampleMessage(format);
      const text = writeResponse(format, { ...message, content: '' });
      const { allowed } = read(format, text);
      if (format.calls === null) {
        expect(allowed.problem, name).toMatch(/no tool calls/);
        continue;
      }
      expect(allowed.problem, name).toBeUndefined();
      if (allowed.length === text.length) whole.push(name);
      for (const at of [0, Math.floor(text.length / 2), text.length]) {
        const there = read(format, text, at).allowed;
        expect(there.length, name).toBe(Math.min(at, allowed.length));
        expect(there.complete || there.forced !== '' || there.characters.length > 0, name).toBe(true);
      }
    }
    // A model that thinks first may be asked to begin with a marker that the sample lacks.
    expect(whole.length).toBeGreaterThan(0);
  });

  it('of anything neither throws nor loses its place', () => {
    const parts = formats.map(({ format }) => written(format));
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc
        .tuple(fc.constantFrom(...parts), fc.nat(400), fc.nat(400))
        .map(([part, from, length]) => part.slice(from, from + length)),
    );
    const format = fc.constantFrom(...formats.map((each) => each.format));
    fc.assert(
      fc.property(format, fc.array(hostile, { maxLength: 3 }), fc.nat(), (any, pieces, place) => {
        const text = pieces.join('');
        const at = place % (text.length + 1);
        expectInOrder(read(any, text, at), at);
      }),
      { numRuns: 60 },
    );
  });

  /** Spans follow each other, and none is outside of what was written. */
  function expectInOrder({ spans }: Reading, at: number): void {
    let last = 0;
    for (const { start, end } of spans) {
      expect(start).toBeGreaterThanOrEqual(last);
      expect(end).toBeGreaterThan(start);
      last = end;
    }
    expect(last).toBeLessThanOrEqual(at);
  }
});

/** The value at a path such as `calls.section.open`, as JSON. */
function valueAt(format: object, path: string): string | undefined {
  let value: unknown = format;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = new Map<string, unknown>(Object.entries(value)).get(key);
  }
  return JSON.stringify(value);
}
