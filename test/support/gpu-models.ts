/** node-llama-cpp on a GPU backend, and chat models of a few megabytes on it. */
import { getLlama, type Llama, LlamaLogLevel } from 'node-llama-cpp';
import { tinyModelFile, type VocabularyChoice } from '../../examples/support/small-models.ts';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { type ChatModel, type LoadModelOptions, loadModel } from '../../src/runtime/node-llama-cpp/index.ts';
import { llamaTemplate } from './corpora.ts';

let engine: Promise<Llama> | undefined;

/** The engine. Without padding, because a software driver has little memory to spare. */
export function gpuLlama(): Promise<Llama> {
  engine ??= getLlama({
    gpu: 'vulkan',
    build: 'never',
    vramPadding: 0,
    logLevel: LlamaLogLevel.error,
    progressLogs: false,
  });
  return engine;
}

/** A template, its format, and a vocabulary that has its markers. */
export interface FormatOnGpu {
  readonly format: ChatFormat;
  readonly choice: VocabularyChoice & { readonly chatTemplate: string };
}

/** By the name of the template in llama.cpp's corpus. */
export async function formatOnGpu(name: string): Promise<FormatOnGpu> {
  const { source: chatTemplate } = await llamaTemplate(name);
  const { format } = analyzeTemplate(chatTemplate);
  const { preservedTokens: markers, stops: controls } = format;
  return { format, choice: { vocabulary: 'llama-spm', markers, controls, chatTemplate } };
}

/** Opens a file there. */
export async function openOnGpu(file: string, options: LoadModelOptions = {}): Promise<ChatModel> {
  const llama = await gpuLlama();
  return loadModel(file, { llama, threads: 1, contextSize: 2048, requireTools: false, ...options });
}

/** A model with random weights. */
export async function openRandom(
  { choice }: FormatOnGpu,
  options: LoadModelOptions = {},
): Promise<ChatModel> {
  return openOnGpu(await tinyModelFile(choice), options);
}
