/** What a server needs of a model. */
import type { ChatOptions } from '../runtime/chat/chat-options.ts';
import type { ChatStream } from '../runtime/chat/chat-stream.ts';
import type { LearnedTemplate } from '../runtime/chat/learned-template.ts';

/** A model that can be served: `loadModel()` and `connectServer()` give one. */
export interface ServableModel {
  /** Its name in requests, unless it is served under another. */
  readonly name: string;
  /** One response. */
  chat(options: ChatOptions): ChatStream;
  /** What it would be told; `promptTokens` where the engine counts them. Default: such questions are refused. */
  preview?(options: ChatOptions): PromptPreview | Promise<PromptPreview>;
  /** Tokens that prompt and response may have together, and the most that the model was trained on, where known. */
  readonly contextSize?: number;
  readonly trainedContextSize?: number;
  /** Where it is known: what `/v1/models` says of the model comes from it. */
  readonly templates?: { readonly toolUse: LearnedTemplate };
  /** Frees it. */
  dispose?(): Promise<void>;
}

/** A prompt, and how long it is. */
export interface PromptPreview {
  readonly prompt: string;
  readonly promptTokens?: number;
}

/** A model that is opened when somebody asks for it. */
export interface ModelEntry {
  /** Its name in requests. */
  readonly name: string;
  /** Opens it. */
  open(): Promise<ServableModel>;
  /** Bytes of memory that it takes while it is open, as far as `memoryLimit` is concerned. Default: 0. */
  readonly bytes?: number;
}
