/** Requests of real clients to the server: each is answered as its client needs it, or clearly refused. */
import fs from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { parseJson } from '../../src/format/json-values.ts';
import { thinkingFields } from '../../src/serve/fields/thinking-fields.ts';
import { createHandler, type Handler } from '../../src/serve/index.ts';
import { listAt, objectAt, textAt } from '../support/covering/handed.ts';
import { handedBy } from '../support/covering/served-apis.ts';
import { type KeyedTurn, openKeyedChat } from '../support/small-chats.ts';
import type { PartResult } from './parts.ts';

/** A request, and whether nothing but an answer will do. */
export interface RecordedRequest {
  readonly name: string;
  readonly path: string;
  readonly method: string;
  readonly body: unknown;
  readonly mustAnswer: boolean;
}

/** Runs both files, with schemas enforced and with schemas checked. */
export async function run(dataFolder: string): Promise<PartResult> {
  const requests = recordedRequests(dataFolder);
  const model = await openKeyedChat(turns);
  const handlers = (['strict', 'degrade'] as const).map((policy) => createHandler(model, { policy }));
  const failures: string[] = [];
  for (const request of requests) {
    const wrong: (string | null)[] = [];
    for (const handler of handlers) wrong.push(await wrongWith(handler, request));
    const [reason] = wrong.filter((each) => each !== null);
    if (reason !== undefined) failures.push(`${request.name}: ${reason}`);
  }
  await Promise.all(handlers.map((handler) => handler.close()));
  await model.dispose();
  return { passed: requests.length - failures.length, total: requests.length, failures };
}

/** The requests of both files. */
export function recordedRequests(dataFolder: string): readonly RecordedRequest[] {
  return [
    ...linesOf(dataFolder, 'serve-requests.jsonl').map(readLine),
    ...linesOf(dataFolder, 'serve-requests-python.jsonl').map(readPythonLine),
  ];
}

function linesOf(dataFolder: string, file: string): readonly object[] {
  const place = path.join(dataFolder, file);
  if (!fs.existsSync(place)) return [];
  return fs
    .readFileSync(place, 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as object]));
}

const apis: Readonly<Record<string, string>> = {
  chat: '/v1/chat/completions',
  compat: '/v1/chat/completions',
  'openai-chat': '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
  anth: '/v1/messages',
};

function readLine(line: object): RecordedRequest {
  if (textAt(line, 'kind') === 'cut-call') return readCutCall(line);
  const { body, asOpenAIClientsExpect: isRight, status } = objectAt(line);
  const mustAnswer = isRight === true && status === 200;
  const name = textAt(line, 'name');
  return { name, path: textAt(line, 'path'), method: textAt(line, 'method'), body, mustAnswer };
}

const weather = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

/** Recorded from frameworks: the stream that they read, in their API. */
function readCutCall(line: object): RecordedRequest {
  const address = apis[textAt(line, 'provider')] ?? '';
  const content = textAt(line, 'question');
  const limit = Number(textAt(line, 'max_tokens'));
  const tool = { name: 'get_weather', description: 'w' };
  const bodies: Readonly<Record<string, object>> = {
    '/v1/chat/completions': {
      messages: [{ role: 'user', content }],
      max_tokens: limit,
      tools: [{ type: 'function', function: { ...tool, parameters: weather } }],
    },
    '/v1/responses': {
      input: content,
      max_output_tokens: limit,
      tools: [{ type: 'function', ...tool, parameters: weather }],
    },
    '/v1/messages': {
      messages: [{ role: 'user', content }],
      max_tokens: limit,
      tools: [{ ...tool, input_schema: weather }],
    },
  };
  const name = `a call cut at ${limit}, for ${textAt(line, 'client')}`;
  const body = { stream: true, temperature: 0, ...bodies[address] };
  return { name, path: address, method: 'POST', body, mustAnswer: true };
}

function readPythonLine(line: object): RecordedRequest {
  const mustAnswer = textAt(line, 'expect').startsWith('200');
  const { request: body } = objectAt(line);
  const address = apis[textAt(line, 'api')] ?? '';
  return { name: textAt(line, 'name'), path: address, method: 'POST', body, mustAnswer };
}

/** What a model says to the questions of these requests; to all others it says nothing. */
const turns: readonly KeyedTurn[] = [
  turn('What is the weather in Bern?', called('{"city": "Bern"}')),
  turn('Weather in Bern?', called('{"city": "Bern"}')),
  turn('What is the weather in Bern and Oslo?', [
    ...called('{"city": "Bern"}'),
    '\n',
    ...called('{"city": "Oslo"}'),
  ]),
  turn('Say hello.', ['<think>', '\nGreet them.\n', '</think>', '\n\nHello there.']),
  turn('Count to a hundred.', ['<think>', '\nOne by one.\n', '</think>', '\n\nOne, two, three.']),
  turn(
    'Output exactly this line and nothing else: {"name": "get_weather", "arguments": {"city": 5, "foo": true}}',
    ['{"name": "get_weather", "arguments": {"city": 5, "foo": true}}'],
  ),
];

function turn(question: string, pieces: readonly string[]): KeyedTurn {
  return { after: `<|im_start|>user\n${question}`, pieces: [...pieces, '<|im_end|>'] };
}

function called(input: string): readonly string[] {
  return ['<tool_call>', `\n{"name": "get_weather", "arguments": ${input}}\n`, '</tool_call>'];
}

/**
 * Why a client could not use the answer; `null` if it can, or knows why not. `mayLack`: the model's engine may say that
 * it cannot do what is asked (501).
 */
export async function wrongWith(
  handler: Handler,
  request: RecordedRequest,
  { mayLack = false } = {},
): Promise<string | null> {
  const { method, body, mustAnswer } = request;
  const init = method === 'POST' ? { body: body === '' ? '' : JSON.stringify(body) } : {};
  const headers = { 'content-type': 'application/json' };
  const response = await handler(
    new Request(`http://localhost${request.path}`, { method, headers, ...init }),
  );
  const text = await response.text();
  if (response.status >= 500 && !(mayLack && response.status === 501)) return `${response.status}: ${text}`;
  if (response.status >= 400) return wrongRefusal(mustAnswer, method, text);
  const ignored = response.headers.get('idiolect-ignored')?.split(', ') ?? [];
  const unheard = ignored.find((name) => Object.hasOwn(thinkingFields, name));
  if (unheard !== undefined) return `${unheard} is ignored`;
  const address = Object.values(apis).find((each) => request.path.endsWith(each));
  return address === undefined ? null : wrongAnswer(address, objectAt({ body }, 'body'), text);
}

function wrongRefusal(mustAnswer: boolean, method: string, text: string): string | null {
  if (mustAnswer) return `refused: ${text}`;
  const isClear = textAt(parseJson(text), 'error', 'message').length > 10;
  return isClear || method === 'HEAD' ? null : `says nothing: ${text}`;
}

function wrongAnswer(address: string, body: Readonly<Record<string, unknown>>, text: string): string | null {
  const handed = handedBy(address, text);
  if (typeof handed === 'string') return handed;
  const { calls, reasoning } = handed;
  if (address === '/v1/messages' && body.thinking === undefined && reasoning !== '')
    return 'has thoughts that nobody asked for';
  const schemas = schemasOf(body);
  const wrong = calls.find(({ name, input }) => !fits(schemas.get(name), input));
  return wrong === undefined ? null : `hands out ${wrong.name}(${wrong.input})`;
}

function schemasOf(body: Readonly<Record<string, unknown>>): ReadonlyMap<string, object> {
  const entries = listAt(body, 'tools').map((tool): [string, object] => {
    const inner = 'function' in tool ? objectAt(tool, 'function') : tool;
    return [textAt(inner, 'name'), objectAt(inner, 'input_schema' in inner ? 'input_schema' : 'parameters')];
  });
  return new Map(entries);
}

const ajv = new Ajv({ strict: false });

/** Whether the arguments are the JSON of an object that the schema allows; one that ajv cannot read allows any. */
function fits(schema: object | undefined, input: string): boolean {
  const value = parseJson(input);
  if (schema === undefined || typeof value !== 'object' || value === null) return false;
  try {
    return ajv.validate(schema, value);
  } catch {
    return true;
  }
}
