/** What one chat takes of a gateway: processor time, bytes, memory while it is written, and after it. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { demoTools } from '../../examples/support/demo-tools.ts';
import type { Tool } from '../../src/format/messages.ts';
import { createHandler } from '../../src/serve/index.ts';
import type { ServerModel } from '../../src/servers/index.ts';
import { cpuTime, median } from '../processor-time.ts';
import type { ScriptedUpstream } from './scripted-upstream.ts';

const rounds = 7;
const batch = 20;
const few = 20;
const many = 220;
/** Tokens by which a response of many words is longer: thoughts, and text. */
const more = 2 * (many - few);

/** Milliseconds of processor time. */
export interface ChatCost {
  readonly perRequest: number;
  readonly perToken: number;
  /** More, if the tools are new. */
  readonly newTools: number;
}

type Ask = (tools: readonly Tool[]) => Promise<void>;

/** A chat in this process. */
export function asChat(model: ServerModel): Ask {
  return async (tools) => {
    const { tool_calls: calls } = await model.chat({ messages: messages(960), tools }).message;
    if (calls?.length !== 1) throw new Error('the response was to hold a call');
  };
}

/** A streamed chat completion of a gateway, without the sockets between it and its client. */
export function asGateway(model: ServerModel): Ask {
  const handler = createHandler(model);
  return async (tools) => {
    const answer = await handler(completion(960, tools));
    if (!(await answer.text()).includes('"tool_calls"')) throw new Error('the response was to hold a call');
  };
}

/** Measures `ask`. */
export async function costOf(ask: Ask, upstream: ScriptedUpstream): Promise<ChatCost> {
  const short = await timeOf(() => ask(demoTools), upstream, few);
  const long = await timeOf(() => ask(demoTools), upstream, many);
  const fresh = await timeOf(() => ask(newTools()), upstream, few);
  upstream.words = few;
  const perToken = (long - short) / more;
  return { perRequest: short - perToken * upstream.tokens, perToken, newTools: fresh - short };
}

async function timeOf(ask: () => Promise<void>, upstream: ScriptedUpstream, words: number): Promise<number> {
  upstream.words = words;
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = cpuTime();
    for (let each = 0; each < batch; each += 1) await ask();
    times.push((cpuTime() - before) / batch);
  }
  return median(times.slice(2));
}

/** Kilobytes that a gateway holds for each conversation: while its response is written, and when it is over. */
export async function memoryOf(
  model: ServerModel,
  upstream: ScriptedUpstream,
  characters: number,
): Promise<{ readonly written: number; readonly over: number }> {
  const handler = createHandler(model, { concurrency: 10_000, queueLimit: 10_000 });
  const begin = async () => {
    const answer = await handler(completion(characters, demoTools));
    const reader = answer.body?.getReader();
    await reader?.read();
    return reader;
  };
  upstream.isHeld = true;
  // What the first ones leave is not theirs alone.
  for (let each = 0; each < batch; each += 1) await (await begin())?.cancel();
  const before = await memory();
  const count = 200;
  const open = [];
  for (let each = 0; each < count; each += 1) open.push(await begin());
  const during = await memory();
  for (const reader of open) await reader?.cancel();
  open.length = 0;
  const after = await memory();
  upstream.isHeld = false;
  return { written: (during - before) / count, over: (after - before) / count };
}

/** Kilobytes, after what nothing refers to is gone. */
async function memory(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  for (let round = 0; round < 4; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    collect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024;
}

let asked = 0;

/** Words that no earlier question had. */
function messages(characters: number): readonly { readonly role: 'user'; readonly content: string }[] {
  asked += 1;
  const words = Array.from({ length: characters / 8 }, (_, at) =>
    ((asked + 1) * (at + 7)).toString(36).padEnd(7),
  );
  return [{ role: 'user', content: words.join(' ') }];
}

function completion(characters: number, tools: readonly Tool[]): Request {
  const body = { model: 'served', messages: messages(characters), tools, stream: true };
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  return new Request('http://gateway.test/v1/chat/completions', init);
}

let sets = 0;
function newTools(): readonly Tool[] {
  sets += 1;
  // Under the name that the response calls there has to be a tool.
  return demoTools.map((tool, index): Tool => {
    const { function: called, ...rest } = tool;
    const name = index === 0 ? called.name : `${called.name}_${sets}`;
    return { ...rest, function: { ...called, name, description: `Set ${sets}.` } };
  });
}
