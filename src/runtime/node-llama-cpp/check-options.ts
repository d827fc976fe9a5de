/**
 * Validates options of callers without a type checker: an invalid option must not cause an endless or a different run.
 */
import {
  abortSignal,
  boolean,
  callback,
  integerFrom,
  isRecord,
  type OptionRule,
  type OptionRules,
  oneOf,
  type RefusedOptions,
  readOptions,
  string,
} from '../../format/option-rules.ts';
import { engineRules } from '../engine/engine-options.ts';
import type { LoadModelOptions } from './load-model-options.ts';

const maxInteger = 2 ** 31 - 1;
/** LLAMA_MAX_SEQ of llama.cpp. */
const maxSequences = 256;

const llama: OptionRule = {
  expected: "what node-llama-cpp's getLlama() returns",
  allows: (value) => isRecord(value) && typeof value.loadModel === 'function',
};

const gpuLayers: OptionRule = {
  expected: `"auto", "max" or an integer from 0 to ${maxInteger}`,
  allows: (value) => value === 'auto' || value === 'max' || integerFrom(0, maxInteger).allows(value),
};

const lora: OptionRule = {
  expected: 'an array of adapters { file, scale }, with a number as scale',
  allows: (value) => Array.isArray(value) && value.every(isAdapter),
};

function isAdapter(value: unknown): boolean {
  if (!isRecord(value) || typeof value.file !== 'string') return false;
  const { file: _, scale = 1, ...more } = value;
  return typeof scale === 'number' && Number.isFinite(scale) && Object.keys(more).length === 0;
}

const ownPredictor =
  "node-llama-cpp's token predictors track a grammar of their own, which does not see injected text";
const chatOption = 'it is an option of each chat';
const ownCache = 'experimental in node-llama-cpp: values that a backend does not support crash the process';

/** Known options of llama.cpp and node-llama-cpp that are rejected, with the reason. */
const refusedOptions: RefusedOptions = {
  draftModel: ownPredictor,
  modelDraft: ownPredictor,
  tokenPredictor: ownPredictor,
  cacheTypeK: ownCache,
  cacheTypeV: ownCache,
  experimentalKvCacheKeyType: ownCache,
  experimentalKvCacheValueType: ownCache,
  mainGpu: 'node-llama-cpp does not pass it on; select the device by an environment variable of its backend',
  tensorSplit: 'node-llama-cpp does not pass it on; it spreads layers by itself',
  modelPath: 'the file is the first argument',
  swaFullCache: 'states are saved instead, which takes less memory: checkpointMemory',
  vocabOnly: "such a model cannot chat; use node-llama-cpp's own loadModel",
  embeddings: 'it is a method: embed; models that do not chat are opened by loadEmbeddingModel',
  maxTokens: chatOption,
  temperature: chatOption,
  contextShift: `${chatOption}: contextOverflow`,
  loadSignal: 'signal',
  createSignal: 'signal',
  nCtx: 'contextSize',
  nThreads: 'threads',
  nBatch: 'batchSize',
  nGpuLayers: 'gpuLayers',
  nParallel: 'sequences',
};

const numberOfSequences = integerFrom(1, maxSequences);
const sequences: OptionRule = {
  expected: `${numberOfSequences.expected}, or 'auto'`,
  allows: (value) => value === 'auto' || numberOfSequences.allows(value),
};

const { lateEnforcement: _, ...sharedRules } = engineRules;

const loadRules: OptionRules<LoadModelOptions> = {
  ...sharedRules,
  contextSize: integerFrom(1, maxInteger),
  sequences,
  threads: integerFrom(0, maxInteger),
  checkpointMemory: integerFrom(0, Number.MAX_SAFE_INTEGER),
  cacheMemory: integerFrom(0, Number.MAX_SAFE_INTEGER),
  schemaCache: string,
  vocabularyCache: {
    expected: 'a folder, or false',
    allows: (value) => value === false || string.allows(value),
  },
  gpu: oneOf('auto', 'cuda', 'vulkan', 'metal', false),
  gpuLayers,
  flashAttention: oneOf('auto', true, false),
  batchSize: integerFrom(1, maxInteger),
  useMmap: boolean,
  useMlock: boolean,
  lora,
  onLoadProgress: callback,
  signal: abortSignal,
  llama,
};

/**
 * Validates the options of a model; `null` counts as absent. Throws `UnsupportedOptionError` for the first invalid one.
 */
export function checkLoadOptions(given: LoadModelOptions): LoadModelOptions {
  return readOptions(given, loadRules, refusedOptions);
}
