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

/** Of the server, without any lie yet. */
const honestLies: readonly Lie[] = [
  ...Object.entries(descriptions).map(([path, body]) => ({ path, after: 0, body: JSON.stringify(body) })),
  { path: '/tokenize', after: 0, body: JSON.stringify(tokensOf('<|im_start|>a')) },
  { path: '/tokenize', after: 0, body: JSON.stringify({ tokens: [60, 124], token_strs: ['<', '|'] }) },
  { path: '/detokenize', after: 0, body: JSON.stringify({ text: ['<', '|', 'a'] }) },
  { path: '/completion', after: 0, body: stream(llamaEvents) },
  { path: '/completions', after: 0, body: stream(openAiEvents) },
];

/** The same body, changed as text, and as the JSON or the stream of events that it may be. */
function nearBody(body: string): fc.Arbitrary<string> {
  const asText = mutatedText([body], framing);
  const [document, events] = [readJson(body), readStream(body)];
  if (document !== undefined) return fc.oneof(mutatedJson([document], answerKeys, answerLeaves), asText);
  if (events === undefined) return asText;
  const asEvents = mutatedJson([events], answerKeys, answerLeaves).map((text) => {
    const changed: unknown = JSON.parse(text);
    return stream(Array.isArray(changed) ? changed : [changed]);
  });
  return fc.oneof(asEvents, asText);
}

/** `undefined` for what is no JSON. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `undefined` for what is no stream of JSON. */
function readStream(text: string): readonly unknown[] | undefined {
  const datas = text.split('\n\n').filter((event) => event !== '' && event !== 'data: [DONE]');
  const events = datas.map((event) => readJson(event.replace(/^data: /, '')));
  return events.includes(undefined) ? undefined : events;
}

/** One answer of a server that lies, and all others honest, through connecting and a response of every kind. */
export const server: FuzzTarget = {
  seeds: honestLies.map((each) => JSON.stringify(each)),
  near: (input) => {
    const { path, after, body } = JSON.parse(input) as Lie;
    const later = fc.oneof(fc.constant(after), fc.nat(2));
    return fc
      .record({ path: fc.constant(path), after: later, body: nearBody(body) })
      .map((each) => JSON.stringify(each));
  },
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
const range = fc.option(
  fc.constantFrom('bytes 0-9/100', 'bytes 0-9/*', 'bytes */9', 'bytes 9-0/5', 'bytes 0-0/0', 'x'),
);

/** `flip`: where a byte of the file is another; `null` where none is. */
interface HubAnswers {
  readonly info: string;
  readonly tree: string;
  readonly range: string | null;
  readonly flip: number | null;
}

function nearAnswer(body: string): fc.Arbitrary<string> {
  const document = readJson(body);
  const asText = mutatedText([body], ['null', '[', ',']);
  const changed =
    document === undefined ? asText : fc.oneof(mutatedJson([document], hubKeys, hubLeaves), asText);
  return fc.oneof({ weight: 2, arbitrary: fc.constant(body) }, { weight: 3, arbitrary: changed });
}

/** Answers of the Hub: about a model, of its files, and bytes of a file with the stretch that they are said to be. */
export const hub: FuzzTarget = {
  seeds: [
    JSON.stringify({ info: JSON.stringify(info), tree: JSON.stringify(tree), range: null, flip: null }),
  ],
  near: (input) => {
    const given = JSON.parse(input) as HubAnswers;
    return fc
      .record({
        info: nearAnswer(given.info),
        tree: nearAnswer(given.tree),
        range,
        flip: fc.option(fc.nat(2000)),
      })
      .map((answers) => JSON.stringify(answers));
  },
  attempt: (input) =>
    typed(() => {
      const given = JSON.parse(input) as HubAnswers;
      const bytes = Buffer.from(modelFile);
      if (given.flip !== null) bytes[given.flip] = 255;
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
