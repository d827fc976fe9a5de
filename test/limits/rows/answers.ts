/** Limits of what the Hub and servers of models answer. */
import { downloadFile } from '../../../src/hub/download-file.ts';
import { createHub } from '../../../src/hub/hub-client.ts';
import { resolveModel } from '../../../src/hub/resolve-model.ts';
import { type ServerError, UnsupportedOptionError } from '../../../src/index.ts';
import { openContext } from '../../../src/runtime/node-llama-cpp/open-context.ts';
import { ServerConnection } from '../../../src/servers/server-connection.ts';
import type { Rows } from '../source-limits.ts';

const url = 'http://127.0.0.1:1';
const subject = { model: 'a/b', revision: null };

/** Whether `work` comes to its end. */
async function endsWell(work: () => Promise<unknown>): Promise<boolean> {
  return work().then(
    () => true,
    () => false,
  );
}

const hubThat = (answer: typeof fetch) => createHub({ endpoint: url, token: null, fetch: answer });

/** Whether a file of ten bytes is fetched from a server that fails so often, each time after so many bytes. */
function isFetched(failures: number, bytesEach: number): Promise<boolean> {
  const size = 1000;
  let left = failures;
  const answer: typeof fetch = async (_, init) => {
    const [start = 0] = /\d+/.exec(new Headers(init?.headers).get('range') ?? '')?.map(Number) ?? [];
    const isWhole = left-- <= 0;
    const body = Buffer.alloc(isWhole ? size - start : bytesEach);
    const headers = { 'content-range': `bytes ${start}-${size - 1}/${size}` };
    return new Response(body, { status: 206, headers });
  };
  const target = {
    ...{ file: 'a', chunkCount: 1, isDone: () => false, bounds: () => [0, size] },
    ...{ write: async () => {}, finish: async () => {} },
  };
  return endsWell(() =>
    downloadFile(target as never, {
      ...{ name: 'a', url, size, fetch: answer, connections: 1, stallMs: 60_000, retryMs: 0 },
      ...{ signal: new AbortController().signal, onBytes: () => {} },
    }),
  );
}

/** A connection to a server that answers so. */
const connected = (body: string, status = 200) =>
  new ServerConnection({ url, fetch: async () => new Response(body, { status }) });
const question = { path: '/', body: null, read: (answer: unknown) => answer };

export const answerRows: Rows = {
  'hub/hub-client.ts maxRedirects': (size) => {
    let left = size;
    const { fileFetch } = hubThat(async () =>
      left-- > 0 ? new Response(null, { status: 302, headers: { location: '/a' } }) : new Response('a'),
    );
    return endsWell(() => fileFetch(subject)(`${url}/a`));
  },
  'hub/hub-client.ts maxAnswers': (size) => {
    const request = hubThat(async () => new Response('a')).apiFetch(subject);
    return endsWell(async () => {
      for (let at = 0; at < size; at += 1) await request(`${url}/a`);
    });
  },
  'hub/resolve-model.ts maxFiles': (size) => {
    const others = Array.from({ length: size - 1 }, (_, at) => ({ type: 'file', path: `${at}`, size: 1 }));
    const model = { type: 'file', path: 'a.gguf', size: 1, oid: 'a'.repeat(40) };
    const info = { sha: 'a'.repeat(40), gated: false, id: 'a/b', private: false };
    const hub = hubThat(async (address) =>
      Response.json(String(address).includes('/tree/') ? [model, ...others] : info),
    );
    return endsWell(() =>
      resolveModel(hub, { model: 'a/b', revision: null, file: null, quantization: null } as never),
    );
  },
  'hub/download-file.ts maxFailures': (size) => isFetched(size, 0),
  'hub/download-file.ts maxChunkFailures': (size) => isFetched(size, 1),
  'servers/server-connection.ts maxAnswer': (size) =>
    endsWell(() => connected(`1${' '.repeat(size - 1)}`).ask(question, undefined)),
  'servers/server-connection.ts maxEvent': (size) =>
    endsWell(async () => {
      const text = `data: "${'a'.repeat(size - 'data: ""'.length)}"`;
      for await (const _ of connected(text).stream(question, undefined));
    }),
  // JSON of so many bytes, of which the reason is told where it is whole.
  'servers/server-connection.ts maxRefusal': async (size) => {
    const error = '{"error": {"message": "busy"}';
    const refused = connected(`${error.padEnd(size - 1)}}`, 400).ask(question, undefined);
    return refused.then(
      () => false,
      (told: ServerError) => told.reason === 'busy',
    );
  },
  'runtime/node-llama-cpp/open-context.ts maxTimesTrained': async (size) => {
    const trainContextSize = 100;
    const model = { trainContextSize, createContext: async () => ({}) };
    return openContext(model as never, 'a.gguf', { contextSize: size * trainContextSize }).then(
      () => true,
      (error: unknown) => !(error instanceof UnsupportedOptionError),
    );
  },
};
