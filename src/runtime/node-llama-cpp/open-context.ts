/** Opens the context of a model, with as many sequences as are wanted or as memory has room for. */
import path from 'node:path';
import {
  InsufficientMemoryError,
  type LlamaContext,
  type LlamaContextOptions,
  type LlamaModel,
} from 'node-llama-cpp';
import { ModelFileError, UnsupportedOptionError } from '../../format/errors.ts';
import { withoutUndefined } from '../../format/option-rules.ts';
import type { LoadModelOptions, LoraAdapter } from './load-model-options.ts';

const defaultContextSize = 8192;
/** Positions can be scaled to a few times the trained length; a number beyond this is a mistake. */
const maxTimesTrained = 64;

/**
 * Opens the context that its sequences share. Throws `UnsupportedOptionError` for one that the model or the memory does
 * not allow, `ModelFileError` for other failures of the engine, and the signal's reason.
 */
export async function openContext(
  model: LlamaModel,
  file: string,
  options: LoadModelOptions,
): Promise<LlamaContext> {
  const { threads, batchSize, flashAttention, signal } = options;
  const { trainContextSize: trained } = model;
  const { contextSize = Math.min(trained, defaultContextSize) } = options;
  // The engine takes minutes to notice that billions are too many.
  if (contextSize > maxTimesTrained * trained) {
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

/** More conversations than this go on from kept prompts. */
const maxFitting = 8;
/** As many as without a look at the memory. */
const least = 2;
/** The part of free memory that the sequences may take: other programs need some, too. */
const share = 1 / 4;

/** As many sequences as a quarter of the free memory holds, from two to eight. */
export async function fittingSequences(
  model: LlamaModel,
  options: { readonly contextSize: number; readonly batchSize?: number },
): Promise<number> {
  const estimate = (sequences: number) =>
    model.fileInsights.estimateContextResourceRequirementsV2({
      ...options,
      sequences,
      modelGpuLayers: model.gpuLayers,
    });
  const [one, two, ram, vram] = [
    await estimate(1),
    await estimate(2),
    await model.llama.getRamState(),
    await model.llama.getVramState(),
  ];
  // Of a container; 0 or far too much without one.
  const limit = process.constrainedMemory();
  const room = (free: number, first: number, second: number): number => {
    const each = second - first;
    return each <= 0 ? maxFitting : Math.floor((free * share - first + each) / each);
  };
  const fitting = Math.min(
    maxFitting,
    room(limit > 0 ? Math.min(ram.free, limit) : ram.free, one.cpuRam, two.cpuRam),
    room(vram.free, one.gpuVram, two.gpuVram),
  );
  return Math.max(least, fitting);
}
