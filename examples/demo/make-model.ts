/** The demo's model: a tokenizer and a chat template of the bundle, and random weights. */
import { readBundledFile } from '../support/llama-bundle.ts';
import { tinyModelFile, type VocabularyChoice } from '../support/small-models.ts';

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

/** Writes the model once (a few megabytes, no download) and returns its path. */
export async function makeTinyModel(): Promise<string> {
  return tinyModelFile({ ...demoVocabulary, chatTemplate: await demoTemplate(), name: 'tiny-demo' });
}
