import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Capabilities } from '../../src/format/capabilities.ts';
import { IdiolectError, TemplateError, ToolsUnsupportedError } from '../../src/format/errors.ts';
import { inspectFile, type ModelCard, requireToolSupport } from '../../src/hub/inspect-model.ts';
import { observeTemplate } from '../../src/hub/observe-template.ts';
import { inspectModel, obtainModel } from '../../src/hub/obtain-model.ts';
import { allTemplates, type CorpusTemplate } from '../support/corpora.ts';
import { observeWords, startFixture, toolModel } from './hub-fixture.ts';
import { modelFile } from './model-file.ts';

const plainTemplate = '{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}';

let folder = '';
let corpus: readonly CorpusTemplate[] = [];
const observed = new Map<string, Capabilities | IdiolectError>();

/** Observes each template once: the law is about the way from a file to the verdict. */
function observeOnce(source: string): Capabilities {
  const known = observed.get(source) ?? observe(source);
  observed.set(source, known);
  if (known instanceof IdiolectError) throw known;
  return known;
}

function observe(source: string): Capabilities | IdiolectError {
  try {
    return observeTemplate(source);
  } catch (error) {
    if (error instanceof IdiolectError) return error;
    throw error;
  }
}

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-gate-'));
  corpus = await allTemplates();
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

async function cardOf(template: string, toolUse?: string): Promise<ModelCard> {
  const metadata = {
    'tokenizer.chat_template': template,
    ...(toolUse === undefined ? {} : { 'tokenizer.chat_template.tool_use': toolUse }),
  };
  const file = path.join(folder, 'model.gguf');
  fs.writeFileSync(file, modelFile({ metadata }));
  return inspectFile(file, observeOnce);
}

/** Whether the gate lets the model through. */
function passes(card: ModelCard): boolean {
  try {
    requireToolSupport(card);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(IdiolectError);
    return false;
  }
}

/** What was observed of the template, next to all files. */
function canCallTools(source: string): boolean {
  try {
    const { supportsTools, supportsToolCalls } = observeOnce(source);
    return supportsTools && supportsToolCalls;
  } catch {
    return false;
  }
}

test('the gate says of every file what was observed of its template, with and without a variant', async () => {
  const wrong: string[] = [];
  for (const { id, source } of corpus) {
    const expected = canCallTools(source);
    if (passes(await cardOf(source)) !== expected) wrong.push(`${id}: as the only template`);
    if (passes(await cardOf(plainTemplate, source)) !== expected) wrong.push(`${id}: as the variant`);
    if (passes(await cardOf(source, plainTemplate))) wrong.push(`${id}: after a variant without tools`);
  }
  expect(corpus.length).toBeGreaterThan(160);
  expect(wrong).toEqual([]);
});

test('both verdicts occur in the corpora, and few templates cannot be judged', () => {
  const able = corpus.filter(({ source }) => canCallTools(source));
  expect(able.length).toBeGreaterThan(60);
  expect(corpus.length - able.length).toBeGreaterThan(20);
  const unjudged = corpus.filter(({ source }) => observed.get(source) instanceof IdiolectError);
  expect(unjudged.map(({ id }) => id).length).toBeLessThan(5);
});

describe('refused with what was seen', () => {
  test('a template without tools', async () => {
    const card = await cardOf(plainTemplate);
    expect(() => requireToolSupport(card)).toThrow(ToolsUnsupportedError);
    expect(() => requireToolSupport(card)).toThrow(/default template never reads the tools/);
  });

  test('a template that does not parse, saying so', async () => {
    const card = await cardOf('{% if %}');
    expect(card).toMatchObject({ supportsTools: false, template: { capabilities: null } });
    expect(() => requireToolSupport(card)).toThrow(TemplateError);
  });
});

describe('a model by whatever name', () => {
  test('a file, a cached model and a model of the Hub come the same way', async () => {
    const model = toolModel(70_000);
    const { hub, cache } = await startFixture({
      repositories: { 'org/model': { files: { 'm.gguf': model } } },
    });
    const options = { endpoint: hub.endpoint, cache, token: null, observe: observeWords };
    const first = await obtainModel('org/model', options);
    expect(fs.readFileSync(first.file).equals(model)).toBe(true);
    hub.requests.length = 0;
    const cached = await obtainModel('org/model', options);
    const local = await obtainModel(first.file, options);
    expect([cached.file, local.file]).toEqual([first.file, first.file]);
    expect(hub.requests).toEqual([]);
    const remote = await inspectModel('org/model', options);
    expect(remote.template).toEqual(local.card.template);
    expect(remote.size).toBe(local.card.size);
  });

  test('a cached model passes the gate or not, like any other', async () => {
    const file = modelFile({ metadata: { 'tokenizer.chat_template': 'chat' } });
    const { hub, cache } = await startFixture({
      repositories: { 'org/model': { files: { 'm.gguf': file } } },
    });
    const options = { endpoint: hub.endpoint, cache, token: null, observe: observeWords };
    await obtainModel('org/model', { ...options, requireTools: false });
    await expect(obtainModel('org/model', options)).rejects.toBeInstanceOf(ToolsUnsupportedError);
  });

  test('neither a file nor a name', async () => {
    await expect(inspectModel('/no/such.gguf')).rejects.toThrow(/no such file/);
    await expect(inspectModel(import.meta.dirname)).rejects.toThrow(/is a folder/);
    await expect(inspectModel('~/none.gguf')).rejects.toThrow(/only shells replace ~/);
    await expect(inspectModel('file://server/none.gguf')).rejects.toThrow(/no file of this disk/);
  });
});
