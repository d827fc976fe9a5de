/** Opens a model file with node-llama-cpp, and determines the format of its responses. */
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import {
  InsufficientMemoryError,
  type Llama,
  type LlamaContext,
  type LlamaContextOptions,
  type LlamaModel,
} from 'node-llama-cpp';
import { ModelFileError, UnsupportedOptionError } from '../../format/errors.ts';
import { type OptionRule, requireOption, string, withoutUndefined } from '../../format/option-rules.ts';
import { checkModelFile } from '../../hub/gguf/check-model-file.ts';
import { folderReason, localPath, missingFileAdvice } from '../../hub/local-file.ts';
import { looksLikeReference } from '../../hub/reference.ts';
import type { ChatOptions } from '../chat/chat-options.ts';
import { GrammarCache } from '../chat/grammar-cache.ts';
import { once } from '../chat/once.ts';
import type { ChatEngine } from '../engine/chat.ts';
import { openTemplates, warmEngine } from '../engine/connect-engine.ts';
import { ConnectedEngine, type EngineModel } from '../engine/engine-model.ts';
import { sharedThread } from './ahead/compile-ahead.ts';
import { checkLoadOptions } from './check-options.ts';
import { computeThreads, readProcessors } from './compute-threads.ts';
import { LlamaEngine, type LlamaFile } from './llama-engine.ts';
import type { LoadModelOptions, LoraAdapter } from './load-model-options.ts';
import { outliveStalls } from './outlive-stalls.ts';
import { type Embeddings, type TextOptions, TextVectors } from './search/text-vectors.ts';
import { fittingSequences } from './sequences/fitting-sequences.ts';
import { sharedLlama } from './shared-llama.ts';
import { modelIdentity } from './states/model-identity.ts';
import {
  type LlamaChats,
  restoreState,
  type SavedState,
  type StateOptions,
  saveState,
} from './states/save-state.ts';
import { schemaFolder } from './states/schema-folder.ts';
import { llamaTokenizer } from './tokenizer.ts';

/** A model file that can chat; its name is the file's base name. */
export interface ChatModel extends EngineModel {
  /** The context length with which the model was trained. */
  readonly trainedContextSize: number;
  /** Vectors of texts. Models made for it, which do not chat, are opened by `loadEmbeddingModel`. */
  embed(texts: readonly string[], options?: TextOptions): Promise<Embeddings>;
  /**
   * Saves the evaluated state of a conversation in `file`, up to where its next turn begins; anything not evaluated
   * yet is evaluated first. Models of the same file can continue with it, even in other processes. Throws the errors
   * that `chat` would throw before its first token, and `StateFileError` if the file cannot be written.
   */
  saveState(file: string, conversation: ChatOptions, options?: StateOptions): Promise<SavedState>;
  /**
   * Loads such a file: a chat that continues its conversation evaluates only what is new. Throws `StateFileError` if
   * the file is damaged, or was saved with another model, other adapters or another version of the engine.
   */
  restoreState(file: string, options?: StateOptions): Promise<SavedState>;
}

const place: OptionRule = {
  expected: 'a string',
  allows: (value) => typeof value === 'string' || value instanceof URL,
};
const defaultContextSize = 8192;
/** Positions can be scaled to a few times the trained length; a number beyond this is a mistake. */
const mostTimesTrained = 64;

/**
 * Loads the GGUF file at this path or `file:` address. Throws `EngineError` if node-llama-cpp does not run here;
 * `ModelFileError` if the file does not exist (download models of the Hub first), cannot be read or has no chat
 * template; `ToolsUnsupportedError` if the template does not support tools and `requireTools` is not `false`;
 * `TemplateError` and `AnalysisError` if the template cannot be analysed; `UnsupportedOptionError` for an invalid
 * option or a context that does not fit into memory; the signal's reason.
 */
export async function loadModel(location: string | URL, given: LoadModelOptions = {}): Promise<ChatModel> {
  const options = checkLoadOptions(given);
  const { file, llamaModel, threads } = await openModelFile(location, options);
  try {
    const model: LlamaFile = {
      ...templatesOf(llamaModel, file, options.chatTemplate),
      model: path.basename(file),
      tokenizer: llamaTokenizer(llamaModel, file),
      llamaModel,
      identity: once(() => modelIdentity(file, options.lora ?? [])),
    };
    const templates = await openTemplates(model, options);
    const context = await createContext(llamaModel, file, { ...options, threads });
    const { checkpointMemory, cacheMemory } = options;
    const memory = withoutUndefined({ checkpointMemory, cacheMemory });
    const engine = new LlamaEngine(model, context, memory);
    const grammars = new GrammarCache(
      (text) => createHash('sha256').update(text).digest('hex'),
      options.schemaCache === undefined ? null : schemaFolder(options.schemaCache),
      sharedThread(),
    );
    const texts = new TextVectors(llamaModel, threads);
    return new LoadedModel(await warmEngine({ engine, templates, grammars }, options), engine, texts);
  } catch (error) {
    await llamaModel.dispose();
    throw error;
  }
}

/** A model file that was opened. */
interface OpenFile {
  readonly file: string;
  readonly llamaModel: LlamaModel;
  /** As many as were given, or as suit the model. */
  readonly threads: number;
}

/** Opens the file. Throws the errors of `loadModel`, but those of templates. */
export async function openModelFile(location: string | URL, options: LoadModelOptions): Promise<OpenFile> {
  options.signal?.throwIfAborted();
  requireOption('file', location, place);
  const file = localPath(location);
  await requireFile(file);
  await checkModelFile(file);
  const llama = options.llama ?? (await sharedLlama(options.gpu ?? 'auto'));
  outliveStalls(llama);
  for (const adapter of options.lora ?? []) await requireFile(adapter.file);
  const llamaModel = await openFile(llama, file, options);
  const threads = options.threads ?? computeThreads(llamaModel.size, readProcessors(llama.cpuMathCores));
  return { file, llamaModel, threads };
}

class LoadedModel extends ConnectedEngine implements ChatModel {
  readonly #chats: LlamaChats;
  readonly #texts: TextVectors;

  constructor(shared: ChatEngine, engine: LlamaEngine, texts: TextVectors) {
    super(shared);
    this.#chats = { ...shared, engine };
    this.#texts = texts;
  }

  embed(texts: readonly string[], options?: TextOptions): Promise<Embeddings> {
    return this.#texts.embed(texts, options);
  }

  get trainedContextSize(): number {
    return this.#chats.engine.file.llamaModel.trainContextSize;
  }

  async saveState(file: string, conversation: ChatOptions, options: StateOptions = {}): Promise<SavedState> {
    requireOption('file', file, string);
    return saveState(this.#chats, file, conversation, options);
  }

  async restoreState(file: string, options: StateOptions = {}): Promise<SavedState> {
    requireOption('file', file, string);
    return restoreState(this.#chats, file, options);
  }
}

/** Distinguishes a missing file from one that the engine rejects. */
async function requireFile(file: string): Promise<void> {
  const stats = await fs.stat(file).catch(() => null);
  if (stats?.isFile() === true) return;
  const isFolder = stats?.isDirectory() === true;
  const reason = isFolder ? folderReason : noSuchFile(file);
  throw new ModelFileError({ file, reason });
}

function noSuchFile(file: string): string {
  const advice = missingFileAdvice(file);
  if (advice !== null) return advice;
  const wanted = looksLikeReference(file) ? file : 'owner/name';
  const looked = path.resolve(file);
  const where = looked === file || wanted === file || file === '' ? '' : ` (${looked})`;
  return `no such file${where}; \`idiolect pull ${wanted}\` fetches models of the Hugging Face Hub, and prints where they lie`;
}

async function openFile(
  llama: Llama,
  file: string,
  { gpuLayers, useMmap, useMlock, onLoadProgress, signal }: LoadModelOptions,
): Promise<LlamaModel> {
  // node-llama-cpp distinguishes an `undefined` option from an absent one.
  const given = { gpuLayers, useMmap, useMlock, onLoadProgress, loadSignal: signal };
  try {
    return await llama.loadModel({ modelPath: path.resolve(file), ...withoutUndefined(given) });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ModelFileError({ file, reason: `node-llama-cpp cannot load it: ${String(cause)}`, cause });
  }
}

async function createContext(
  model: LlamaModel,
  file: string,
  options: LoadModelOptions,
): Promise<LlamaContext> {
  const { threads, batchSize, flashAttention, signal } = options;
  const { trainContextSize: trained } = model;
  const { contextSize = Math.min(trained, defaultContextSize) } = options;
  // The engine takes minutes to notice that billions are too many.
  if (contextSize > mostTimesTrained * trained) {
    const reason = `the model was trained on ${trained} tokens, and cannot use ${contextSize}`;
    throw new UnsupportedOptionError({ option: 'contextSize', reason });
  }
  const sequences =
    options.sequences === 'auto'
      ? await fittingSequences(model, withoutUndefined({ contextSize, batchSize }))
      : (options.sequences ?? 1);
  const lora = options.lora === undefined ? undefined : adaptersOf(options.lora);
  const given = { threads, batchSize, flashAttention, lora, createSignal: signal };
  try {
    return await model.createContext({ contextSize, sequences, ...withoutUndefined(given) });
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof InsufficientMemoryError)
      throw new UnsupportedOptionError({ option: 'contextSize', reason: cause.message });
    throw new ModelFileError({
      file,
      reason: `node-llama-cpp cannot create a context: ${String(cause)}`,
      cause,
    });
  }
}

function adaptersOf(lora: readonly LoraAdapter[]): Exclude<LlamaContextOptions['lora'], string | undefined> {
  const adapters = lora.map(({ file, scale = 1 }) => ({ filePath: path.resolve(file), scale }));
  return { adapters };
}

function templatesOf(
  model: LlamaModel,
  file: string,
  given: string | undefined,
): Pick<LlamaFile, 'chatTemplate' | 'toolUseTemplate'> {
  if (given !== undefined) return { chatTemplate: given, toolUseTemplate: given };
  const tokenizer: object = model.fileInfo.metadata.tokenizer ?? {};
  const values = new Map<string, unknown>(Object.entries(tokenizer));
  const [plain, toolUse] = ['chat_template', 'chat_template.tool_use'].map((key) => {
    const source = values.get(key);
    return typeof source === 'string' ? source : undefined;
  });
  const [chatTemplate, toolUseTemplate] = [plain ?? toolUse, toolUse ?? plain];
  if (chatTemplate !== undefined && toolUseTemplate !== undefined) return { chatTemplate, toolUseTemplate };
  throw new ModelFileError({
    file,
    reason:
      'it holds no chat template, as base models have none; give that of a model like it: chatTemplate (--template)',
  });
}
