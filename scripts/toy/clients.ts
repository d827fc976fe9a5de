/**
 * Asks the toy through clients as they come from npm, each of which writes the tools in its own way:
 * `tsx --conditions=idiolect:source scripts/toy/clients.ts`. `--count` questions for each client, `--weights` of a file.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { tool as langchainTool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { generateText, type ToolSet, tool } from 'ai';
import OpenAI from 'openai';
import { zodFunction } from 'openai/helpers/zod';
import { z } from 'zod';
import { loadModel } from '../../src/runtime/node-llama-cpp/index.ts';
import { serve } from '../../src/serve/index.ts';
import { toyModel } from '../../src/testing/index.ts';
import { toyFile } from '../../src/testing/toy/toy-model.ts';
import { heldOutQuestions, type Question } from './questions.ts';

const { values } = parseArgs({
  options: { weights: { type: 'string' }, count: { type: 'string', default: '40' } },
});

/** A call as the client delivers it. */
interface Call {
  readonly name: string;
  readonly input: unknown;
}

/** Asks for one response to the question, with its tools in the client's own spelling. */
type Ask = (question: Question) => Promise<readonly Call[]>;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'toy-clients-'));
const file = path.join(folder, 'toy.gguf');
fs.writeFileSync(
  file,
  values.weights === undefined ? await toyModel() : toyFile('json', fs.readFileSync(values.weights)),
);
const model = await loadModel(file, { gpu: false, threads: 1, contextSize: 2048 });
const server = await serve(model, { port: 0 });
const baseURL = `${server.url}/v1`;

const ways: Readonly<Record<string, Ask>> = {
  'AI SDK': async (question) => {
    const provider = createOpenAICompatible({ name: 'toy', baseURL });
    const tools: ToolSet = Object.fromEntries(
      offered(question).map(({ name, description, schema }) => [
        name,
        tool({ inputSchema: schema, ...(description !== undefined && { description }) }),
      ]),
    );
    const { toolCalls } = await generateText({
      model: provider(model.name),
      tools,
      prompt: asked(question),
      ...instructions(question),
    });
    return toolCalls.map(({ toolName, input }) => ({ name: toolName, input }));
  },
  openai: async (question) => {
    const client = new OpenAI({ baseURL, apiKey: 'any' });
    const tools = offered(question).map(({ name, description, schema }) =>
      zodFunction({ name, parameters: schema, ...(description !== undefined && { description }) }),
    );
    const { choices } = await client.chat.completions.create({
      model: model.name,
      messages: beforeAnswer(question) as OpenAI.ChatCompletionMessageParam[],
      tools,
    });
    return (choices[0]?.message.tool_calls ?? []).flatMap((call) =>
      call.type === 'function'
        ? [{ name: call.function.name, input: JSON.parse(call.function.arguments) }]
        : [],
    );
  },
  LangChain: async (question) => {
    const tools = offered(question).map(({ name, description, schema }) =>
      langchainTool(async () => '', { name, schema, ...(description !== undefined && { description }) }),
    );
    const chat = new ChatOpenAI({ model: model.name, apiKey: 'any', configuration: { baseURL } });
    const messages = beforeAnswer(question).map(({ role, content }) => ({ role, content: String(content) }));
    const { tool_calls = [] } = await chat.bindTools(tools).invoke(messages);
    return tool_calls.map(({ name, args }) => ({ name, input: args }));
  },
  MCP: async (question) => {
    const { tools } = await listed(question);
    const message = await model.chat({ messages: beforeAnswer(question), tools }).message;
    return (message.tool_calls ?? []).map(({ function: call }) => ({
      name: call.name,
      input: JSON.parse(call.arguments),
    }));
  },
};

/** What an MCP server with the question's tools tells a client of them. */
async function listed(question: Question) {
  const mcp = new McpServer({ name: 'toy', version: '1.0.0' });
  for (const { name, description, schema } of offered(question))
    mcp.registerTool(
      name,
      { inputSchema: schema.shape, ...(description !== undefined && { description }) },
      () => ({ content: [] }),
    );
  const client = new Client({ name: 'toy', version: '1.0.0' });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([mcp.connect(there), client.connect(here)]);
  return client.listTools();
}

interface Offered {
  readonly name: string;
  readonly description: string | undefined;
  readonly schema: z.ZodObject;
}

/** The tools with schemas of zod's, out of which each client makes what it sends. */
function offered({ tools }: Question): readonly Offered[] {
  return tools.map(({ function: { name, description, parameters } }) => ({
    name,
    description,
    schema: z.fromJSONSchema({ ...Object(parameters), additionalProperties: false }) as z.ZodObject,
  }));
}

function beforeAnswer({ messages }: Question) {
  return messages.slice(
    0,
    messages.findIndex(({ role }) => role === 'assistant'),
  );
}

function asked(question: Question): string {
  return String(beforeAnswer(question).at(-1)?.content);
}

function instructions(question: Question): { readonly instructions?: string } {
  const [first] = question.messages;
  return first?.role === 'system' ? { instructions: String(first.content) } : {};
}

function expected({ messages }: Question): readonly Call[] {
  const answer = messages.find(({ role }) => role === 'assistant');
  const calls = answer?.role === 'assistant' ? (answer.tool_calls ?? []) : [];
  return calls.map(({ function: call }) => ({ name: call.name, input: JSON.parse(call.arguments) }));
}

/** Calls as text that does not depend on the order of keys; `names`: without arguments. */
function spelled(calls: readonly Call[], what: 'names' | 'all'): string {
  return JSON.stringify(
    calls.map(({ name, input }) => [name, what === 'all' ? Object.entries(Object(input)).sort() : null]),
  );
}

/** Clients that mark tools as strict send no optional parameters, and none of them switches thoughts off. */
function fits({ tools, thinking }: Question): boolean {
  return (
    thinking &&
    tools.every(({ function: { parameters } }) => {
      const { properties = {}, required = [] } = parameters as Record<string, object>;
      return Object.keys(properties).length === (required as readonly string[]).length;
    })
  );
}

const count = Number(values.count);
const themes = ['chat', 'refusal', 'call', 'call', 'call', 'parallel'] as const;
const questions = heldOutQuestions(6 * count, { format: 'json', themes, seed: 77 })
  .filter(fits)
  .slice(0, count);
for (const [name, ask] of Object.entries(ways)) {
  const right = { names: 0, all: 0 };
  for (const question of questions) {
    const calls = await ask(question);
    for (const what of ['names', 'all'] as const)
      right[what] += Number(spelled(calls, what) === spelled(expected(question), what));
  }
  const share = (part: number): string => `${((100 * part) / questions.length).toFixed(1)} %`;
  console.log(
    `${name.padEnd(9)} ${questions.length} questions: decisions ${share(right.names)}, all arguments ${share(right.all)}`,
  );
}
await server.close();
await model.dispose();
fs.rmSync(folder, { recursive: true });
