/** Options for loading a model file. */

import type { Llama } from 'node-llama-cpp';
import type { EngineOptions } from '../engine/engine-options.ts';

/** A LoRA adapter. */
export interface LoraAdapter {
  /** Its path. */
  readonly file: string;
  /** Its weight. Default: 1. */
  readonly scale?: number | undefined;
}

/** What computes: a given backend of node-llama-cpp, the best available one, or only the processor. */
export type GpuBackend = 'auto' | 'cuda' | 'vulkan' | 'metal' | false;

/** Options of `loadModel`. */
export interface LoadModelOptions extends Omit<EngineOptions, 'lateEnforcement'> {
  /** Tokens available to prompt and response together. Default: the model's training context, at most 8192. */
  readonly contextSize?: number | undefined;
  /**
   * Chats that can run at the same time; further ones wait. Each has a context of its own. `auto`: as many as a quarter
   * of the free memory holds, from two to eight. Default: 1.
   */
  readonly sequences?: number | 'auto' | undefined;
  /**
   * Compute threads; 0 for as many as node-llama-cpp finds useful. Default: the physical cores, within what the process
   * may use (affinity, the limits of its control group) and its share of a machine that is busy as the model is loaded;
   * 1 for models below 64 MB. Threads wait for each other by spinning, so more than are free are many times slower.
   */
  readonly threads?: number | undefined;
  /**
   * Bytes of memory for saved states, over all sequences: without them, models that are recurrent or have a sliding
   * window evaluate every prompt from its beginning. Default: 1 GiB.
   */
  readonly checkpointMemory?: number | undefined;
  /**
   * Bytes for prompts of conversations whose sequences others took: they go on without evaluating them again. In memory
   * where the system has a folder there, otherwise in the temporary folder. Default: 1 GiB; 0 keeps none.
   */
  readonly cacheMemory?: number | undefined;
  /**
   * A folder that keeps schemas that take long to compile, shared between processes. Files are named by a hash of the
   * schema and of everything else that the result depends on. Default: none.
   */
  readonly schemaCache?: string | undefined;
  /**
   * A folder that keeps the sorted vocabularies of models, so that other processes load them faster; `false`: none.
   * Default: `idiolect/vocabularies` in the user's cache (`XDG_CACHE_HOME`, otherwise `~/.cache`).
   */
  readonly vocabularyCache?: string | false | undefined;
  /** `auto` (default) uses a GPU if there is one, with the best backend; `false` uses none. */
  readonly gpu?: GpuBackend | undefined;
  /** Layers to place on the GPU; `auto` (default): as many as fit into its memory, `max`: all. */
  readonly gpuLayers?: number | 'auto' | 'max' | undefined;
  /** Computes attention in blocks, which uses less memory. Default: `auto`, where backend and model support it. */
  readonly flashAttention?: boolean | 'auto' | undefined;
  /** Prompt tokens evaluated at once. Default: 512. Larger batches use more memory, and are faster on a GPU. */
  readonly batchSize?: number | undefined;
  /** Maps the file into memory instead of reading it. Default: true if supported, unless a GPU holds more without. */
  readonly useMmap?: boolean | undefined;
  /** Keeps the system from swapping the model out. Default: false. */
  readonly useMlock?: boolean | undefined;
  /** LoRA adapters (GGUF) to apply to the model. Default: none. */
  readonly lora?: readonly LoraAdapter[] | undefined;
  /** Called with the fraction of the model that is loaded, from 0 to 1. */
  readonly onLoadProgress?: ((loaded: number) => void) | undefined;
  /** Aborts loading; chats have their own signals. */
  readonly signal?: AbortSignal | undefined;
  /** An engine that is already open. Default: one per process. */
  readonly llama?: Llama | undefined;
}
