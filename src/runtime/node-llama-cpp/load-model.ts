/** Opens a model file with node-llama-cpp, and determines the format of its responses. */

import { createHash } from 'node:crypto';
import path from 'node:path';
import { ModelFileError } from '../../format/errors.ts';
import { once } from '../../format/memoize.ts';
import { requireOption, string, withoutUndefined } from '../../format/option-rules.ts';
import type { ChatOptions } from '../chat/chat-options.ts';
import { Enforcement } from '../chat/enforcement/enforcement.ts';
import { LateEnforcement } from '../chat/enforcement/late-enforcement.ts';
import { GrammarCache } from '../chat/grammar-cache.ts';
import type { Embeddings, TextOptions } from '../chat/search-answers.ts';
import type { ChatEngine } from '../engine/chat.ts';
import { ConnectedEngine } from '../engine/connect-engine.ts';
import { openTemplates } from '../engine/open-templates.ts';
import { warmEngine } from '../engine/prepare.ts';
import { sharedThread } from './ahead/compile-ahead.ts';
import type { ChatModel, SavedState, StateOptions } from './chat-model.ts';
import { checkLoadOptions } from './check-options.ts';
import { LlamaEngine, type LlamaFile } from './llama-engine.ts';
import type { LoadModelOptions } from './load-model-options.ts';
import { openContext } from './open-context.ts';
import { openModelFile } from './open-model-file.ts';
import { TextVectors } from './search/text-vectors.ts';
import { versionOf } from './shared-llama.ts';
import { modelIdentity } from './states/model-identity.ts';
import { type LlamaChats, restoreState, saveState } from './states/save-state.ts';
import { schemaFolder } from './states/schema-folder.ts';
import { llamaTokenizer } from './tokenizer.ts';

/**
 * Loads the GGUF file at this path or `file:` address. Throws `EngineError` if node-llama-cpp does not run here;
 * `ModelFileError` if the file does not exist (download models of the Hub first), cannot be read or has no chat
 * template; `ToolsUnsupportedError` if the template does not support tools and `requireTools` is not `false`;
 * `TemplateError` and `AnalysisError` if the template cannot be analysed; `UnsupportedOptionError` for an invalid
 * option or a context that does not fit into memory; the signal's reason.
 */
export async function loadModel(location: string | URL, given: LoadModelOptions = {}): Promise<ChatModel> {
  const options = checkLoadOptions(given);
  const { file, llamaModel, threads, vocabulary } = await openModelFile(location, options);
  try {
    const known = vocabulary?.of(await versionOf(llamaModel.llama));
    const model: LlamaFile = {
      ...templatesOf(llamaModel.fileInfo.metadata.tokenizer, file, options.chatTemplate),
      model: path.basename(file),
      tokenizer: llamaTokenizer(llamaModel, file, known),
      llamaModel,
      identity: once(() => modelIdentity(file, options.lora ?? [])),
    };
    const templates = await openTemplates(model, options);
    const context = await openContext(llamaModel, file, { ...options, threads });
    const { checkpointMemory, cacheMemory } = options;
    const memory = withoutUndefined({ checkpointMemory, cacheMemory });
    const engine = new LlamaEngine(model, context, memory);
    const grammars = new GrammarCache(
      (text) => createHash('sha256').update(text).digest('hex'),
      options.schemaCache === undefined ? null : schemaFolder(options.schemaCache),
      sharedThread(),
    );
    const enforcement = new LateEnforcement(new Enforcement(grammars));
    const texts = new TextVectors(llamaModel, threads);
    return new LoadedModel(await warmEngine({ engine, templates, enforcement }, options), engine, texts);
  } catch (error) {
    await llamaModel.dispose();
    throw error;
  }
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

  get sequences(): number {
    return this.#chats.engine.context.totalSequences;
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

function templatesOf(
  tokenizer: object | undefined,
  file: string,
  given: string | undefined,
): Pick<LlamaFile, 'chatTemplate' | 'toolUseTemplate'> {
  if (given !== undefined) return { chatTemplate: given, toolUseTemplate: given };
  const values = new Map<string, unknown>(Object.entries(tokenizer ?? {}));
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
