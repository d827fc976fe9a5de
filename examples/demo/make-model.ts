/** The demo's model: a tokenizer and a chat template of the bundle, and random weights. */
import { readBundledFile } from '../support/llama-bundle.ts';
import { tinyModelFile } from '../support/small-models.ts';

/** Writes the model once (a few megabytes, no download) and returns its path. */
export async function makeTinyModel(): Promise<string> {
  const template = await readBundledFile('models/templates/Qwen-Qwen3-0.6B.jinja');
  return tinyModelFile({
    vocabulary: 'llama-spm',
    markers: ['<think>', '</think>', '<tool_call>', '</tool_call>', '<tool_response>', '</tool_response>'],
    controls: ['<|im_start|>', '<|im_end|>'],
    chatTemplate: template.toString('utf8'),
    name: 'tiny-demo',
  });
}
