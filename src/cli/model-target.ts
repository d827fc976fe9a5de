/** The model that a command uses: in this process, from a file or the Hub, or on a server. */
import { codeOf } from '../format/error-class.ts';
import { MissingPackageError, ServerError, UnsupportedOptionError } from '../format/errors.ts';
import { withoutUndefined } from '../format/option-rules.ts';
import { obtainModel } from '../hub/index.ts';
import type { ChatModel } from '../runtime/node-llama-cpp/chat-model.ts';
import type { LoadModelOptions, LoraAdapter } from '../runtime/node-llama-cpp/load-model-options.ts';
import type { ServableModel } from '../serve/servable-model.ts';
import { connectServer, type ServerModel } from '../servers/connect-server.ts';
import type { ServerKind, ServerOptions } from '../servers/server-options.ts';
import { createPullView } from './hub/pull-view.ts';
import { readModelSource } from './model-source.ts';
import { readToolFormat } from './tool-format.ts';

/** Options for opening it. */
export interface TargetOptions {
  /** The command, for errors: `idiolect chat`. */
  readonly command: string;
  readonly requireTools: boolean;
  readonly contextSize?: number;
  readonly threads?: number;
  readonly sequences?: number | 'auto';
  /** In GB. */
  readonly cacheMemory?: number;
  readonly gpu: boolean;
  readonly gpuLayers?: number;
  /** Files of adapters, each with `=` and a weight or without. */
  readonly lora?: readonly string[];
  readonly batchSize?: number;
  /** Whether the file is mapped into memory. Default: true. */
  readonly mmap?: boolean;
  /** Whether the model is for search, and does not chat. Default: false. */
  readonly embeddings?: boolean;
  /** The kind of server at an address. Default: `llama-server`. */
  readonly server?: ServerKind;
  readonly template?: string;
  /** Whether a server's model sees pictures. Default: what the server says. */
  readonly vision?: boolean;
  /** A name, or the path of a file. */
  readonly toolFormat?: string;
}

/** A model in this process or on a server. */
export interface OpenedTarget
  extends Pick<ChatModel, 'name' | 'templates' | 'chat' | 'runTools' | 'dispose'>,
    Pick<
      ServableModel,
      | 'preview'
      | 'previewInTurns'
      | 'contextSize'
      | 'trainedContextSize'
      | 'sequences'
      | 'vision'
      | 'complete'
      | 'embed'
      | 'tokenize'
      | 'tokenizeInTurns'
      | 'detokenizeInTurns'
      | 'learnTemplates'
      | 'detokenize'
      | 'servers'
    > {
  /** Whether its template supports tools and calls. */
  readonly supportsTools: boolean;
}

/** A model that exists and can be opened. */
interface LocatedTarget {
  /** Size of its file; 0 for a model on a server. */
  readonly bytes: number;
  /** Number of its servers; 0 for a model in this process. */
  readonly servers: number;
  /** Throws the errors of `loadModel` and `connectServer`. */
  open(): Promise<OpenedTarget>;
}

/** Opens the model that `target` names. Throws the errors of the Hub, `loadModel` and `connectServer`. */
export async function openTarget(target: string, options: TargetOptions): Promise<OpenedTarget> {
  requireFitting([target], options);
  return (await locateTarget(target, options)).open();
}

/** Options that only a model on a server has, and those that only one in this process has, by their flags. */
const placeOptions = {
  server: {
    '--server': ({ server }) => server !== undefined,
    '--vision': ({ vision }) => vision !== undefined,
  },
  process: {
    '--threads': ({ threads }) => threads !== undefined,
    '--no-gpu': ({ gpu }) => gpu === false,
    '--gpu-layers': ({ gpuLayers }) => gpuLayers !== undefined,
    '--lora': ({ lora }) => lora !== undefined,
    '--batch-size': ({ batchSize }) => batchSize !== undefined,
    '--no-mmap': ({ mmap }) => mmap === false,
    '--sequences': ({ sequences }) => typeof sequences === 'number',
    '--cache-memory': ({ cacheMemory }) => cacheMemory !== undefined,
  },
} satisfies Record<string, Record<string, (options: Partial<TargetOptions>) => boolean>>;

/** Throws `UnsupportedOptionError` for an option that concerns none of the targets, where it would mean nothing. */
export function requireFitting(
  targets: readonly (string | readonly string[])[],
  options: Partial<TargetOptions>,
): void {
  const served = targets.filter((target) => typeof target !== 'string' || isServerAddress(target));
  const given = (rules: Readonly<Record<string, (options: Partial<TargetOptions>) => boolean>>) =>
    Object.keys(rules).find((flag) => rules[flag]?.(options) === true);
  const ofServers = served.length === 0 ? given(placeOptions.server) : undefined;
  if (ofServers !== undefined) {
    const reason = `is for a model on a server, and ${targets.join(', ')} is no address; leave one of the two out, or give the address (http://localhost:8080) in place of the model`;
    throw new UnsupportedOptionError({ option: ofServers, reason });
  }
  const ofFiles = served.length === targets.length ? given(placeOptions.process) : undefined;
  if (ofFiles === undefined) return;
  const reason = `is for a model that is loaded here, and ${targets.join(', ')} loads its own; leave it out, and give the server such an option where it is started`;
  throw new UnsupportedOptionError({ option: ofFiles, reason });
}

/**
 * Finds the model that `target` names, or that several servers serve; a model on the Hub is downloaded. Throws the
 * errors of the Hub.
 */
export async function locateTarget(
  target: string | readonly string[],
  given: TargetOptions,
): Promise<LocatedTarget> {
  const toolFormat = given.toolFormat === undefined ? undefined : await readToolFormat(given.toolFormat);
  const options = { ...given, ...withoutUndefined({ toolFormat }) };
  if (typeof target !== 'string') return servedBy(target.map(addressOf), options);
  // No file and no model of the Hub has such a name.
  if (isServerAddress(target)) return servedBy([addressOf(target)], options);
  const { template } = options;
  // In a tool format, any chat template will do; a template that is given is examined as the model is loaded.
  const requireTools = options.requireTools && toolFormat === undefined && template === undefined;
  await importEngine(options.command);
  const view = createPullView();
  const { file, card } = await obtainModel(target, { requireTools, onEvent: view.show }).finally(view.stop);
  return {
    bytes: card.size ?? 0,
    servers: 0,
    open: () =>
      openModel(
        file,
        template === undefined ? card.supportsTools || toolFormat !== undefined : null,
        options,
      ),
  };
}

/** A model for search. Throws `UnsupportedOptionError` for the address of a server, and the errors of the Hub. */
export async function locateEmbeddings(
  target: string | readonly string[],
  options: TargetOptions,
): Promise<{ readonly bytes: number; readonly servers: number; open(): Promise<ServableModel> }> {
  if (typeof target !== 'string' || isServerAddress(target)) {
    const reason = 'models on servers chat; ask that server for embeddings';
    throw new UnsupportedOptionError({ option: '--embeddings', reason });
  }
  const { loadEmbeddingModel } = await importEngine(options.command);
  const view = createPullView();
  const obtained = obtainModel(target, { requireTools: false, onEvent: view.show });
  const { file, card } = await obtained.finally(view.stop);
  const { contextSize, threads, gpuLayers, gpu, mmap } = options;
  const given = {
    ...withoutUndefined({ contextSize, threads, gpuLayers, useMmap: mmap }),
    ...(gpu ? {} : { gpu: false as const }),
  };
  return { bytes: card.size ?? 0, servers: 0, open: () => loadEmbeddingModel(file, given) };
}

/** Whether it is the address of a server, and no model for this process. */
export function isServerAddress(target: string): boolean {
  return isAddress(target) || hostAndPort.test(target);
}

function isAddress(target: string): boolean {
  return /^https?:\/\//i.test(target);
}

/** `localhost:8080` */
const hostAndPort = /^[\w.-]+:\d+(?:\/|$)/;

function addressOf(target: string): string {
  return isAddress(target) ? target : `http://${target}`;
}

function servedBy(urls: readonly string[], options: TargetOptions): LocatedTarget {
  return { bytes: 0, servers: urls.length, open: () => openServer(urls, options) };
}

/** Connects; errors that concern an option of the library name that of the command. */
async function connect(options: ServerOptions): Promise<ServerModel> {
  try {
    return await connectServer(options);
  } catch (error) {
    if (error instanceof UnsupportedOptionError && error.option === 'chatTemplate') {
      const [url] = [options.url].flat();
      const reason = `${url} does not say the model's chat template; give a .jinja file, a tokenizer_config.json or owner/name (vLLM says it if started with --enable-tokenizer-info-endpoint)`;
      throw new UnsupportedOptionError({ option: '--template', reason });
    }
    if (!(error instanceof ServerError) || error.status !== 404) throw error;
    const { url, status, reason } = error;
    const advice = `--server ${options.kind}: is it a server of another kind?`;
    throw new ServerError({ url, status, reason, advice, cause: error });
  }
}

async function openServer(urls: readonly string[], options: TargetOptions): Promise<OpenedTarget> {
  const { server: kind = 'llama-server', contextSize, template, requireTools, toolFormat, vision } = options;
  const source = template === undefined ? null : await readModelSource(template);
  const { IDIOLECT_API_KEY: apiKey } = process.env;
  const model = await connect({
    kind,
    url: urls,
    requireTools,
    ...withoutUndefined({
      contextSize,
      toolFormat,
      vision,
      apiKey: apiKey === '' ? undefined : apiKey,
      chatTemplate: source?.templateSource,
      bosToken: source?.bosToken,
      eosToken: source?.eosToken,
    }),
  });
  return {
    name: model.name,
    contextSize: model.contextSize,
    vision: model.vision,
    templates: model.templates,
    get servers() {
      return model.servers;
    },
    supportsTools: requireTools || supportsTools(model.templates),
    chat: (request) => model.chat(request),
    runTools: (request) => model.runTools(request),
    preview: (request) => model.preview(request),
    dispose: async () => undefined,
  };
}

/** `known`: whether it supports tools; `null`: its given template says so. */
async function openModel(file: string, known: boolean | null, options: TargetOptions): Promise<OpenedTarget> {
  const { loadModel } = await importEngine(options.command);
  const { requireTools, contextSize, sequences, cacheMemory, threads, toolFormat, template } = options;
  const { gpuLayers, batchSize } = options;
  const source = template === undefined ? null : await readModelSource(template);
  const loadOptions: LoadModelOptions = {
    requireTools,
    ...(cacheMemory === undefined ? {} : { cacheMemory: Math.floor(cacheMemory * 1e9) }),
    ...withoutUndefined({
      contextSize,
      sequences,
      threads,
      toolFormat,
      gpuLayers,
      batchSize,
      chatTemplate: source?.templateSource,
    }),
    ...(options.gpu ? {} : { gpu: false }),
    ...(options.mmap === false ? { useMmap: false } : {}),
    ...(options.lora === undefined ? {} : { lora: options.lora.map(readAdapter) }),
  };
  const model = await loadModel(file, loadOptions);
  return {
    name: model.name,
    contextSize: model.contextSize,
    trainedContextSize: model.trainedContextSize,
    sequences: model.sequences,
    get templates() {
      return model.templates;
    },
    learnTemplates: () => model.learnTemplates(),
    supportsTools: known ?? supportsTools(await model.learnTemplates()),
    chat: (request) => model.chat(request),
    runTools: (request) => model.runTools(request),
    preview: (request) => model.preview(request),
    previewInTurns: (request) => model.previewInTurns(request),
    complete: (request) => model.complete(request),
    embed: (texts, own) => model.embed(texts, own),
    tokenize: (text) => model.tokenize(text),
    tokenizeInTurns: (text) => model.tokenizeInTurns(text),
    detokenizeInTurns: (tokens) => model.detokenizeInTurns(tokens),
    detokenize: (tokens) => model.detokenize(tokens),
    dispose: () => model.dispose(),
  };
}

/** `style.gguf`, or `style.gguf=0.5`. */
function readAdapter(argument: string): LoraAdapter {
  const [, file, weight] = /^(.+)=([\d.]+)$/s.exec(argument) ?? [];
  return file === undefined ? { file: argument } : { file, scale: Number(weight) };
}

function supportsTools({ default: { format } }: ChatModel['templates']): boolean {
  return format.capabilities.supportsTools && format.capabilities.supportsToolCalls;
}

/** Imported on demand, so that all other commands work without the engine. */
export async function importEngine(
  neededFor: string,
): Promise<typeof import('../runtime/node-llama-cpp/index.ts')> {
  try {
    return await import('../runtime/node-llama-cpp/index.ts');
  } catch (cause) {
    if (codeOf(cause) !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new MissingPackageError({ packageName: 'node-llama-cpp', neededFor, cause });
  }
}
