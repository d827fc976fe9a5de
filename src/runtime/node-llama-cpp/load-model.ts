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
import type { BuiltGrammar } from '../../grammar/build-grammar.ts';
import type { ResponseFormat } from '../../grammar/grammar-options.ts';
import { checkModelFile } from '../../hub/gguf/check-model-file.ts';
import { localPath, missingFileAdvice } from '../../hub/local-file.ts';
import { looksLikeReference } from '../../hub/reference.ts';
import type { ToolList } from '../../tools/tools.ts';
import type { ChatOptions } from '../chat/chat-options.ts';
import type { ChatStream } from '../chat/chat-stream.ts';
import { GrammarCache } from '../chat/grammar-cache.ts';
import { type LearnedTemplate, TemplateCache, type TemplateSources } from '../chat/learned-template.ts';
import { once } from '../chat/once.ts';
import { runTools, type ToolRun } from '../chat/tool-loop/run-tools.ts';
import type { RunToolsOptions } from '../chat/tool-loop/run-tools-options.ts';
import { type ChatEngine, disposedError, prepareChat, startChat } from './chat.ts';
import { checkLoadOptions } from './check-options.ts';
import type { LoadModelOptions, LoraAdapter, PrepareOptions } from './load-model-options.ts';
import { prepareModel, warmUp } from './prepare.ts';
import { SequencePool } from './sequences/sequence-pool.ts';
import { sharedLlama } from './shared-llama.ts';
import { modelIdentity } from './states/model-identity.ts';
import { restoreState, type SavedState, type StateOptions, saveState } from './states/save-state.ts';
import { schemaFolder } from './states/schema-folder.ts';
import { readVocabulary } from './vocabulary.ts';

/** A model that can chat. */
export interface ChatModel {
  /** Base name of its file. */
  readonly name: string;
  /** Tokens available to prompt and response together. */
  readonly contextSize: number;
  /** The context length with which the model was trained. */
  readonly trainedContextSize: number;
  /** The model's templates with their formats: `default`, and `toolUse` if the model has one. */
  readonly templates: { readonly default: LearnedTemplate; readonly toolUse: LearnedTemplate };
  /** Answers a conversation. Nothing is computed until the stream is read. */
  chat<const Tools extends ToolList = ToolList, const Format extends ResponseFormat = ResponseFormat>(
    options: ChatOptions<Tools, Format>,
  ): ChatStream<Tools, Format>;
  /**
   * Answers a conversation with tools: executes the model's calls, passes it the results, and so on until it answers
   * without a call.
   */
  runTools<const Tools extends ToolList>(options: RunToolsOptions<Tools>): ToolRun<Tools>;
  /**
   * Prepares what chats with these options have in common, so that the first of them need not wait: schemas and
   * grammars of the tools, common first messages (a system message), and their tokens. Nothing is sampled. Throws the
   * errors of those chats. Tools compiled by `idiolect generate --tools` are already prepared by `loadModel`.
   */
  prepare(options: PrepareOptions): Promise<void>;
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
  /** What `chat` would use: the prompt as text, and the grammar. Throws the errors of `chat`. */
  preview(options: ChatOptions): ChatPreview;
  /** Frees the context and the model. Running and waiting chats end with `ModelDisposedError`. */
  dispose(): Promise<void>;
  /** For `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What is known of a chat before its first token. */
export interface ChatPreview {
  readonly prompt: string;
  /** Tokens of the prompt. */
  readonly promptTokens: number;
  /** The part of the assistant's turn in the prompt. */
  readonly generationPrompt: string;
  readonly grammar: BuiltGrammar;
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
  options.signal?.throwIfAborted();
  requireOption('file', location, place);
  const file = localPath(location);
  await requireFile(file);
  await checkModelFile(file);
  const llama = options.llama ?? (await sharedLlama(options.gpu ?? 'auto'));
  for (const adapter of options.lora ?? []) await requireFile(adapter.file);
  const model = await openFile(llama, file, options);
  try {
    const sources = templatesOf(model, file, options.chatTemplate);
    const templates = await TemplateCache.open(sources, specialTexts(model), options.modules ?? []);
    if (options.requireTools !== false) templates.requireTools();
    const vocabulary = readVocabulary(model, file);
    const context = await createContext(model, file, options);
    const engine: ChatEngine = {
      model,
      context,
      vocabulary,
      templates,
      pool: new SequencePool(context, options.checkpointMemory),
      grammars: new GrammarCache(
        (text) => createHash('sha256').update(text).digest('hex'),
        options.schemaCache === undefined ? null : schemaFolder(options.schemaCache),
      ),
      identity: once(() => modelIdentity(file, options.lora ?? [])),
    };
    context.onDispose.createListener(() => engine.pool.close(disposedError(engine)));
    // The first chat does the analysis, because it takes longer and may never be needed.
    if (options.requireTools !== false && templates.knowsTools) await warmUp(engine);
    return new LoadedModel(path.basename(file), engine);
  } catch (error) {
    await model.dispose();
    throw error;
  }
}

class LoadedModel implements ChatModel {
  readonly name: string;
  readonly #engine: ChatEngine;

  constructor(name: string, engine: ChatEngine) {
    this.name = name;
    this.#engine = engine;
  }

  get contextSize(): number {
    return this.#engine.context.contextSize;
  }

  get trainedContextSize(): number {
    return this.#engine.model.trainContextSize;
  }

  get templates(): ChatModel['templates'] {
    return this.#engine.templates.all;
  }

  chat<const Tools extends ToolList = ToolList, const Format extends ResponseFormat = ResponseFormat>(
    options: ChatOptions<Tools, Format>,
  ): ChatStream<Tools, Format> {
    return startChat(this.#engine, options);
  }

  runTools<const Tools extends ToolList>(options: RunToolsOptions<Tools>): ToolRun<Tools> {
    return runTools(this, options);
  }

  async prepare(options: PrepareOptions): Promise<void> {
    await prepareModel(this.#engine, options);
  }

  preview(options: ChatOptions): ChatPreview {
    const { prompt, grammar } = prepareChat(this.#engine, options);
    return {
      prompt: prompt.text,
      promptTokens: prompt.tokens.length,
      generationPrompt: prompt.generationPrompt,
      grammar,
    };
  }

  async saveState(file: string, conversation: ChatOptions, options: StateOptions = {}): Promise<SavedState> {
    requireOption('file', file, string);
    return saveState(this.#engine, file, conversation, options);
  }

  async restoreState(file: string, options: StateOptions = {}): Promise<SavedState> {
    requireOption('file', file, string);
    return restoreState(this.#engine, file, options);
  }

  async dispose(): Promise<void> {
    await this.#engine.context.dispose();
    await this.#engine.model.dispose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }
}

/** Distinguishes a missing file from one that the engine rejects. */
async function requireFile(file: string): Promise<void> {
  const stats = await fs.stat(file).catch(() => null);
  if (stats?.isFile() === true) return;
  const isFolder = stats?.isDirectory() === true;
  const reason = isFolder ? 'is a folder; give the model (.gguf) that is in it' : noSuchFile(file);
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
  const { sequences = 1, threads, batchSize, flashAttention, signal } = options;
  const { trainContextSize: trained } = model;
  const { contextSize = Math.min(trained, defaultContextSize) } = options;
  // The engine takes minutes to notice that billions are too many.
  if (contextSize > mostTimesTrained * trained) {
    const reason = `the model was trained on ${trained} tokens, and cannot use ${contextSize}`;
    throw new UnsupportedOptionError({ option: 'contextSize', reason });
  }
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

function templatesOf(model: LlamaModel, file: string, given: string | undefined): TemplateSources {
  const name = path.basename(file);
  if (given !== undefined) return { name, default: given, toolUse: given };
  const tokenizer: object = model.fileInfo.metadata.tokenizer ?? {};
  const values = new Map<string, unknown>(Object.entries(tokenizer));
  const [plain, toolUse] = [values.get('chat_template'), values.get('chat_template.tool_use')];
  if (typeof plain === 'string')
    return { name, default: plain, toolUse: typeof toolUse === 'string' ? toolUse : plain };
  if (typeof toolUse === 'string') return { name, default: toolUse, toolUse };
  throw new ModelFileError({ file, reason: 'it holds no chat template; pass one as chatTemplate' });
}

function specialTexts({ tokens }: LlamaModel): { readonly bosToken: string; readonly eosToken: string } {
  return { bosToken: tokens.bosString ?? '', eosToken: tokens.eosString ?? '' };
}
