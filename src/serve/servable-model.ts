/** What a server needs from a model. */
import type { ChatOptions } from '../runtime/chat/chat-options.ts';
import type { ChatStream } from '../runtime/chat/chat-stream.ts';
import type { Embeddings, Ranking, TextOptions } from '../runtime/chat/search-answers.ts';
import type { LearnedTemplate } from '../runtime/chat/template-reader.ts';
import type { CompletionOptions } from '../runtime/engine/completion-options.ts';

/** A model that can be served, such as those of `loadModel()` and `connectServer()`. */
export interface ServableModel {
  /** Its name in requests, unless it is served under another one. */
  readonly name: string;
  /** One response. Default: such requests are rejected. */
  chat?(options: ChatOptions): ChatStream;
  /** Its prompt; with `promptTokens` if the engine counts them. Default: such questions are rejected. */
  preview?(options: ChatOptions): PromptPreview | Promise<PromptPreview>;
  /** The same as `preview`; the event loop runs meanwhile. Default: it does not. */
  previewInTurns?(options: ChatOptions): Promise<PromptPreview>;
  /** Continues a text without a conversation. Default: such requests are rejected. */
  complete?(options: CompletionOptions): ChatStream;
  /** The tokens of a text. Default: such questions are rejected. */
  tokenize?(text: string): readonly number[];
  /** The text of tokens. Default: such questions are rejected. */
  detokenize?(tokens: readonly number[]): string;
  /** `tokenize`; the event loop runs meanwhile. Default: it does not. */
  tokenizeInTurns?(text: string): Promise<readonly number[]>;
  /** `detokenize`; the event loop runs meanwhile. Default: it does not. */
  detokenizeInTurns?(tokens: readonly number[]): Promise<string>;
  /** Vectors of texts. Default: such requests are rejected. */
  embed?(texts: readonly string[], options: TextOptions): Promise<Embeddings>;
  /** From 0 to 1, how well each document answers the query. Default: such requests are rejected. */
  rank?(query: string, documents: readonly string[], options: TextOptions): Promise<Ranking>;
  /** Whether it sees pictures, as parts of the type `image_url`. Default: it is told that there is one. */
  readonly vision?: boolean;
  /** Tokens available to prompt and response together, and the context length of its training, if known. */
  readonly contextSize?: number;
  readonly trainedContextSize?: number;
  /** Responses that it writes at the same time, if known. */
  readonly sequences?: number;
  /** The servers that answer for it, for `/health` and metrics. Default: none, it is in this process. */
  readonly servers?: readonly UpstreamHealth[];
  /** The source for `/v1/models`, if known. */
  readonly templates?: { readonly toolUse: LearnedTemplate };
  /** Analyses them first, if they have to be; the event loop runs meanwhile. Default: `templates` does, at once. */
  learnTemplates?(): Promise<unknown>;
  /** Frees it. */
  dispose?(): Promise<void>;
}

/** What is known of one server of a model, as `ServerModel.servers` tells it. */
export interface UpstreamHealth {
  readonly url: string;
  /** Whether requests are sent to it. */
  readonly isWell: boolean;
  /** Responses that it is writing. */
  readonly running: number;
  /** Responses that it was asked for. */
  readonly requests: number;
  readonly failures: number;
}

/** A prompt, and how long it is. */
export interface PromptPreview {
  readonly prompt: string;
  readonly promptTokens?: number;
  /** The part of the coming answer in the prompt. Default: unknown. */
  readonly generationPrompt?: string;
}

/** A model that is opened on demand. */
export interface ModelEntry {
  /** Its name in requests. */
  readonly name: string;
  /** Opens it. */
  open(): Promise<ServableModel>;
  /** Bytes of memory that it takes while it is open, for `memoryLimit`. Default: 0. */
  readonly bytes?: number;
}
