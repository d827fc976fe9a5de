/**
 * Models that insist on wrong texts, through serve's three APIs: whole answers and streams, with strict tools and without,
 * at temperature 1. Counts answers, calls, and calls that do not fit their schema, of which there must be none.
 *
 *     npx tsx --conditions=idiolect:source scripts/judge-models/insisting/served.ts [formats, 4] [texts of each, 12] [seed, 1]
 */
import type { EngineModel } from '../../../src/runtime/engine/index.ts';
import { createHandler, type Handler } from '../../../src/serve/index.ts';
import { Random } from '../../toy/random.ts';
import { Validity } from '../asking/validity.ts';
import { drawWrongTexts } from './adversarial-run.ts';
import { generatedTemplates, type NamedTemplate } from './chat-templates.ts';
import { connectHere, type InsistingEngine, InsistingModel } from './insisting-model.ts';
import { boundedTools } from './wrong-texts.ts';

interface Call {
  readonly name: string;
  readonly arguments: string;
}

/** How one API is asked, and where its calls are. */
interface Api {
  readonly path: string;
  readonly tool: (tool: (typeof boundedTools)[number]['function'], strict: boolean) => object;
  readonly fields: object;
  /** The calls of a whole answer. */
  readonly calls: (answer: Answer) => readonly Call[];
  /** The calls of a stream, from its events. */
  readonly streamed: (events: readonly StreamEvent[]) => readonly Call[];
}

interface Block {
  readonly type: string;
  readonly name: string;
  readonly input: object;
  readonly arguments: string;
}

interface Answer {
  readonly choices: readonly {
    readonly message: { readonly tool_calls?: readonly { readonly function: Call }[] };
  }[];
  readonly output: readonly Block[];
  readonly content: readonly Block[];
}

interface StreamEvent {
  readonly type?: string;
  readonly index?: number;
  readonly item?: Block;
  readonly content_block?: Block;
  readonly delta?: { readonly type: string; readonly partial_json?: string };
  readonly choices?: readonly {
    readonly delta: {
      readonly tool_calls?: readonly { readonly index: number; readonly function: Partial<Call> }[];
    };
  }[];
}

/** A piece of the call at this place. */
interface Piece {
  readonly at: number;
  readonly piece: Partial<Call>;
}

/** Pieces of calls, put together by their place. */
function gathered(pieces: readonly Piece[]): readonly Call[] {
  const calls = new Map<number, Call>();
  for (const { at, piece } of pieces) {
    const { name, arguments: input } = calls.get(at) ?? { name: '', arguments: '' };
    calls.set(at, { name: name + (piece.name ?? ''), arguments: input + (piece.arguments ?? '') });
  }
  return [...calls.values()];
}

const apis: readonly Api[] = [
  {
    path: '/v1/chat/completions',
    tool: (own, strict) => ({ type: 'function', function: { ...own, strict } }),
    fields: { messages: [{ role: 'user', content: 'How warm will the next 14 days be in Bern?' }] },
    calls: ({ choices }) =>
      choices.flatMap(({ message }) => (message.tool_calls ?? []).map((call) => call.function)),
    streamed: (events) =>
      gathered(
        events
          .flatMap(({ choices = [] }) => choices.flatMap(({ delta }) => delta.tool_calls ?? []))
          .map(({ index, function: piece }) => ({ at: index, piece })),
      ),
  },
  {
    path: '/v1/responses',
    tool: (own, strict) => ({ type: 'function', ...own, strict }),
    fields: { input: 'How warm will the next 14 days be in Bern?' },
    calls: ({ output }) => output.filter(({ type }) => type === 'function_call'),
    streamed: (events) =>
      events.flatMap(({ type, item }) =>
        type === 'response.output_item.done' && item?.type === 'function_call' ? [item] : [],
      ),
  },
  {
    path: '/v1/messages',
    tool: ({ name, description, parameters }, strict) => ({
      name,
      description,
      input_schema: parameters,
      strict,
    }),
    fields: {
      messages: [{ role: 'user', content: 'How warm will the next 14 days be in Bern?' }],
      max_tokens: 100,
    },
    calls: ({ content }) =>
      content
        .filter(({ type }) => type === 'tool_use')
        .map(({ name, input }) => ({ name, arguments: JSON.stringify(input) })),
    streamed: (events) => {
      const pieces = events.flatMap(({ index = 0, content_block: block, delta }): readonly Piece[] => {
        if (block?.type === 'tool_use') return [{ at: index, piece: { name: block.name } }];
        return delta?.type === 'input_json_delta'
          ? [{ at: index, piece: { arguments: delta.partial_json ?? '' } }]
          : [];
      });
      return gathered(pieces).map(({ name, arguments: input }) => ({ name, arguments: input || '{}' }));
    },
  },
];

async function ask(handler: Handler, api: Api, strict: boolean, stream: boolean): Promise<readonly Call[]> {
  const tools = boundedTools.map((tool) => api.tool(tool.function, strict));
  const response = await handler(
    new Request(`http://localhost${api.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...api.fields, tools, temperature: 1, seed: 1, stream }),
    }),
  );
  const text = await response.text();
  if (!response.ok) throw new Error(`${api.path}: ${response.status} ${text}`);
  if (!stream) return api.calls(JSON.parse(text));
  return api.streamed(Array.from(text.matchAll(/^data: (\{.*)$/gm), ([, data = '']) => JSON.parse(data)));
}

const [formats = 4, texts = 12, seed = 1] = process.argv.slice(2).map(Number);
const validity = new Validity(boundedTools);
const counts = { answers: 0, calls: 0, invalid: 0 };
const request = { tools: boundedTools };

function count(calls: readonly Call[], where: string): void {
  counts.answers += 1;
  counts.calls += calls.length;
  for (const call of calls) {
    if (validity.isValid({ name: call.name, arguments: JSON.parse(call.arguments) })) continue;
    counts.invalid += 1;
    console.log(`${where}: ${JSON.stringify(call)}`);
  }
}

async function judge(template: NamedTemplate): Promise<void> {
  const engines: InsistingEngine[] = [];
  const chats: EngineModel[] = [];
  const model = await InsistingModel.open(template, [request], async (engine) => {
    const chat = await connectHere(engine);
    engines.push(engine);
    chats.push(chat);
    return chat;
  });
  const handler = createHandler(chats, {});
  for (const { kind, tokens } of drawWrongTexts(model, request, new Random(seed), texts)) {
    for (const api of apis)
      for (const strict of [true, false])
        for (const stream of [true, false]) {
          for (const engine of engines) engine.insistOn(tokens);
          count(await ask(handler, api, strict, stream), `${template.name}, ${api.path}, ${kind}`);
        }
  }
  await handler.close();
  await model.dispose();
}

for (const template of new Random(seed).shuffle(await generatedTemplates()).slice(0, formats))
  await judge(template);
console.log(`${counts.answers} answers, ${counts.calls} calls, ${counts.invalid} invalid`);
process.exit(counts.invalid === 0 ? 0 : 1);
