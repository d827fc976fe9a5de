/** The models that rows ask: one scripted engine per format, behind each engine's interface. */
import { modules } from '../../../generated/index.ts';
import {
  generatedTemplates,
  type NamedTemplate,
} from '../../../scripts/judge-models/insisting/chat-templates.ts';
import { InsistingEngine } from '../../../scripts/judge-models/insisting/insisting-model.ts';
import type { AnyResponseEvent, ResponseMessage, Usage } from '../../../src/parser/events.ts';
import type { ChatOptions } from '../../../src/runtime/chat/chat-options.ts';
import type { ChatStream } from '../../../src/runtime/chat/chat-stream.ts';
import { connectEngine, type EngineModel } from '../../../src/runtime/engine/index.ts';
import { connectEngineServer } from '../engine-server.ts';
import { connectTransformers } from '../transformers/scripted-transformers.ts';
import type { Row } from './dimensions.ts';
import { isServer } from './request.ts';

/** A format's model, ready for any row. */
export interface CoveredModel {
  readonly template: NamedTemplate;
  readonly engine: InsistingEngine;
  /** In this process; knows the prompts of all. */
  readonly local: EngineModel;
  /** What the row asks. */
  readonly asked: { readonly name: string; chat(options: ChatOptions): ChatStream };
}

const contextSize = 8192;
const known = new Map<string, Promise<CoveredModel>>();
let templates: ReturnType<typeof generatedTemplates> | undefined;

/** The model of a row; opened once. */
export function modelOf(row: Row): Promise<CoveredModel> {
  const { format, markers, engine } = row;
  const key = `${format} ${markers} ${isServer(row) || engine === 'transformers.js' ? engine : ''}`;
  const opened = known.get(key) ?? openModel(row);
  known.set(key, opened);
  return opened;
}

async function openModel(row: Row): Promise<CoveredModel> {
  templates ??= generatedTemplates();
  const template = (await templates).find(({ name }) => name === row.format);
  if (template === undefined) throw new RangeError(`no generated module is called ${row.format}`);
  const engine = new InsistingEngine(template, { contextSize, spellsMarkers: row.markers === 'letters' });
  const local = await connectEngine(engine, { modules, requireTools: false });
  const kind = row.engine;
  if (kind === 'transformers.js')
    return { template, engine, local, asked: await connectTransformers(engine) };
  if (kind !== 'llama-server' && kind !== 'vllm' && kind !== 'sglang')
    return { template, engine, local, asked: local };
  return { template, engine, local, asked: await connectEngineServer(engine, kind) };
}

/** What came of one chat. */
export interface Told {
  readonly events: readonly AnyResponseEvent[];
  readonly message: ResponseMessage | null;
  readonly usage: Usage | null;
  readonly error: unknown;
}

/** A model that notes what comes of each of its chats, whoever reads them. */
export class NotedModel {
  readonly name = 'noted';
  readonly #model: CoveredModel['asked'];
  readonly #more: Partial<ChatOptions>;
  readonly #chats: { readonly stream: ChatStream; readonly events: AnyResponseEvent[] }[] = [];

  /** `more`: options that the reader cannot give. */
  constructor(model: CoveredModel['asked'], more: Partial<ChatOptions> = {}) {
    this.#model = model;
    this.#more = more;
  }

  chat(options: ChatOptions): ChatStream {
    const stream = this.#model.chat({ ...options, ...this.#more });
    const events: AnyResponseEvent[] = [];
    this.#chats.push({ stream, events });
    return new Proxy(stream, {
      get(target, key) {
        if (key === Symbol.asyncIterator) return () => noted(target, events);
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  /** What came of each chat, in order. */
  async all(): Promise<readonly Told[]> {
    return Promise.all(this.#chats.map(({ stream, events }) => toldBy(stream, events)));
  }
}

async function toldBy(stream: ChatStream, events: readonly AnyResponseEvent[]): Promise<Told> {
  try {
    const [message, usage] = [await stream.message, await stream.usage];
    return { events, message, usage, error: null };
  } catch (error) {
    return { events, message: null, usage: null, error };
  }
}

async function* noted(
  stream: ChatStream,
  events: AnyResponseEvent[],
): AsyncGenerator<AnyResponseEvent, void> {
  for await (const event of stream) {
    events.push(event);
    yield event;
  }
}
