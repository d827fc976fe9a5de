/**
 * What `llama-server` is asked in the words of the client, on a tiny model, and what it answered: recorded once with
 * `record-llama-server.ts`, so that tests without it know how it speaks.
 */
import fs from 'node:fs';
import { tinyModelFile } from '../../examples/support/small-models.ts';

/** A request. */
export interface ExchangeRequest {
  readonly path: string;
  /** `null`: asked for with GET. */
  readonly body: object | null;
}

/** An answer: a JSON value, or the data of its events. */
export interface ExchangeAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly json?: unknown;
  readonly events?: readonly unknown[];
}

/** The model that all are asked of. */
export function exchangeModelFile(): Promise<string> {
  const markers = ['<think>', '</think>'];
  const controls = ['<|im_start|>', '<|im_end|>'];
  return tinyModelFile({
    vocabulary: 'llama-spm',
    markers,
    controls,
    chatTemplate: '{{ messages[0].content }}',
  });
}

/** Tokens that the model's context has. */
export const exchangeContext = 2048;

const text = 'Hi <|im_start|> <think> 🏔';
const sampling = { temperature: 1, top_k: 40, top_p: 0.95, min_p: 0, seed: 1 };
const completion = {
  prompt: [1, 15043, 3186],
  stream: true,
  cache_prompt: true,
  timings_per_token: true,
  n_predict: 24,
  preserved_tokens: ['<think>'],
  stop: [],
  ...sampling,
};

/** The requests, by what they are about. */
export const exchanges = {
  props: { path: '/props', body: null },
  tokens: {
    path: '/tokenize',
    body: { content: text, add_special: true, parse_special: true, with_pieces: true },
  },
  'tokens without control tokens': {
    path: '/tokenize',
    body: { content: text, add_special: false, parse_special: false, with_pieces: true },
  },
  'a limit of tokens': { path: '/completion', body: { ...completion, n_predict: 3 } },
  'a grammar': { path: '/completion', body: { ...completion, grammar: 'root ::= "yes" | "no"' } },
  'a text that stops': {
    path: '/completion',
    body: { ...completion, grammar: 'root ::= "one STOP two"', stop: [' STOP'] },
  },
  'a grammar that is none': { path: '/completion', body: { ...completion, grammar: 'root ::= (' } },
  'a prompt that is too long': {
    path: '/completion',
    body: { ...completion, prompt: Array.from({ length: exchangeContext + 1 }, () => 1) },
  },
  'a path that there is none of': { path: '/version', body: null },
} as const satisfies Readonly<Record<string, ExchangeRequest>>;

export type ExchangeName = keyof typeof exchanges;

const file = new URL('llama-exchanges.json', import.meta.url);

/** The recorded answers. */
export function recordedAnswers(): Readonly<Record<ExchangeName, ExchangeAnswer>> {
  return JSON.parse(fs.readFileSync(file, 'utf8'));
}

/** Writes down the answers of a server that serves `modelFile`. */
export async function recordAnswers(url: string, modelFile: string): Promise<void> {
  const answers: Record<string, ExchangeAnswer> = {};
  for (const [name, request] of Object.entries(exchanges)) answers[name] = await answerOf(url, request);
  fs.writeFileSync(file, `${JSON.stringify(answers, null, 2).replaceAll(modelFile, 'model.gguf')}\n`);
}

/** Asks a server. */
export async function answerOf(url: string, { path, body }: ExchangeRequest): Promise<ExchangeAnswer> {
  const method = body === null ? 'GET' : 'POST';
  const response = await fetch(url + path, {
    method,
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });
  const contentType = (response.headers.get('content-type') ?? '').replace(/;.*/, '');
  const answer = await response.text();
  const facts = { status: response.status, contentType };
  if (contentType !== 'text/event-stream') return { ...facts, json: JSON.parse(answer) };
  const lines = answer.split('\n').filter((line) => line.startsWith('data: ') && !line.includes('[DONE]'));
  return { ...facts, events: lines.map((line) => JSON.parse(line.slice('data: '.length))) };
}
