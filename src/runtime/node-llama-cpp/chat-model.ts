/** What a model file in this process can do. */
import type { ChatOptions } from '../chat/chat-options.ts';
import type { Embeddings, TextOptions } from '../chat/search-answers.ts';
import type { EngineModel } from '../engine/engine-model.ts';

/** A model file that can chat; its name is the file's base name. */
export interface ChatModel extends EngineModel {
  /** The context length with which the model was trained. */
  readonly trainedContextSize: number;
  /** Responses that are written at the same time. */
  readonly sequences: number;
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

/** A saved state. */
export interface SavedState {
  /** Tokens that need not be evaluated again. */
  readonly tokens: number;
}

/** Options for saving and restoring. */
export interface StateOptions {
  /**
   * Signs the file: a state is then accepted only if it was saved with the same secret. llama.cpp does not survive
   * every forged state, so a file that others can write needs a secret. Default: none, and only damage is detected.
   */
  readonly secret?: string;
}
