/** Vectors of texts and ranks of documents, by models of random weights on node-llama-cpp. */
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContextOverflowError } from '../../src/format/errors.ts';
import { loadEmbeddingModel } from '../../src/runtime/node-llama-cpp/index.ts';
import { createHandler } from '../../src/serve/index.ts';
import { openLlamaTiny } from '../support/small-chats.ts';
import { contextLength, tinyBert } from '../support/tiny-bert.ts';

const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'idiolect-bert-'));
const [embedder, ranker] = ['embedder.gguf', 'ranker.gguf'].map((name) => path.join(folder, name)) as [
  string,
  string,
];
beforeAll(async () => {
  await fs.writeFile(embedder, await tinyBert(false));
  await fs.writeFile(ranker, await tinyBert(true));
});
afterAll(() => fs.rm(folder, { recursive: true }));

const options = { gpu: false, threads: 1 } as const;
const texts = ['The cat sat.', 'It will rain in Bern tomorrow.', 'The cat sat.'];

function lengthOf(vector: readonly number[] | undefined): number {
  return Math.hypot(...(vector ?? []));
}

describe('a model for search', () => {
  it('gives equal texts equal vectors of length 1', async () => {
    const model = await loadEmbeddingModel(embedder, options);
    const { vectors, tokens } = await model.embed(texts);
    expect(vectors.map((vector) => lengthOf(vector).toFixed(4))).toEqual(['1.0000', '1.0000', '1.0000']);
    expect(vectors[0]).toEqual(vectors[2]);
    expect(vectors[0]).not.toEqual(vectors[1]);
    expect(tokens).toBeGreaterThan(texts.length * 3);
    const [alone] = (await model.embed([texts[1] ?? ''])).vectors;
    for (const [index, value] of (alone ?? []).entries())
      expect(value).toBeCloseTo(vectors[1]?.[index] ?? 9, 5);
    expect(model.contextSize).toBe(contextLength);
    expect(model.rank).toBeUndefined();
    await model.dispose();
  });

  it('refuses a text that is too long, which would end the process, and stops', async () => {
    const model = await loadEmbeddingModel(embedder, options);
    await expect(model.embed(['cat '.repeat(contextLength)])).rejects.toThrow(ContextOverflowError);
    await expect(model.embed(texts, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow(
      'enough',
    );
    await expect(loadEmbeddingModel(embedder, { ...options, contextSize: 1e6 })).rejects.toMatchObject({
      option: 'contextSize',
    });
    await model.dispose();
  });

  it('ranks documents if it is made for it', async () => {
    const model = await loadEmbeddingModel(ranker, options);
    const ranked = await model.rank?.('cats', texts);
    expect(ranked?.scores).toHaveLength(3);
    for (const score of ranked?.scores ?? []) {
      expect(score).toBeGreaterThan(0);
      expect(score).toBeLessThan(1);
    }
    expect(ranked?.scores[0]).toBe(ranked?.scores[2]);
    expect(ranked?.scores[0]).not.toBe(ranked?.scores[1]);
    await expect(model.rank?.('cats', ['cat '.repeat(contextLength)])).rejects.toThrow(ContextOverflowError);
    await model.dispose();
  });

  it('is served', async () => {
    const models = [await loadEmbeddingModel(embedder, options), await loadEmbeddingModel(ranker, options)];
    const handler = createHandler(models);
    const ask = async (where: string, body: object) => {
      const request = new Request(`http://here.test${where}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const response = await handler(request);
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    expect(await ask('/v1/embeddings', { model: 'embedder.gguf', input: texts })).toMatchObject({
      status: 200,
      body: { data: [{ index: 0 }, { index: 1 }, { index: 2 }] },
    });
    expect(await ask('/v1/rerank', { model: 'ranker.gguf', query: 'cat', documents: texts })).toMatchObject({
      status: 200,
      body: { results: [{}, {}, {}] },
    });
    expect(await ask('/v1/rerank', { query: 'cat', documents: texts })).toMatchObject({ status: 400 });
    const messages = [{ role: 'user', content: 'Hello' }];
    expect(await ask('/v1/chat/completions', { messages })).toMatchObject({ status: 400 });
    expect(await ask('/v1/embeddings', { input: 'cat '.repeat(contextLength) })).toMatchObject({
      status: 400,
      body: { error: { code: 'context_length_exceeded' } },
    });
    await handler.close();
    for (const model of models) await model.dispose();
  });
});

it('a model that chats has vectors, too', async () => {
  const model = await openLlamaTiny();
  const { vectors } = await model.embed(texts);
  expect(vectors[0]).toEqual(vectors[2]);
  expect(lengthOf(vectors[1])).toBeCloseTo(1);
  await model.dispose();
});
