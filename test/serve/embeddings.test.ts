/** `/v1/embeddings`, `/v1/rerank` and what other servers call them. */
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { createHandler, type ServableModel } from '../../src/serve/index.ts';

/** A model whose vectors and scores say what it was asked. */
const model: ServableModel = {
  name: 'searcher',
  embed: async (texts) => ({
    vectors: texts.map((text) => [text.length / 1024, 0.5, -0.25]),
    tokens: texts.length * 2,
  }),
  rank: async (query, documents) => ({
    scores: documents.map((text) => (text.includes(query) ? 0.9 : text.length / 1000)),
    tokens: 7,
  }),
};
const handler = createHandler(model);
const documents = ['a dog', 'the cat sat', 'nothing here'];

async function ask(path: string, body: object): Promise<{ status: number; body: unknown }> {
  const request = new Request(`http://search.test${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const response = await handler(request);
  return { status: response.status, body: await response.json() };
}

describe('/v1/embeddings', () => {
  it.each([undefined, 'float', 'base64'] as const)(
    'serves the client of OpenAI, encoding %s',
    async (format) => {
      const client = new OpenAI({
        apiKey: 'x',
        baseURL: 'http://search.test/v1',
        fetch: async (url, init) => handler(new Request(String(url), init as RequestInit)),
      });
      const { data, usage } = await client.embeddings.create({
        model: 'searcher',
        input: ['ab', 'abcd'],
        ...(format === undefined ? {} : { encoding_format: format }),
      });
      // Asked for Base64, this client returns it as it came.
      const numbers = data.map(({ embedding }) =>
        typeof embedding === 'string'
          ? [...new Float32Array(new Uint8Array(Buffer.from(embedding, 'base64')).buffer)]
          : embedding,
      );
      expect(numbers).toEqual([
        [2 / 1024, 0.5, -0.25],
        [4 / 1024, 0.5, -0.25],
      ]);
      expect(usage).toEqual({ prompt_tokens: 4, total_tokens: 4 });
    },
  );

  it.each([
    ['/v1/embeddings', {}, 'input'],
    ['/v1/embeddings', { input: [[1, 2]] }, 'input'],
    ['/v1/embeddings', { input: '' }, 'input'],
    ['/v1/embeddings', { input: [] }, 'input'],
    ['/v1/embeddings', { input: 'a', dimensions: 2 }, 'dimensions'],
    ['/v1/embeddings', { input: 'a', encoding_format: 'hex' }, 'encoding_format'],
    ['/v1/rerank', { documents }, 'query'],
    ['/v1/rerank', { query: 'cat' }, 'documents'],
    ['/v1/rerank', { query: 'cat', documents: [] }, 'documents'],
    ['/v1/rerank', { query: 'cat', documents: 123 }, 'documents'],
    ['/v1/rerank', { query: 'cat', documents: [1, 2] }, 'documents'],
  ])('%s refuses %j', async (path, body, param) => {
    expect(await ask(path, body)).toMatchObject({ status: 400, body: { error: { param } } });
  });

  it("has Ollama's shapes", async () => {
    const vector = [2 / 1024, 0.5, -0.25];
    expect(await ask('/api/embed', { model: 'searcher:latest', input: 'ab' })).toEqual({
      status: 200,
      body: { model: 'searcher', embeddings: [vector], prompt_eval_count: 2 },
    });
    expect((await ask('/api/embeddings', { prompt: 'ab' })).body).toEqual({ embedding: vector });
    expect(await ask('/api/embed', {})).toMatchObject({ status: 400, body: { error: expect.any(String) } });
  });
});

describe('/v1/rerank', () => {
  it.each(['/v1/rerank', '/rerank', '/v1/reranking', '/reranking'])(
    '%s puts the best first',
    async (path) => {
      expect(await ask(path, { query: 'cat', documents, top_n: 2, return_documents: true })).toEqual({
        status: 200,
        body: {
          model: 'searcher',
          object: 'list',
          usage: { prompt_tokens: 7, total_tokens: 7 },
          results: [
            { index: 1, relevance_score: 0.9, document: { text: 'the cat sat' } },
            { index: 2, relevance_score: 0.012, document: { text: 'nothing here' } },
          ],
        },
      });
    },
  );

  it("has Cohere's documents and TEI's texts", async () => {
    const given = documents.map((text) => ({ text }));
    expect(await ask('/rerank', { query: 'cat', documents: given, top_n: 99 })).toMatchObject({
      body: { results: [{ index: 1 }, { index: 2 }, { index: 0 }] },
    });
    expect(
      (await ask('/rerank', { query: 'dog', texts: documents, top_n: 1, return_text: true })).body,
    ).toEqual([{ index: 0, score: 0.9, text: 'a dog' }]);
  });
});

it('what a model cannot do is refused, and says so', async () => {
  const other = createHandler({ name: 'mute', embed: model.embed?.bind(model) } as ServableModel);
  for (const [path, body, status] of [
    ['/v1/rerank', { query: 'a', documents }, 400],
    ['/v1/chat/completions', { messages: [{ role: 'user', content: 'Hello' }] }, 400],
    ['/tokenize', { content: 'a' }, 501],
  ] as const) {
    const response = await other(
      new Request(`http://search.test${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );
    expect([path, response.status]).toEqual([path, status]);
  }
});
