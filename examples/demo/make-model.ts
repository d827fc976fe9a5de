/** The demo's models: the toy, which knows a few tools, and one of random weights, for a script. */
import path from 'node:path';
import { toyModel } from 'idiolect/testing';
import { cacheFolder, readBundledFile } from '../support/llama-bundle.ts';
import { tinyModelFile, type VocabularyChoice, writeModelFile } from '../support/small-models.ts';

/** A real tokenizer in which the template's markers are single tokens. */
export const demoVocabulary: VocabularyChoice = {
  vocabulary: 'llama-spm',
  markers: ['<think>', '</think>', '<tool_call>', '</tool_call>', '<tool_response>', '</tool_response>'],
  controls: ['<|im_start|>', '<|im_end|>'],
};

/** A real chat template. */
export async function demoTemplate(): Promise<string> {
  const template = await readBundledFile('models/templates/Qwen-Qwen3-0.6B.jinja');
  return template.toString('utf8');
}

/** Writes the trained toy (two megabytes) and returns its path. */
export async function makeToyModel(): Promise<string> {
  const file = path.join(cacheFolder, 'models', 'toy-demo.gguf');
  writeModelFile(file, await toyModel());
  return file;
}

/** Writes a model with random weights once (a few megabytes, no download) and returns its path. */
export async function makeTinyModel(): Promise<string> {
  return tinyModelFile({ ...demoVocabulary, chatTemplate: await demoTemplate(), name: 'tiny-demo' });
}
