/// <reference lib="esnext.disposable" preserve="true" />
/** A model that is evaluated in this process, whatever evaluates it. */
import type { ResponseFormat } from '../../grammar/grammar-options.ts';
import type { ToolList } from '../../tools/tools.ts';
import type { ChatOptions, PrepareOptions } from '../chat/chat-options.ts';
import type { ChatStream } from '../chat/chat-stream.ts';
import type { DescribedModel, PreviewedPrompt } from '../chat/described-model.ts';
import type { ToolRun } from '../chat/tool-loop/run-tools.ts';
import type { RunToolsOptions } from '../chat/tool-loop/run-tools-options.ts';
import type { CompletionOptions } from './completion-options.ts';

/** A model that can chat. */
export interface EngineModel extends DescribedModel {
  /** The templates with their formats; the event loop runs while they are analysed, if they have to be. */
  learnTemplates(): Promise<EngineModel['templates']>;
  /** Answers a conversation. Nothing is computed until the stream is read. */
  chat<const Tools extends ToolList = ToolList, const Format extends ResponseFormat = ResponseFormat>(
    options: ChatOptions<Tools, Format>,
  ): ChatStream<Tools, Format>;
  /**
   * Answers a conversation with tools: executes the model's calls, passes it the results, and so on until it answers
   * without a call.
   */
  runTools<const Tools extends ToolList, const Format extends ResponseFormat = ResponseFormat>(
    options: RunToolsOptions<Tools, Format>,
  ): ToolRun<Tools, Format>;
  /**
   * Prepares what chats with these options have in common, so that the first of them need not wait: schemas and
   * grammars of the tools, common first messages (a system message), and their tokens. Nothing is sampled. Throws the
   * errors of those chats. Tools compiled by `idiolect generate --tools` are prepared when the model is loaded.
   */
  prepare(options: PrepareOptions): Promise<void>;
  /**
   * What `chat` would use: the prompt as text, and the grammar. Throws the errors of `chat`; and `UnsupportedOptionError`
   * if the model was connected with `lateEnforcement`, and no chat that enforces something was begun or prepared.
   */
  preview(options: ChatOptions): ChatPreview;
  /** The same; the event loop runs meanwhile. */
  previewInTurns(options: ChatOptions): Promise<ChatPreview>;
  /** Continues a text without a conversation: no template, no calls, nothing enforced. */
  complete(options: CompletionOptions): ChatStream;
  /**
   * The tokens of a text; texts of special tokens in it become these. Nothing is put before it. Throws
   * `ContextOverflowError` for a text that is too long for the context.
   */
  tokenize(text: string): readonly number[];
  /** The same; the event loop runs meanwhile. */
  tokenizeInTurns(text: string): Promise<readonly number[]>;
  /** The text of tokens. Throws `UnsupportedOptionError` for one that the model does not have. */
  detokenize(tokens: readonly number[]): string;
  /** The same; the event loop runs meanwhile. */
  detokenizeInTurns(tokens: readonly number[]): Promise<string>;
  /** Frees the model. Running and waiting chats end with `ModelDisposedError`. */
  dispose(): Promise<void>;
  /** For `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What is known of a chat before its first token. */
export interface ChatPreview extends PreviewedPrompt {
  /** Tokens of the prompt. */
  readonly promptTokens: number;
}
