/** Makes a model of anything that evaluates one in this process. */
import {
  callback,
  integerFrom,
  isRecord,
  type OptionRule,
  readOptions,
  requireOption,
  string,
} from '../../format/option-rules.ts';
import type { ResponseFormat } from '../../grammar/grammar-options.ts';
import { finish, finishInTurns, type Steps } from '../../language/expression/steps.ts';
import { newDecoder } from '../../language/utf8-decoder.ts';
import type { ToolList } from '../../tools/tools.ts';
import type { ChatOptions, PrepareOptions } from '../chat/chat-options.ts';
import type { ChatStream } from '../chat/chat-stream.ts';
import { LateEnforcement } from '../chat/enforcement/late-enforcement.ts';
import { runTools, type ToolRun } from '../chat/tool-loop/run-tools.ts';
import type { RunToolsOptions } from '../chat/tool-loop/run-tools-options.ts';
import { type ChatEngine, type PreparedChat, prepareChat, prepareInTurns, startChat } from './chat.ts';
import { startCompletion } from './completion.ts';
import type { CompletionOptions } from './completion-options.ts';
import type { Engine } from './engine.ts';
import { laterFromEngine } from './engine-failure.ts';
import type { ChatPreview, EngineModel } from './engine-model.ts';
import { type EngineOptions, engineRules } from './engine-options.ts';
import { openTemplates } from './open-templates.ts';
import { prepareModel, warmEngine } from './prepare.ts';
import { requireFits } from './tokens/prompt-tokens.ts';
import { type Vocabulary, vocabularyOf } from './tokens/vocabulary.ts';

const engines: OptionRule = {
  expected: 'an engine, with open(), tokenizer, chatTemplate and contextSize',
  allows: (value) =>
    isRecord(value) &&
    callback.allows(value.open) &&
    isRecord(value.tokenizer) &&
    typeof value.chatTemplate === 'string' &&
    typeof value.contextSize === 'number',
};

/**
 * A model that chats through `engine`, which it owns: its `dispose` is the engine's. Throws `UnsupportedOptionError` for
 * an invalid engine or option; `ToolsUnsupportedError` if the template does not support tools and `requireTools` is not
 * `false`; `TemplateError` and `AnalysisError` if the template cannot be analysed.
 */
export async function connectEngine(engine: Engine, given: EngineOptions = {}): Promise<EngineModel> {
  requireOption('engine', engine, engines);
  const options = readOptions(given, engineRules);
  const templates = await openTemplates(engine, options);
  const enforcement = new LateEnforcement();
  // `preview` does not wait for it.
  if (options.lateEnforcement !== true) await enforcement.load();
  return new ConnectedEngine(await warmEngine({ engine, templates, enforcement }, options));
}

/** Tokens whose texts are found in one step. */
const stepTokens = 500;

/** The model of an engine. */
export class ConnectedEngine implements EngineModel {
  readonly #shared: ChatEngine;

  constructor(shared: ChatEngine) {
    this.#shared = shared;
  }

  get name(): string {
    return this.#shared.engine.model;
  }

  get contextSize(): number {
    return this.#shared.engine.contextSize;
  }

  get templates(): EngineModel['templates'] {
    return this.#shared.templates.all;
  }

  learnTemplates(): Promise<EngineModel['templates']> {
    return this.#shared.templates.learnAll();
  }

  chat<const Tools extends ToolList = ToolList, const Format extends ResponseFormat = ResponseFormat>(
    options: ChatOptions<Tools, Format>,
  ): ChatStream<Tools, Format> {
    return startChat(this.#shared, options);
  }

  runTools<const Tools extends ToolList, const Format extends ResponseFormat = ResponseFormat>(
    options: RunToolsOptions<Tools, Format>,
  ): ToolRun<Tools, Format> {
    return runTools(this, options);
  }

  async prepare(options: PrepareOptions): Promise<void> {
    await prepareModel(this.#shared, options);
  }

  preview(options: ChatOptions): ChatPreview {
    return previewOf(prepareChat(this.#shared, options));
  }

  async previewInTurns(options: ChatOptions): Promise<ChatPreview> {
    return previewOf(await prepareInTurns(this.#shared, options));
  }

  complete(options: CompletionOptions): ChatStream {
    return startCompletion(this.#shared.engine, options);
  }

  tokenize(text: string): readonly number[] {
    return finish(this.#tokenize(text));
  }

  async tokenizeInTurns(text: string): Promise<readonly number[]> {
    return finishInTurns(this.#tokenize(text));
  }

  *#tokenize(text: string): Steps<readonly number[]> {
    requireOption('text', text, string);
    const { tokenizer, contextSize } = this.#shared.engine;
    const vocabulary = vocabularyOf(tokenizer);
    requireFits(text, vocabulary, contextSize);
    return yield* vocabulary.encodeSteps(text);
  }

  detokenize(tokens: readonly number[]): string {
    return finish(this.#detokenize(tokens));
  }

  async detokenizeInTurns(tokens: readonly number[]): Promise<string> {
    return finishInTurns(this.#detokenize(tokens));
  }

  *#detokenize(tokens: readonly number[]): Steps<string> {
    const vocabulary = vocabularyOf(this.#shared.engine.tokenizer);
    requireOption('tokens', tokens, tokensOf(vocabulary));
    const decoder = newDecoder();
    let text = '';
    for (const [index, token] of tokens.entries()) {
      text += decoder.decode(vocabulary.bytesOf(token), { stream: true });
      if (index % stepTokens === 0) yield;
    }
    return text + decoder.decode();
  }

  async dispose(): Promise<void> {
    const { engine } = this.#shared;
    await laterFromEngine(engine.name, () => engine.dispose());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }
}

function previewOf({ prompt, grammar }: PreparedChat): ChatPreview {
  const { text, tokens, generationPrompt } = prompt;
  return { prompt: text, promptTokens: tokens.length, generationPrompt, grammar };
}

function tokensOf({ size }: Vocabulary): OptionRule {
  const token = integerFrom(0, size - 1);
  return {
    expected: `an array of tokens, integers from 0 to ${size - 1}`,
    allows: (value) => Array.isArray(value) && value.every((each) => token.allows(each)),
  };
}
