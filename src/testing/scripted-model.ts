/**
 * A model that writes a given sequence of tokens, whatever it is asked: real end-to-end tests of
 * sampling, triggers and sessions become deterministic, odd token boundaries included.
 *
 * It is of the `gpt2` architecture, whose positions are learned vectors. Every weight but three is
 * zero: position p holds the code of the token that is to come after it, and the output row of each
 * token holds that token's code. A code is a vector of +1 and −1, followed by its own negative so that
 * layer normalisation leaves it alone; the right token's logit is ahead of every other by a hundred.
 */
import { UnsupportedOptionError } from '../format/errors.ts';
import { checkOption, readOptions } from '../format/option-rules.ts';
import type { GgufValue } from './gguf-types.ts';
import { float32Value, type GgufTensor, uint32Value, writeGguf } from './gguf-writer.ts';
import { type ScriptedModelOptions, scriptedRules } from './model-file-options.ts';
import { modelMetadata } from './tiny-model.ts';

/**
 * The model's file. It goes by position: with more or fewer tokens before, the script is out of step. Throws
 * `UnsupportedOptionError` for a wrong option, and for a script that does not fit.
 */
export function scriptedModel(given: ScriptedModelOptions): Uint8Array<ArrayBuffer> {
  const options = checkedOptions(given);
  const { script, promptLength, vocabulary, contextLength = 8192 } = options;
  const distinct = [...new Set(script)];
  const bits = Math.max(4, Math.ceil(Math.log2(distinct.length + 1)));
  const width = 2 * bits;
  const codes = new Map(distinct.map((token, index) => [token, signCode(index + 1, bits)]));

  const positions = new Float32Array(width * contextLength);
  script.forEach((token, index) => {
    positions.set(codes.get(token) ?? [], width * (promptLength - 1 + index));
  });
  const output = new Uint16Array(width * vocabulary.size);
  for (const [token, code] of codes) {
    output.set(
      code.map((sign) => (sign > 0 ? halfPlus : halfMinus)),
      width * token,
    );
  }
  return writeGguf(modelMetadata('gpt2', gpt2Keys(width), options), [
    {
      name: 'token_embd.weight',
      shape: [width, vocabulary.size],
      data: new Uint16Array(width * vocabulary.size),
    },
    { name: 'position_embd.weight', shape: [width, contextLength], data: positions },
    ...normalisation('output_norm', width, 1),
    { name: 'output.weight', shape: [width, vocabulary.size], data: output },
    ...silentBlock(width),
  ]);
}

function checkedOptions(given: ScriptedModelOptions): ScriptedModelOptions {
  const options = readOptions(given, scriptedRules);
  for (const option of ['vocabulary', 'script', 'promptLength'] as const)
    checkOption(option, options[option] ?? null, scriptedRules[option]);
  const { script, promptLength, vocabulary, contextLength = 8192 } = options;
  const foreign = script.find((token) => token >= vocabulary.size);
  if (foreign !== undefined) {
    const reason = `token ${foreign} is none of the vocabulary's ${vocabulary.size}`;
    throw new UnsupportedOptionError({ option: 'script', reason });
  }
  const last = promptLength - 1 + script.length;
  if (last <= contextLength) return options;
  const reason = `the script ends after ${last} tokens, and the context holds ${contextLength}`;
  throw new UnsupportedOptionError({ option: 'contextLength', reason });
}

/** 50 and −50 as 16-bit floats. */
const halfPlus = 0x5240;
const halfMinus = 0xd240;

/** The bits of `index` as signs, then their negatives. */
function signCode(index: number, bits: number): number[] {
  const signs = Array.from({ length: bits }, (_, bit) => ((index >> bit) & 1 ? 1 : -1));
  return [...signs, ...signs.map((sign) => -sign)];
}

function gpt2Keys(width: number): readonly (readonly [string, GgufValue])[] {
  return [
    ['block_count', uint32Value(1)],
    ['embedding_length', uint32Value(width)],
    ['feed_forward_length', uint32Value(width)],
    ['attention.head_count', uint32Value(1)],
    ['attention.layer_norm_epsilon', float32Value(1e-5)],
  ];
}

/** A layer that adds nothing. */
function silentBlock(width: number): GgufTensor[] {
  return [
    ...normalisation('blk.0.attn_norm', width, 1),
    ...zeros('blk.0.attn_qkv', width, 3 * width),
    ...zeros('blk.0.attn_output', width, width),
    ...normalisation('blk.0.ffn_norm', width, 1),
    ...zeros('blk.0.ffn_up', width, width),
    ...zeros('blk.0.ffn_down', width, width),
  ];
}

function zeros(name: string, inputs: number, outputs: number): GgufTensor[] {
  return [
    { name: `${name}.weight`, shape: [inputs, outputs], data: new Float32Array(inputs * outputs) },
    { name: `${name}.bias`, shape: [outputs], data: new Float32Array(outputs) },
  ];
}

function normalisation(name: string, width: number, scale: number): GgufTensor[] {
  return [
    { name: `${name}.weight`, shape: [width], data: new Float32Array(width).fill(scale) },
    { name: `${name}.bias`, shape: [width], data: new Float32Array(width) },
  ];
}
