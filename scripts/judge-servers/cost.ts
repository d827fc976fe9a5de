/** What a constraint costs on a server: milliseconds for each token, ours next to the server's own, taken in turn. */
import { connectServer, type ServerModel, type ServerOptions } from '../../src/runtime/servers/index.ts';
import { judgeTools } from '../judge-models/questions/tools.ts';
import { type Answered, type JudgedServer, post } from './judged-server.ts';

const tools = judgeTools;
const [tool] = tools;
const named = { type: 'function', function: { name: tool?.function.name ?? '' } } as const;
const schema = tool?.function.parameters ?? true;
const responseFormat = { type: 'json_schema', json_schema: { name: 'answer', schema } } as const;
const content = `${'It was sunny in Bern, and rainy in Basel. '.repeat(30)}What will it be tomorrow?`;
const messages = [{ role: 'user', content }] as const;

/** Medians: the whole request, and by token; and the calls of `/tokenize` of the first chat, and of the last. */
export interface Costs {
  readonly rows: Readonly<Record<string, { readonly milliseconds: number; readonly perToken: number }>>;
  readonly tokenize: readonly [first: number, later: number];
}

/** Measures `rounds` of `limit` tokens each. */
export async function judgeCost(
  server: JudgedServer,
  options: ServerOptions,
  { rounds, limit }: { readonly rounds: number; readonly limit: number },
): Promise<Costs> {
  let asked = 0;
  const counting: typeof fetch = (address, init) => {
    if (String(address).endsWith('/tokenize')) asked += 1;
    return fetch(address, init);
  };
  const model = await connectServer({ ...options, fetch: counting });
  const ways = waysOf(server, model, limit);
  const times = new Map<string, { readonly milliseconds: number; readonly perToken: number }[]>();
  const tokenize: number[] = [];
  for (let round = 0; round < rounds; round += 1)
    for (const [name, ask] of Object.entries(ways)) {
      asked = 0;
      const { milliseconds, tokens } = await ask(round);
      if (name.startsWith('ours')) tokenize.push(asked);
      // The first compiles.
      if (round > 0)
        times.set(name, [...(times.get(name) ?? []), { milliseconds, perToken: milliseconds / tokens }]);
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
    const body = { messages, temperature: 1, max_tokens: limit, seed, ...more };
    return taken(await post(server, '/v1/chat/completions', body));
  };
  const ours = (more: object) => async (seed: number) => {
    const begun = performance.now();
    const chat = model.chat({ messages, temperature: 1, maxTokens: limit, seed, ...more });
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
  if (status !== 200) throw new Error(body);
  const { usage } = JSON.parse(body) as { readonly usage: { readonly completion_tokens: number } };
  return { milliseconds, tokens: Math.max(1, usage.completion_tokens) };
}

function medians(all: readonly { readonly milliseconds: number; readonly perToken: number }[]) {
  const middle = (values: readonly number[]): number =>
    values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;
  return {
    milliseconds: middle(all.map(({ milliseconds }) => milliseconds)),
    perToken: middle(all.map(({ perToken }) => perToken)),
  };
}
