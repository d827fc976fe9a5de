/**
 * Six coding agents, each with three tasks: it reads two files at once, edits one, and looks at a picture. What they sent
 * is replayed without descriptions and instructions (`requests.json`), each request of a task in turn, to a model that
 * writes the calls again: their clients must read the same calls, and at the end an answer.
 */
import fs from 'node:fs';
import path from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { connectEngine } from '../../../src/runtime/engine/index.ts';
import { type RunningServer, serve } from '../../../src/serve/index.ts';
import { scriptedEngine } from '../../../src/testing/index.ts';

type Item = Readonly<Record<string, unknown>>;

interface Agent {
  readonly path: string;
  readonly fields: Item;
  readonly tools: readonly Item[];
  /** `ignored`: the header of the task's last answer. */
  readonly tasks: Readonly<
    Record<string, { readonly ignored: string | null } & Record<string, readonly Item[]>>
  >;
}

interface Call {
  readonly name: string;
  readonly input: unknown;
}

/** What a model said: calls, or a text. */
interface Said {
  readonly calls: readonly Call[];
  readonly text: string;
}

const agents: Record<string, Agent> = JSON.parse(
  fs.readFileSync(path.join(import.meta.dirname, 'requests.json'), 'utf8'),
);

let server: RunningServer | null = null;
afterEach(async () => {
  await server?.close(AbortSignal.abort());
  server = null;
});

describe.each(Object.entries(agents))('%s', (_, agent) => {
  it.each(Object.entries(agent.tasks))('finishes: %s', async (_name, task) => {
    const history = task.messages ?? task.input ?? [];
    const steps = [...stepsOf(history), { before: history, said: { calls: [], text: 'Done.' } }];
    expect(steps.length).toBeGreaterThan(1);
    for (const { before, said } of steps) {
      const { body, ignored } = await replay(agent, before, said);
      expect(body).toEqual(said);
      // The places of what is left out are those of the last request.
      if (before === history) expect(ignored).toBe(task.ignored);
    }
  });
});

/** The requests of a task but for the last: what came before each answer, and that answer. */
function stepsOf(
  history: readonly Item[],
): readonly { readonly before: readonly Item[]; readonly said: Said }[] {
  const steps: { before: readonly Item[]; said: Said }[] = [];
  for (const [index, item] of history.entries()) {
    const calls = callsIn(item);
    const isNext = item.type === 'function_call' && history[index - 1]?.type === 'function_call';
    if (isNext)
      steps.push(...steps.splice(-1).map(({ before, said }) => ({ before, said: joined(said, calls) })));
    else if (calls.length > 0) steps.push({ before: history.slice(0, index), said: { calls, text: '' } });
  }
  return steps;
}

function joined(said: Said, calls: readonly Call[]): Said {
  return { ...said, calls: [...said.calls, ...calls] };
}

/** The calls in a message or item of any of the three APIs. */
function callsIn({ type, name, arguments: input, tool_calls: calls, content }: Item): readonly Call[] {
  if (type === 'function_call') return [{ name: String(name), input: JSON.parse(String(input)) }];
  const chat = (calls as OpenAI.ChatCompletionMessageFunctionToolCall[] | undefined) ?? [];
  const blocks = Array.isArray(content) ? (content as Anthropic.ContentBlock[]) : [];
  return [
    ...chat.map(({ function: called }) => ({ name: called.name, input: JSON.parse(called.arguments) })),
    ...blocks.flatMap((block) =>
      block.type === 'tool_use' ? [{ name: block.name, input: block.input }] : [],
    ),
  ];
}

async function replay(
  agent: Agent,
  before: readonly Item[],
  said: Said,
): Promise<{ readonly body: Said; readonly ignored: string | null }> {
  const calls = said.calls.map(
    ({ name, input }) => `<tool_call>\n${JSON.stringify({ name, arguments: input })}\n</tool_call>`,
  );
  const script = `<think>\n\n</think>\n\n${said.text}${calls.join('\n')}`;
  await server?.close(AbortSignal.abort());
  const model = await connectEngine(scriptedEngine({ contextSize: 32_768, turns: [{ script }] }));
  let ignored: string | null = null;
  server = await serve(model, { port: 0 });
  const client = {
    apiKey: 'any',
    maxRetries: 0,
    fetch: async (address: string | URL | Request, init?: RequestInit) => {
      const response = await fetch(address, init);
      ignored = response.headers.get('idiolect-ignored');
      return response;
    },
  };
  const body = await askers[agent.path.replace(/\?.*/, '')]?.(server.url, client, agent, before);
  if (body === undefined) throw new RangeError(`no client for ${agent.path}`);
  return { body, ignored };
}

type Ask = (url: string, client: object, agent: Agent, before: readonly Item[]) => Promise<Said>;

const askers: Readonly<Record<string, Ask>> = {
  async '/v1/chat/completions'(url, client, { fields, tools }, messages) {
    const request = { model: 'scripted', ...fields, tools, messages } as never;
    const stream = new OpenAI({ ...client, baseURL: `${url}/v1` }).chat.completions.stream(request);
    const answer = await stream.finalMessage();
    return { calls: callsIn({ tool_calls: answer.tool_calls }), text: answer.content ?? '' };
  },
  async '/v1/responses'(url, client, { fields, tools }, input) {
    const request = { model: 'scripted', ...fields, tools, input } as never;
    const stream = new OpenAI({ ...client, baseURL: `${url}/v1` }).responses.stream(request);
    const answer = await stream.finalResponse();
    return { calls: answer.output.flatMap((item) => callsIn({ ...item })), text: answer.output_text };
  },
  async '/v1/messages'(url, client, { fields, tools }, messages) {
    const request = { model: 'scripted', ...fields, tools, messages } as never;
    const answer = await new Anthropic({ ...client, baseURL: url }).messages.stream(request).finalMessage();
    const texts = answer.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    return { calls: callsIn({ content: answer.content }), text: texts.join('') };
  },
};
