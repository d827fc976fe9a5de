/**
 * A model that writes a given sequence of tokens, whatever the input.
 *
 * It has the `gpt2` architecture, whose positions are learned vectors. All weights but three are zero: position p has
 * the code of the token that is to follow it, and the output row of each token has that token's code. A code is a
 * vector of +1 and −1, followed by its negative so that layer normalisation does not change it; the right token's
 * logit is a hundred above every other.
 */
import { UnsupportedOptionError } from '../../../src/format/errors.ts';
import { checkOption, readOptions } from '../../../src/format/option-rules.ts';
import type { GgufTensor, GgufValue } from '../../../src/testing/gguf-types.ts';
import { float32Value, uint32Value, writeGguf } from '../../../src/testing/gguf-writer.ts';
import { modelMetadata } from '../../../src/testing/tiny-model.ts';
import { type ScriptedModelOptions, scriptedRules } from './scripted-options.ts';
import { halfBits, requireKnownTokens, signCode } from './token-codes.ts';

/** The file of such a model. Throws `UnsupportedOptionError` like `scriptedModel`. */
export function modelByPosition(given: ScriptedModelOptions): Uint8Array<ArrayBuffer> {
  const options = checkedOptions(given);
  const { script, promptLength, vocabulary, contextLength = 8192 } = options;
  const distinct = [...new Set(script)];
  const bits = Math.max(4, Math.ceil(Math.log2(distinct.length + 1)));
  const width = 2 * bits;
  const codes = new Map(distinct.map((token, index) => [token, balancedCode(index + 1, bits)]));

  const positions = new Float32Array(width * contextLength);
  script.forEach((token, index) => {
    positions.set(codes.get(token) ?? [], width * (promptLength - 1 + index));
  });
  const output = new Uint16Array(width * vocabulary.size);
  for (const [token, code] of codes) {
    output.set(
      code.map((sign) => halfBits(50 * sign)),
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
  requireKnownTokens('script', script, vocabulary);
  const last = promptLength - 1 + script.length;
  if (last <= contextLength) return options;
  const reason = `the script ends after ${last} tokens, and the context holds ${contextLength}`;
  throw new UnsupportedOptionError({ option: 'contextLength', reason });
}

/** The bits of `index` as signs, then their negatives. */
function balancedCode(index: number, bits: number): readonly number[] {
  const signs = signCode(index, bits);
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
