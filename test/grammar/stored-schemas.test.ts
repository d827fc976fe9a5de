/** Schemas that are kept between processes: another cache has them without compiling, and nothing spoilt is believed. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UnsupportedOptionError } from '../../src/format/errors.ts';
import type { JsonObject, Tool } from '../../src/format/messages.ts';
import { sha256 } from '../../src/format/sha256.ts';
import type { PlainGrammarOptions } from '../../src/grammar/grammar-options.ts';
import type { SchemaStore } from '../../src/grammar/stored-schemas.ts';
import { GrammarCache, type ReadyGrammar } from '../../src/runtime/chat/grammar-cache.ts';
import { schemaFolder } from '../../src/runtime/node-llama-cpp/states/schema-folder.ts';
import { sampled } from '../support/sample.ts';
import { jsonInTags } from '../support/sample-formats.ts';
import { sampleGrammar, seededRandom } from '../support/sample-grammar.ts';

/** Dear: `words` and `sums` are automata of some thousand states. */
function schemaOf(most: number): JsonObject {
  return {
    type: 'object',
    properties: {
      words: { type: 'string', pattern: '^(?:[a-z]+ ){0,19}[a-z]+$', maxLength: most },
      sums: { type: 'string', pattern: '^(?:[0-9]+[+]){0,19}[0-9]+$', maxLength: most },
      tree: { $ref: '#/$defs/tree' },
    },
    required: ['words'],
    additionalProperties: false,
    $defs: { tree: { type: 'array', items: { $ref: '#/$defs/tree' } } },
  };
}

const tools: readonly Tool[] = [120, 130].map((most) => ({
  type: 'function',
  function: { name: `most_${most}`, parameters: schemaOf(most) },
}));
const requests: readonly (readonly [string, PlainGrammarOptions])[] = [
  ['tools', { tools, toolChoice: 'required' }],
  ['an answer', { responseFormat: { type: 'json_schema', json_schema: { schema: schemaOf(120) } } }],
];

let folder = '';
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-schemas-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

/** A folder, and how often it had what was asked for. */
function counted(): { readonly store: SchemaStore; readonly found: (string | null)[] } {
  const found: (string | null)[] = [];
  const inner = schemaFolder(path.join(folder, 'deep', 'er'));
  const read = (name: string) => {
    found.push(inner.read(name));
    return found.at(-1) ?? null;
  };
  return { store: { ...inner, read }, found };
}

function ask(store: SchemaStore | null, request: PlainGrammarOptions) {
  return new GrammarCache(sha256, store).prepare(jsonInTags, request, undefined);
}

/** Texts that one grammar writes are texts of the other, too, and the reports are the same. */
function expectAlike(one: ReadyGrammar, other: ReadyGrammar): void {
  expect(one.grammar.report).toEqual(other.grammar.report);
  const random = seededRandom(Number(process.env.SEED));
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    if (from.grammar.expression === null) throw new TypeError('a grammar was asked for');
    for (let count = 0; count < 10; count += 1) {
      const text = sampleGrammar(from.grammar.expression, random, 10);
      const matcher = to.matcher?.clone();
      expect({ text, accepted: matcher?.accept(text) === true && matcher.complete }).toEqual({
        text,
        accepted: true,
      });
    }
  }
}

describe.each(requests)('what was compiled for %s', (_, request) => {
  test('is had by another process without compiling', async () => {
    const [first, second] = [counted(), counted()];
    await ask(first.store, request);
    expect(new Set(first.found)).toEqual(new Set([null]));
    const again = await ask(second.store, request);
    expect(second.found).toHaveLength(first.found.length);
    expect(second.found).not.toContain(null);
    expectAlike(again, await ask(null, request));
  });

  test.each(
    sampled<[string, (text: string) => string]>(
      [
        ['cut short', (text) => text.slice(0, text.length / 2)],
        ['without one of its rules', (text) => text.replace(/"rules":\{"[^"]+":/, '"rules":{"other":')],
        ['something else', () => '[{"value": 5}]'],
      ],
      3,
    ),
  )('is compiled again where it is %s', async (_name, spoil) => {
    const { store } = counted();
    await ask(store, request);
    const inner = path.join(folder, 'deep', 'er');
    const files = fs.readdirSync(inner).map((file) => path.join(inner, file));
    const kept = files.map((file) => fs.readFileSync(file, 'utf8'));
    for (const [index, file] of files.entries()) fs.writeFileSync(file, spoil(kept[index] ?? ''));
    expectAlike(await ask(store, request), await ask(null, request));
    expect(files.map((file) => fs.readFileSync(file, 'utf8'))).toEqual(kept);
  });
});

test('a folder that cannot be made is a wrong option', () => {
  const file = path.join(folder, 'file');
  fs.writeFileSync(file, '');
  expect(() => schemaFolder(file)).toThrow(UnsupportedOptionError);
});
