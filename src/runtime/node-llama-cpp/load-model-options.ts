/** How a model file is to be opened. */

import type { Llama } from 'node-llama-cpp';
import type { GeneratedModule } from '../../parser/module-contract.ts';
import type { ChatOptions } from '../chat/chat-options.ts';
import type { ModuleRegistry } from '../chat/learned-template.ts';

/** A LoRA adapter. */
export interface LoraAdapter {
  /** Its path. */
  readonly file: string;
  /** How strong it is. Default: 1. */
  readonly scale?: number;
}

/** What computes: a backend of node-llama-cpp, the one that fits, or the processor alone. */
export type GpuBackend = 'auto' | 'cuda' | 'vulkan' | 'metal' | false;

/** Options of `loadModel`. */
export interface LoadModelOptions {
  /**
   * Generated modules, or the registry `generated/index.ts` exports; the one with the template's
   * fingerprint is used. Default: none, and the template is analysed when it is first needed.
   */
  readonly modules?: readonly GeneratedModule[] | ModuleRegistry;
  /** Jinja source to use instead of the templates in the file. */
  readonly chatTemplate?: string;
  /** Refuse a model whose template cannot do tools. Default: true; `false` for chats without tools. */
  readonly requireTools?: boolean;
  /** Tokens that prompt and response may have together. Default: what the model was trained on, at most 8192. */
  readonly contextSize?: number;
  /** Chats that can run at the same time; further ones wait. Default: 1. */
  readonly sequences?: number;
  /**
   * Threads; 0 for as many as are useful. Default: node-llama-cpp's choice. Threads wait for each other by
   * spinning: on a machine that is busy otherwise fewer are many times faster, and very small models are
   * fastest with 1.
   */
  readonly threads?: number;
  /**
   * Bytes of memory for states to go back to, over all sequences: models that are recurrent or have a sliding window
   * cannot evaluate what a prompt adds otherwise. Default: 1 GiB.
   */
  readonly checkpointMemory?: number;
  /**
   * A folder for schemas that take long to compile, so that other processes need not. Files are named by a hash of the
   * schema, and of all else that the result depends on. Default: none is kept.
   */
  readonly schemaCache?: string;
  /** `auto` (default) takes the GPU that is there, by the best backend; `false`, none. */
  readonly gpu?: GpuBackend;
  /** Layers that the GPU holds; `auto` (default): as many as its memory has room for, `max`: all. */
  readonly gpuLayers?: number | 'auto' | 'max';
  /** Attention in blocks, which takes less memory. Default: `auto`, where the backend and the model can. */
  readonly flashAttention?: boolean | 'auto';
  /** Tokens that are evaluated at once. Default: 512. More of them take more memory, and less time on a GPU. */
  readonly batchSize?: number;
  /** The file is mapped into memory, not read. Default: true where the system can, unless a GPU holds more without. */
  readonly useMmap?: boolean;
  /** The system may not move the model out of memory. Default: false. */
  readonly useMlock?: boolean;
  /** LoRA adapters (GGUF) that are added to the model's weights. Default: none. */
  readonly lora?: readonly LoraAdapter[];
  /** Told how much of the model is loaded, from 0 to 1. */
  readonly onLoadProgress?: (loaded: number) => void;
  /** Ends loading; chats have signals of their own. */
  readonly signal?: AbortSignal;
  /** An engine that is open already. Default: one for the whole process. */
  readonly llama?: Llama;
}

/**
 * What chats to come have in common, as they will be given it. What is absent is prepared in its usual ways:
 * `toolChoice` with `auto` and `required`, `thinking` asked for, declined and neither.
 */
export type PrepareOptions = Partial<ChatOptions>;
