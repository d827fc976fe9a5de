/**
 * What a constraint costs on a server, ours next to the server's own, taken in turn: milliseconds for each token by the
 * clock, and, where the server's processes are known, of their processor time, which other work on the machine hardly
 * changes.
 */
import fs from 'node:fs';
import { connectServer, type ServerModel, type ServerOptions } from '../../src/servers/index.ts';
import { judgeTools } from '../judge-models/questions/tools.ts';
import { type Answered, type JudgedServer, post } from './judged-server.ts';

const tools = judgeTools;
const [tool] = tools;
const named = { type: 'function', function: { name: tool?.function.name ?? '' } } as const;
const schema = tool?.function.parameters ?? true;
const responseFormat = { type: 'json_schema', json_schema: { name: 'answer', schema } } as const;
const content = `${'It was sunny in Bern, and rainy in Basel. '.repeat(30)}What will it be tomorrow?`;
const messages = [{ role: 'user', content }] as const;
/** The same for both: to sort a large vocabulary for the likeliest tokens costs a server more than a constraint does. */
const sampling = { temperature: 1, topK: 40, topP: 0.95 } as const;

/** Of one way: milliseconds by the clock, for the whole request and by token, and of processor time by token. */
interface Cost {
  readonly milliseconds: number;
  readonly perToken: number;
  readonly processorPerToken: number;
}

/** Medians; and the calls of `/tokenize` of the first chat, and of the last. */
export interface Costs {
  readonly rows: Readonly<Record<string, Cost>>;
  readonly tokenize: readonly [first: number, later: number];
}

/** Measures `rounds` of `limit` tokens each. `pid`: the server's process on this machine; `null` if there is none. */
export async function judgeCost(
  server: JudgedServer,
  options: ServerOptions,
  { rounds, limit, pid }: { readonly rounds: number; readonly limit: number; readonly pid: number | null },
): Promise<Costs> {
  let asked = 0;
  const counting: typeof fetch = (address, init) => {
    if (String(address).endsWith('/tokenize')) asked += 1;
    return fetch(address, init);
  };
  const model = await connectServer({ ...options, fetch: counting });
  const ways = waysOf(server, model, limit);
  const times = new Map<string, Cost[]>();
  const tokenize: number[] = [];
  for (let round = 0; round < rounds; round += 1)
    for (const [name, ask] of Object.entries(ways)) {
      asked = 0;
      const before = processorTime(pid);
      const { milliseconds, tokens } = await ask(round);
      const processorPerToken = (processorTime(pid) - before) / tokens;
      if (name.startsWith('ours')) tokenize.push(asked);
      const cost = { milliseconds, perToken: milliseconds / tokens, processorPerToken };
      // The first compiles.
      if (round > 0) times.set(name, [...(times.get(name) ?? []), cost]);
      console.error(`round ${round}, ${name}: ${JSON.stringify(cost)}`);
    }
  const rows = Object.fromEntries(Array.from(times, ([name, all]) => [name, medians(all)]));
  return { rows, tokenize: [tokenize[0] ?? 0, tokenize.at(-1) ?? 0] };
}

interface Taken {
  readonly milliseconds: number;
  readonly tokens: number;
}

function waysOf(
  server: JudgedServer,
  model: ServerModel,
  limit: number,
): Readonly<Record<string, (seed: number) => Promise<Taken>>> {
  const theirs = (more: object) => async (seed: number) => {
    const stream = { stream: true, stream_options: { include_usage: true } };
    const { temperature, topK: top_k, topP: top_p } = sampling;
    const body = { messages, temperature, top_k, top_p, max_tokens: limit, seed, ...stream, ...more };
    return taken(await post(server, '/v1/chat/completions', body));
  };
  const ours = (more: object) => async (seed: number) => {
    const begun = performance.now();
    const chat = model.chat({ messages, ...sampling, maxTokens: limit, seed, ...more });
    await chat.message;
    const { completionTokens } = await chat.usage;
    return { milliseconds: performance.now() - begun, tokens: Math.max(1, completionTokens) };
  };
  return {
    free: theirs({}),
    'theirs, auto': theirs({ tools }),
    'ours, auto': ours({ tools }),
    'theirs, required': theirs({ tools, tool_choice: 'required' }),
    'ours, required': ours({ tools, toolChoice: 'required' }),
    'theirs, named': theirs({ tools, tool_choice: named }),
    'ours, named': ours({ tools, toolChoice: named }),
    'theirs, answer': theirs({ response_format: responseFormat }),
    'ours, answer': ours({ responseFormat }),
  };
}

function taken({ status, body, milliseconds }: Answered): Taken {
  const tokens = /"completion_tokens": ?(\d+)(?!.*"completion_tokens")/s.exec(body)?.[1];
  if (status !== 200 || tokens === undefined) throw new Error(body);
  return { milliseconds, tokens: Math.max(1, Number(tokens)) };
}

/** Milliseconds that a process and its children have taken (Linux); not a number if it is not known. */
function processorTime(pid: number | null): number {
  if (pid === null) return Number.NaN;
  const folder = `/proc/${pid}/task`;
  const children = fs
    .readdirSync(folder)
    .flatMap((task) => fs.readFileSync(`${folder}/${task}/children`, 'utf8').split(' '))
    .filter((child) => /\d/.test(child));
  // After the name, which may have blanks: the fields from the third on.
  const fields = fs
    .readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  const own = (Number(fields[11]) + Number(fields[12])) * millisecondsPerTick;
  return children.reduce((sum, child) => sum + processorTime(Number(child)), own);
}

const millisecondsPerTick = 10;

function medians(all: readonly Cost[]): Cost {
  const middle = (read: (cost: Cost) => number): number =>
    all.map(read).sort((one, other) => one - other)[all.length >> 1] ?? Number.NaN;
  return {
    milliseconds: middle(({ milliseconds }) => milliseconds),
    perToken: middle(({ perToken }) => perToken),
    processorPerToken: middle(({ processorPerToken }) => processorPerToken),
  };
}
