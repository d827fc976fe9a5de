/** One node-llama-cpp per test process, and models out of the bundle. */
import os from 'node:os';
import path from 'node:path';
import { getLlama, type Llama, LlamaLogLevel, type LlamaModel } from 'node-llama-cpp';
import { bundledFile } from '../../examples/support/llama-bundle.ts';
import { type VocabularyChoice, writeModelFile } from '../../examples/support/small-models.ts';
import { readVocabulary, type Vocabulary } from './read-vocabulary.ts';
import { scriptedModel } from './scripted/scripted-model.ts';
import type { ScriptedModelOptions, ScriptedTurnsOptions } from './scripted/scripted-options.ts';
import { loadVocabulary } from './small-vocabulary.ts';

let engine: Promise<Llama> | undefined;

/** The engine; CPU only, and silent. */
export function testLlama(): Promise<Llama> {
  engine ??= getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.disabled, progressLogs: false });
  return engine;
}

/** A tokenizer of the bundle without weights. */
export async function bundledVocabulary(
  name: string,
): Promise<{ readonly model: LlamaModel; readonly vocabulary: Vocabulary }> {
  const llama = await testLlama();
  const modelPath = await bundledFile(`models/ggml-vocab-${name}.gguf`);
  const model = await llama.loadModel({ modelPath, vocabOnly: true });
  return { model, vocabulary: readVocabulary(model, modelPath) };
}

let scripts = 0;
const vocabularies = new Map<string, ReturnType<typeof loadVocabulary>>();

/** A tokenizer for model files, read once per process. */
function vocabularyFor(choice: VocabularyChoice): ReturnType<typeof loadVocabulary> {
  const key = JSON.stringify([choice.vocabulary, choice.markers, choice.controls]);
  const known = vocabularies.get(key) ?? loadVocabulary(choice);
  vocabularies.set(key, known);
  return known;
}

/** What a scripted model is to write. */
type Scripts =
  | Pick<ScriptedModelOptions, 'script' | 'promptLength'>
  | Pick<ScriptedTurnsOptions, 'turns' | 'otherwise'>;

/** Writes a scripted model to a temporary file. */
export async function scriptedModelFile(
  options: VocabularyChoice & Scripts & { readonly chatTemplate?: string },
): Promise<string> {
  scripts += 1;
  const file = path.join(os.tmpdir(), `idiolect-scripted-${process.pid}-${scripts}.gguf`);
  const { markers: _, controls: __, ...model } = options;
  writeModelFile(file, scriptedModel({ ...model, vocabulary: await vocabularyFor(options) }));
  return file;
}
