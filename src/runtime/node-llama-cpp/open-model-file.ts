/** Opens a model file, whatever the model is for. */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Llama, LlamaModel } from 'node-llama-cpp';
import { ModelFileError } from '../../format/errors.ts';
import { type OptionRule, requireOption, withoutUndefined } from '../../format/option-rules.ts';
import { checkModelFile } from '../../hub/gguf/check-model-file.ts';
import { folderReason, localPath, missingFileAdvice, userCache } from '../../hub/local-file.ts';
import { looksLikeReference } from '../../hub/reference.ts';
import { computeThreads, readProcessors } from './compute-threads.ts';
import type { LoadModelOptions } from './load-model-options.ts';
import { outliveStalls } from './outlive-stalls.ts';
import { sharedLlama } from './shared-llama.ts';
import { VocabularyFile } from './states/vocabulary-file.ts';

/** A model file that was opened. */
interface OpenFile {
  readonly file: string;
  readonly llamaModel: LlamaModel;
  /** As many as were given, or as suit the model. */
  readonly threads: number;
  /** What is known of its vocabulary; `null` if nothing is to be kept. */
  readonly vocabulary: VocabularyFile | null;
}

/** Opens the file. Throws the errors of `loadModel`, but those of templates. */
export async function openModelFile(location: string | URL, options: LoadModelOptions): Promise<OpenFile> {
  options.signal?.throwIfAborted();
  requireOption('file', location, place);
  const file = localPath(location);
  await requireFile(file);
  const { vocabularyCache = path.join(userCache(), 'idiolect', 'vocabularies') } = options;
  const vocabulary = vocabularyCache === false ? null : new VocabularyFile(vocabularyCache);
  await checkModelFile(file, (metadata) => vocabulary?.find(metadata) ?? false);
  const llama = options.llama ?? (await sharedLlama(options.gpu ?? 'auto'));
  outliveStalls(llama);
  for (const adapter of options.lora ?? []) await requireFile(adapter.file);
  const llamaModel = await openFile(llama, file, options);
  const threads = options.threads ?? computeThreads(llamaModel.size, readProcessors(llama.cpuMathCores));
  return { file, llamaModel, threads, vocabulary };
}

const place: OptionRule = {
  expected: 'a string',
  allows: (value) => typeof value === 'string' || value instanceof URL,
};

/** Distinguishes a missing file from one that the engine rejects. */
async function requireFile(file: string): Promise<void> {
  const stats = await fs.stat(file).catch(() => null);
  if (stats?.isFile() === true) return;
  const isFolder = stats?.isDirectory() === true;
  const reason = isFolder ? folderReason : missingFile(file);
  throw new ModelFileError({ file, reason });
}

function missingFile(file: string): string {
  const advice = missingFileAdvice(file);
  if (advice !== null) return advice;
  const wanted = looksLikeReference(file) ? file : 'owner/name';
  const looked = path.resolve(file);
  const where = looked === file || wanted === file || file === '' ? '' : ` (${looked})`;
  return `no such file${where}; \`idiolect pull ${wanted}\` fetches models of the Hugging Face Hub, and prints where they lie`;
}

async function openFile(
  llama: Llama,
  file: string,
  { gpuLayers, useMmap, useMlock, onLoadProgress, signal }: LoadModelOptions,
): Promise<LlamaModel> {
  // node-llama-cpp distinguishes an `undefined` option from an absent one.
  const given = { gpuLayers, useMmap, useMlock, onLoadProgress, loadSignal: signal };
  try {
    return await llama.loadModel({ modelPath: path.resolve(file), ...withoutUndefined(given) });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ModelFileError({ file, reason: `node-llama-cpp cannot load it: ${String(cause)}`, cause });
  }
}
