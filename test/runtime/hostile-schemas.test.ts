/**
 * Hostile schemas where something runs: chats, runs, chats with a server, and requests over HTTP. Whatever comes ends in
 * an answer or an error of the package, a request in 200, or in a reason, and the next one is answered as ever.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IdiolectError } from '../../src/format/errors.ts';
import type { JsonSchema } from '../../src/format/messages.ts';
import { mcpTools } from '../../src/mcp/index.ts';
import { type EngineModel, runTools } from '../../src/runtime/engine/index.ts';
import { type RunningServer, serve } from '../../src/serve/index.ts';
import { connectServer, type ServerModel } from '../../src/servers/index.ts';
import { notJson, odd, tooLarge } from '../support/hostile-schemas.ts';
import { type ModelServer, serveModel } from '../support/model-server.ts';
import { sampled } from '../support/sample.ts';
import { chatTemplate, openTiny } from '../support/small-chats.ts';
import { tinyModelFile, smallVocabulary as vocabulary } from '../support/small-vocabulary.ts';

const tinyChat = {
  vocabulary,
  markers: ['<think>', '</think>', '<tool_call>', '</tool_call>'],
  controls: ['<|im_start|>', '<|im_end|>'],
  chatTemplate,
};

const messages = [{ role: 'user', content: 'hi' }] as const;
const maxTokens = 5;
const toolOf = (parameters: JsonSchema) =>
  ({ type: 'function', function: { name: 't', parameters } }) as const;

let model: EngineModel;
let engine: ModelServer;
let remote: ServerModel;
let server: RunningServer;

beforeAll(async () => {
  model = await openTiny();
  engine = await serveModel(await tinyModelFile(tinyChat), 'llama-server');
  remote = await connectServer({ kind: 'llama-server', url: engine.url });
  server = await serve(model, { port: 0 });
});

afterAll(async () => {
  await server.close();
  await engine.close();
  await model.dispose();
});

async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}

/** What runs with a schema. */
const doors: Readonly<Record<string, (schema: JsonSchema) => Promise<unknown>>> = {
  'a chat with tools': (schema) =>
    drain(model.chat({ messages, tools: [toolOf(schema)], toolChoice: 'required', maxTokens })),
  'a chat with tools, degraded': (schema) =>
    drain(model.chat({ messages, tools: [toolOf(schema)], policy: 'degrade', maxTokens })),
  'a chat with a format': (schema) =>
    drain(
      model.chat({
        messages,
        responseFormat: { type: 'json_schema', json_schema: { name: 'x', schema } },
        maxTokens,
      }),
    ),
  'a run with tools of MCP': async (inputSchema) => {
    const tool = { name: 't', inputSchema: inputSchema as Record<string, unknown> };
    const client = { listTools: async () => ({ tools: [tool] }), callTool: async () => ({ content: [] }) };
    await drain(runTools(model, { messages, tools: await mcpTools(client), maxTokens, maxSteps: 1 }));
  },
  prepare: (schema) => model.prepare({ messages, tools: [toolOf(schema)] }),
  'a chat with a server': (schema) =>
    drain(remote.chat({ messages, tools: [toolOf(schema)], toolChoice: 'required', maxTokens })),
};

async function thrownBy(door: (schema: JsonSchema) => Promise<unknown>, schema: unknown): Promise<unknown> {
  try {
    await door(schema as JsonSchema);
    return null;
  } catch (error) {
    return error;
  }
}

/** Requests over HTTP. */
const requests: Readonly<Record<string, (schema: unknown) => object>> = {
  '/v1/chat/completions with tools': (parameters) => ({
    messages,
    tools: [{ type: 'function', function: { name: 't', parameters } }],
    max_tokens: maxTokens,
  }),
  '/v1/chat/completions with a format': (schema) => ({
    messages,
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
    max_tokens: maxTokens,
  }),
  '/v1/responses with tools': (parameters) => ({
    input: 'hi',
    tools: [{ type: 'function', name: 't', parameters }],
    max_output_tokens: maxTokens,
  }),
  '/v1/responses with a format': (schema) => ({
    input: 'hi',
    text: { format: { type: 'json_schema', name: 'x', schema } },
    max_output_tokens: maxTokens,
  }),
  '/v1/messages with tools': (inputSchema) => ({
    messages,
    tools: [{ name: 't', input_schema: inputSchema }],
    max_tokens: maxTokens,
  }),
};

/** Sends a request; `null` where it is no JSON. */
async function post(name: string, schema: unknown): Promise<Response | null> {
  const [path = ''] = name.split(' ');
  const body = jsonOf(requests[name]?.(schema));
  if (body === null) return null;
  return fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
}

function jsonOf(request: object | undefined): string | null {
  try {
    return JSON.stringify(request);
  } catch {
    return null;
  }
}

const refused = Object.entries({ ...asMakers(tooLarge), ...notJson });
function asMakers(schemas: Readonly<Record<string, unknown>>): Readonly<Record<string, () => unknown>> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, () => schema]));
}

describe.each(sampled(refused, 4))('%s', (name, make) => {
  it.each(sampled(Object.entries(doors), 2, name.length))('%s refuses it', async (_, door) => {
    expect(await thrownBy(door, make())).toBeInstanceOf(IdiolectError);
  });
});

describe.each(sampled(Object.entries(odd), 4))('%s', (name, make) => {
  it.each(sampled(Object.entries(doors), 3, name.length))(
    '%s ends, or throws an error of the package',
    async (_, door) => {
      const thrown = await thrownBy(door, make());
      if (thrown !== null) expect(thrown).toBeInstanceOf(IdiolectError);
    },
  );

  it.each(sampled(Object.keys(requests), 3, name.length))('%s is answered', async (request) => {
    const response = await post(request, make());
    if (response === null) return;
    const text = await response.text();
    // A template that prints too much, or a model that finds no valid value, is the server's own failure.
    const isOwn = /"(?:error_)?code":"(?:template_limit|check_failed)"/.test(text);
    expect(isOwn ? [500, 200] : [200, 400]).toContain(response.status);
    if (response.status !== 200) expect(text).toMatch(/"message":"[^"]{10}/);
  });
});

it.each(Object.entries(doors))('%s goes on after that', async (_, door) => {
  expect(await thrownBy(door, { type: 'object', properties: { a: { type: 'boolean' } } })).toBeNull();
});
