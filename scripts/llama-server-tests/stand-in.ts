/** Starts and ends our server for a launcher that was called with llama-server's arguments. */
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { tinyModelFile } from '../../examples/support/small-models.ts';
import { type ChatModel, loadModel } from '../../src/runtime/node-llama-cpp/index.ts';
import { type RunningServer, serve } from '../../src/serve/index.ts';

const engine = getLlama({
  gpu: false,
  build: 'never',
  logLevel: LlamaLogLevel.disabled,
  progressLogs: false,
});

/** A model with random weights under a template: what the tests ask of it is shapes. */
export interface StandInOptions {
  /** The template where a test names none. */
  readonly chatTemplate: string;
  /** Where launchers find it: the path of a Unix socket. */
  readonly socket: string;
}

/** Listens for launchers; returns what ends it. */
export async function startStandIn({ chatTemplate, socket }: StandInOptions): Promise<() => Promise<void>> {
  const models = new Map<string, Promise<ChatModel>>();
  // A server ends before the next one begins: they take the same port.
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  };

  const listener = net.createServer({ allowHalfOpen: true }, (launcher) => {
    let server: RunningServer | null = null;
    launcher.on('error', () => undefined);
    launcher.once('data', (line) => {
      const { args, folder } = JSON.parse(String(line)) as { args: readonly string[]; folder: string };
      const asked = readArguments(args);
      const file = asked.get('--chat-template-file');
      const template =
        file === undefined ? chatTemplate : fs.readFileSync(path.resolve(folder, file), 'utf8');
      inTurn(async () => {
        server = await startServer(await modelOf(models, asked, template), asked);
      }).catch((error: unknown) => launcher.end(`${String(error)}\n`));
    });
    launcher.on('end', () => {
      void inTurn(async () => server?.close(AbortSignal.abort())).finally(() => launcher.end());
    });
  });
  await new Promise<void>((resolve) => listener.listen(socket, resolve));
  return async () => {
    listener.close();
    await turn;
    for (const model of models.values()) await (await model).dispose();
  };
}

/** `--name value` pairs, and flags. */
function readArguments(args: readonly string[]): ReadonlyMap<string, string> {
  const pairs = args.flatMap((name, index): [string, string][] => {
    if (!/^--?[a-z]/.test(name)) return [];
    const value = args[index + 1];
    return [[name, value === undefined || /^--?[a-z]/.test(value) ? '' : value]];
  });
  return new Map(pairs);
}

type Arguments = ReadonlyMap<string, string>;

async function modelOf(
  models: Map<string, Promise<ChatModel>>,
  asked: Arguments,
  chatTemplate: string,
): Promise<ChatModel> {
  const sequences = Number(asked.get('--parallel') ?? 1);
  // There, the context is shared by the sequences.
  const contextSize = Math.floor(Number(asked.get('--ctx-size') ?? 4096) / sequences);
  const key = JSON.stringify([sequences, contextSize, chatTemplate]);
  const opened = models.get(key) ?? openTiny(chatTemplate, { sequences, contextSize });
  models.set(key, opened);
  return opened;
}

async function openTiny(
  chatTemplate: string,
  sizes: { readonly sequences: number; readonly contextSize: number },
): Promise<ChatModel> {
  const markers = ['<think>', '</think>', '<tool_call>', '</tool_call>'];
  const controls = ['<|im_start|>', '<|im_end|>'];
  const file = await tinyModelFile({ vocabulary: 'llama-spm', markers, controls, chatTemplate });
  const llama = await engine;
  return loadModel(file, { llama, threads: 1, requireTools: false, ...sizes });
}

function startServer(model: ChatModel, asked: Arguments): Promise<RunningServer> {
  const [name = model.name] = asked.get('--alias')?.split(',') ?? [];
  const key = asked.get('--api-key');
  const origins = asked.get('--cors-origins');
  const named = {
    name,
    contextSize: model.contextSize,
    chat: model.chat.bind(model),
    preview: model.preview.bind(model),
    complete: model.complete.bind(model),
    tokenize: model.tokenize.bind(model),
    detokenize: model.detokenize.bind(model),
  };
  return serve(named, {
    port: Number(asked.get('--port')),
    host: asked.get('--host')?.split(',')[0] ?? '127.0.0.1',
    anyModel: true,
    verbose: asked.has('--verbose'),
    ...(asked.has('--no-ui') ? {} : { page: path.join(import.meta.dirname, '../../dist/chat') }),
    apiKeys: key === undefined ? [] : [key],
    corsOrigins: origins === undefined ? [] : origins.split(','),
    defaults: {
      thinking: asked.get('--reasoning') !== 'off',
      temperature: Number(asked.get('--temp')),
      seed: Number(asked.get('--seed')),
      maxTokens: Number(asked.get('--n-predict') ?? 64),
    },
  });
}
