/** What operators get wrong, and what befalls them: each is an error that says what it is and what to do. */
import { describe, expect, it } from 'vitest';
import { ServerError } from '../../src/format/errors.ts';
import { connectServer, type ServerKind, type ServerOptions } from '../../src/servers/index.ts';

const kinds: readonly ServerKind[] = ['llama-server', 'vllm', 'sglang'];
const url = 'http://server.test:8080';
const chatTemplate =
  "{%- for m in messages %}{{- '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{%- endfor %}" +
  "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}{%- endif %}";
const messages = [{ role: 'user', content: 'Hello' }] as const;

type Answer = () => Response | Promise<Response>;

/** What a request is for, by the path that it goes to. */
function phaseOf(path: string): string {
  if (/\/completions?$/.test(path)) return 'complete';
  if (path === '/version' || path === '/get_server_info') return 'version';
  return path === '/tokenize' || path === '/detokenize' ? 'tokenize' : 'describe';
}

function goodAnswer(kind: ServerKind, phase: string): Response {
  if (phase === 'version') return Response.json({ version: '1.0.0' });
  const settings = { default_generation_settings: { n_ctx: 2048 }, chat_template: chatTemplate };
  if (phase === 'describe')
    return Response.json({ ...settings, data: [{ id: 'm', max_model_len: 2048 }], bos_token: '' });
  if (phase === 'tokenize') {
    const tokens = kind === 'llama-server' ? [{ id: 7, piece: 'a' }] : [7];
    return Response.json({ tokens, token_strs: ['a'], text: ['a'] });
  }
  const piece = { content: 'Hi', choices: [{ text: 'Hi', finish_reason: null }] };
  const end = { content: '', stop: true, stop_type: 'eos', choices: [{ text: '', finish_reason: 'stop' }] };
  return new Response([piece, end].map((each) => `data: ${JSON.stringify(each)}\n\n`).join(''));
}

/** Connects to a server and asks it, which answers as it should but for `answers`; what came of it. */
async function outcome(
  kind: ServerKind,
  answers: Readonly<Record<string, Answer>>,
  more: Partial<ServerOptions> = {},
  signal?: AbortSignal,
): Promise<unknown> {
  const fetch = async (address: string | URL | Request): Promise<Response> => {
    const phase = phaseOf(new URL(String(address)).pathname);
    return answers[phase]?.() ?? goodAnswer(kind, phase);
  };
  const limit = signal === undefined ? {} : { signal };
  try {
    const options = { kind, url, fetch, chatTemplate, requireTools: false, retries: 0, ...limit, ...more };
    const model = await connectServer(options);
    return await model.chat({ messages, ...limit }).message;
  } catch (error) {
    return error;
  }
}

const page = '<!DOCTYPE html>\n<html><head><title>\n502 Bad Gateway</title></head><body>nginx</body></html>';
const loading = { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } };

/** By name: where it happens, what the server says, and what the error has to say. */
const refusals: readonly (readonly [string, string, Answer, object, RegExp])[] = [
  [
    'no key',
    'describe',
    () => Response.json({ error: 'Unauthorized' }, { status: 401 }),
    { status: 401, reason: 'Unauthorized' },
    /pass the server's key as apiKey/,
  ],
  [
    'a key that may not do this',
    'complete',
    () => Response.json({ error: { message: 'Forbidden' } }, { status: 403 }),
    { status: 403, reason: 'Forbidden' },
    /apiKey/,
  ],
  [
    'a path that is none',
    'describe',
    () => Response.json({ detail: 'Not Found' }, { status: 404 }),
    { status: 404, reason: 'Not Found' },
    /are kind, url and model those of this server\?/,
  ],
  [
    'a model that is none',
    'tokenize',
    () => Response.json({ object: 'error', message: 'The model `x` does not exist.' }, { status: 404 }),
    { status: 404, reason: 'The model `x` does not exist.' },
    /model/,
  ],
  [
    'a prompt that is too long for llama-server',
    'complete',
    () =>
      Response.json(
        {
          error: { code: 400, message: 'the request exceeds the available context size, try increasing it' },
        },
        { status: 400 },
      ),
    { status: 400, transient: false },
    /exceeds the available context size/,
  ],
  [
    'a prompt that is too long for vLLM',
    'complete',
    () =>
      Response.json(
        { error: { message: "This model's maximum context length is 16 tokens." } },
        { status: 400 },
      ),
    { status: 400, transient: false },
    /maximum context length is 16/,
  ],
  [
    'fields that the server does not know',
    'complete',
    () => Response.json({ detail: [{ loc: ['body', 'prompt'], msg: 'wrong type' }] }, { status: 422 }),
    { status: 422 },
    /"loc":\["body","prompt"\]/,
  ],
  [
    'a server that is loading',
    'describe',
    () => Response.json(loading, { status: 503, headers: { 'retry-after': '5' } }),
    { status: 503, reason: 'Loading model', transient: true, retryAfterMs: 5000 },
    /Loading model/,
  ],
  [
    'a proxy without a server',
    'complete',
    () => new Response(page, { status: 502 }),
    { status: 502, reason: 'a web page (502 Bad Gateway)', transient: true },
    /web page/,
  ],
  [
    'a page to sign in',
    'describe',
    () => new Response('<html><title>Sign in</title></html>'),
    { status: null, advice: 'is url the address of the server itself?' },
    /a web page \(Sign in\)/,
  ],
  [
    'a stream that a proxy cuts',
    'complete',
    () => new Response('data: {"content": "Hi", "choices": [{"text": "Hi"}]}\n\n'),
    { status: null, transient: true },
    /the stream ended before the response did/,
  ],
  [
    'a refusal with control characters',
    'complete',
    () => Response.json({ error: 'a\u0000b\u001B[31mc\r\nd' }, { status: 400 }),
    { reason: 'a b [31mc d' },
    /a b/,
  ],
  [
    'a refusal without words',
    'complete',
    () => new Response(null, { status: 500 }),
    { status: 500, reason: 'it does not say why' },
    /HTTP 500/,
  ],
];

/** What `fetch` throws in Node, by the code of its cause. */
function failure(code: string): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`it is ${code}`), { code }) });
}

describe.each(kinds)('%s', (kind) => {
  it.each(refusals)('%s is an error that says what to do', async (_, phase, answer, facts, words) => {
    const error = await outcome(kind, { [phase]: answer });
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject(facts);
    expect(String(error)).toMatch(words);
  });

  it.each([
    ['ECONNREFUSED', /refused \(is the server running\?\)/],
    ['ENOTFOUND', /host/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', /http instead of https/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /NODE_EXTRA_CA_CERTS/],
  ])('%s says what to do', async (code, words) => {
    const error = await outcome(kind, { describe: () => Promise.reject(failure(code)) });
    expect(error).toBeInstanceOf(ServerError);
    expect(String(error)).toMatch(words);
  });

  it('is told that its address ends too late, and its key is another one', async () => {
    const gone = { describe: () => Response.json({ detail: 'Not Found' }, { status: 404 }) };
    expect(String(await outcome(kind, gone, { url: `${url}/v1/` }))).toMatch(
      /leave the \/v1 at the end of url/,
    );
    const refused = { describe: () => Response.json({ error: 'no' }, { status: 401 }) };
    const error = String(await outcome(kind, refused, { apiKey: 'sesame' }));
    expect(error).toMatch(/is apiKey this server's key\?/);
    expect(error).not.toContain('sesame');
  });

  it('cannot be given a longer context than it has', async () => {
    const error = await outcome(kind, {}, { contextSize: 4096 });
    expect(error).toMatchObject({ code: 'unsupported-option', option: 'contextSize' });
    expect(String(error)).toContain('2048');
    expect(await outcome(kind, {}, { contextSize: 1024 })).toMatchObject({ content: 'Hi' });
  });

  const phases = ['describe', ...(kind === 'llama-server' ? [] : ['version']), 'tokenize', 'complete'];
  const never: Answer = () => new Promise<Response>(() => undefined);
  const halfway: Answer = () =>
    new Response(new ReadableStream({ pull: () => new Promise(() => undefined) }));
  const waits = phases.flatMap((phase) => [
    [phase, 'an answer', never] as const,
    [phase, 'the rest of an answer', halfway] as const,
  ]);
  it.each(waits)('may be left while it is asked to %s, before %s has come', async (phase, _, answer) => {
    const leaving = new AbortController();
    const waiting = (): ReturnType<Answer> => {
      setTimeout(() => leaving.abort(new Error('enough')), 5);
      return answer();
    };
    expect(await outcome(kind, { [phase]: waiting }, {}, leaving.signal)).toMatchObject({
      message: 'enough',
    });
  });

  // One that does not say its version is spoken to as an old one.
  it.each(phases.filter((phase) => phase !== 'version'))('is lost while it is asked to %s', async (phase) => {
    const error = await outcome(kind, { [phase]: () => Promise.reject(failure('ECONNRESET')) });
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ transient: true });
  });
});
