/** Answers of inference servers and of the Hub. */
import fc from 'fast-check';
import { inspectModel } from '../../src/hub/index.ts';
import { connectServer, type ServerModel } from '../../src/servers/index.ts';
import { llamaTemplate } from '../support/corpora.ts';
import { ggufBytes, tinyParts } from '../support/gguf-parts.ts';
import { lawTools } from '../support/law-tools.ts';
import { type FuzzTarget, typed } from './fuzz-target.ts';
import { mutatedJson } from './mutated-json.ts';
import { mutatedText } from './mutated-text.ts';

const kinds = ['llama-server', 'vllm', 'sglang'] as const;
const { source: chatTemplate } = await llamaTemplate('Qwen-Qwen3-0.6B');

/** What the served model writes. */
const reply = 'Well.<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>';
const pieces = reply.match(/\w+|[^\w]+/g) ?? [];
const llamaEvents = [
  ...pieces.map((content) => ({ content, stop: false })),
  { content: '', stop: true, stop_type: 'eos', timings: { cache_n: 3 } },
];
const openAiEvents = [
  ...pieces.map((text) => ({ choices: [{ text, finish_reason: null, token_ids: [1] }] })),
  { choices: [{ text: '', finish_reason: 'stop', token_ids: [] }] },
];

function stream(events: readonly unknown[]): string {
  return `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`;
}

/** Answers by what the address ends with; a vocabulary of characters. */
const descriptions = {
  '/props': {
    chat_template: chatTemplate,
    bos_token: '',
    eos_token: '<|im_end|>',
    default_generation_settings: { n_ctx: 9999 },
  },
  '/models': { data: [{ id: 'm', max_model_len: 9999 }] },
  '/version': { version: '0.12.1' },
  '/get_server_info': { version: '0.5.6' },
};

function tokensOf(text: string): object {
  const tokens = Array.from(text, (piece) => ({ id: piece.codePointAt(0) ?? 0, piece }));
  return { tokens };
}

function honest(path: string, body: Readonly<Record<string, unknown>>): string {
  if (path.endsWith('/completion')) return stream(llamaEvents);
  if (path.endsWith('/completions')) return stream(openAiEvents);
  if (path.endsWith('/detokenize'))
    return JSON.stringify({ text: (body.tokens as number[][]).map(([id = 0]) => String.fromCodePoint(id)) });
  if (!path.endsWith('/tokenize'))
    return JSON.stringify(descriptions[path.slice(path.lastIndexOf('/')) as '/props']);
  const { tokens } = tokensOf(String(body.content ?? body.prompt)) as {
    tokens: { id: number; piece: string }[];
  };
  if ('content' in body) return JSON.stringify({ tokens });
  return JSON.stringify({ tokens: tokens.map(({ id }) => id), token_strs: tokens.map(({ piece }) => piece) });
}

/** The answer that is not honest: to requests whose address ends so, from the `after`th on. */
interface Lie {
  readonly path: string;
  readonly after: number;
  readonly body: string;
}

let lie: Lie = { path: 'none', after: 0, body: '' };
let asked = 0;

async function answer(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const { pathname } = new URL(String(input));
  if (pathname.endsWith(lie.path) && asked++ >= lie.after) return new Response(lie.body);
  return new Response(honest(pathname, JSON.parse(String(init?.body ?? '{}'))));
}

function connect(kind: (typeof kinds)[number]): Promise<ServerModel> {
  return connectServer({
    kind,
    url: 'http://server.test',
    chatTemplate,
    fetch: answer,
    retries: 0,
    timeoutMs: 5000,
  });
}

const connected = await Promise.all(kinds.map(connect));

const answerKeys = [
  'tokens',
  'token_strs',
  'text',
  'data',
  'choices',
  'content',
  'error',
  'id',
  'piece',
  'stop',
  'version',
  '__proto__',
];
const answerLeaves = [
  '',
  'a',
  '\ud800',
  '<|im_end|>',
  -1,
  0.5,
  1e308,
  2 ** 53,
  true,
  null,
  [],
  {},
  ['a'],
  { message: 'm' },
];
const framing = [
  'data: ',
  '\n\n',
  '\n',
  ': x\n',
  'event: error\n',
  'id: 1\n',
  'retry: 9\n',
  '{"error": ',
  '[',
  ']',
  '{}',
  'null',
  '1e999',
  '"',
  '\ufeff',
  '[DONE]',
];

function lieAbout(path: string, answers: readonly unknown[]): fc.Arbitrary<Lie> {
  const texts = answers.map((each) => JSON.stringify(each));
  const body = fc.oneof(mutatedJson(answers, answerKeys, answerLeaves), mutatedText(texts, framing));
  return fc.record({ path: fc.constant(path), after: fc.nat(2), body });
}

function lieInStream(path: string, events: readonly unknown[]): fc.Arbitrary<Lie> {
  const list = mutatedJson([events], answerKeys, answerLeaves).map((text) => {
    const mutated: unknown = JSON.parse(text);
    return stream(Array.isArray(mutated) ? mutated : [mutated]);
  });
  const body = fc.oneof(list, mutatedText([stream(events)], framing));
  return fc.record({ path: fc.constant(path), after: fc.nat(1), body });
}

const lies = fc.oneof(
  ...Object.entries(descriptions).map(([path, body]) => lieAbout(path, [body])),
  lieAbout('/tokenize', [tokensOf('<|im_start|>a'), { tokens: [60, 124], token_strs: ['<', '|'] }]),
  lieAbout('/detokenize', [{ text: ['<', '|', 'a'] }]),
  lieInStream('/completion', llamaEvents),
  lieInStream('/completions', openAiEvents),
);

/** One answer of a server that lies, and all others honest, through connecting and a response of every kind. */
export const server: FuzzTarget = {
  inputs: lies.map((each) => JSON.stringify(each)),
  attempt: async (input) => {
    lie = JSON.parse(input) as Lie;
    asked = 0;
    const messages = [{ role: 'user', content: 'How is <|im_end|> today?' }] as const;
    for (const [index, kind] of kinds.entries()) {
      if (lie.path in descriptions) await typed(() => connect(kind));
      else
        for (const toolChoice of ['auto', 'required'] as const)
          await typed(
            () => connected[index]?.chat({ messages, tools: lawTools, toolChoice, maxTokens: 60 }).message,
          );
    }
  },
};

const info = {
  id: 'o/m',
  sha: 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00',
  gated: false,
  private: false,
};
const modelFile = ggufBytes(tinyParts('{{ messages[0].content }}'));
const listed = (path: string) => ({
  type: 'file',
  path,
  size: modelFile.length,
  oid: 'a'.repeat(40),
  lfs: { oid: 'a'.repeat(64), size: modelFile.length, pointerSize: 134 },
});
const tree = [
  listed('m-Q4_K_M.gguf'),
  listed('s-00001-of-00002.gguf'),
  listed('s-00002-of-00002.gguf'),
  listed('README.md'),
];
const hubKeys = ['path', 'size', 'oid', 'lfs', 'type', 'sha', 'gated', 'id', '__proto__', 'rfilename'];
const hubLeaves = [
  ...[
    '../m.gguf',
    '/m.gguf',
    'a\\m.gguf',
    '\ud800.gguf',
    'm.gguf',
    'm-00001-of-00009.gguf',
    'mmproj.gguf',
    'directory',
  ],
  ...[-1, 0.5, 1e99, '100', null, true, [], {}, ['m.gguf'], 'b'.repeat(64), 'b'.repeat(40)],
];
const ranges = ['bytes 0-9/100', 'bytes 0-9/*', 'bytes */9', 'bytes 9-0/5', 'bytes 0-0/0', 'x'];

/** Answers of the Hub: about a model, of its files, and bytes of a file with the stretch that they are said to be. */
export const hub: FuzzTarget = {
  inputs: fc
    .record({
      info: fc.oneof(
        { weight: 3, arbitrary: fc.constant(JSON.stringify(info)) },
        mutatedJson([info], hubKeys, hubLeaves),
      ),
      tree: fc.oneof(
        mutatedJson([tree], hubKeys, hubLeaves),
        mutatedText([JSON.stringify(tree)], ['null', '[', ',']),
      ),
      range: fc.option(fc.constantFrom(...ranges)),
      flip: fc.nat(2000),
    })
    .map((answers) => JSON.stringify(answers)),
  attempt: (input) =>
    typed(() => {
      const given = JSON.parse(input) as { info: string; tree: string; range: string | null; flip: number };
      const bytes = Buffer.from(modelFile);
      bytes[given.flip] = 255;
      const fetch = async (address: unknown, init?: RequestInit): Promise<Response> => {
        const text = String(address);
        if (text.includes('/tree/')) return new Response(given.tree);
        if (!text.includes('/resolve/')) return new Response(given.info);
        const [, start = 0, end = 0] =
          /(\d+)-(\d+)/.exec(new Headers(init?.headers).get('range') ?? '')?.map(Number) ?? [];
        const range = given.range ?? `bytes ${start}-${end}/${bytes.length}`;
        const body = new Uint8Array(bytes.subarray(start, end + 1));
        return new Response(body, { status: 206, headers: { 'content-range': range } });
      };
      return inspectModel('owner/model', { fetch, endpoint: 'https://hub.test' });
    }),
};
