/** A small model in the files that transformers.js reads: all but its weights. */
import type { EngineTokenizer } from '../../../src/runtime/engine/engine.ts';
import { byteCharacters } from '../../../src/testing/evaluator/byte-pairs.ts';
import type { LoadedFile } from '../../../src/testing/evaluator/file-engine.ts';
import { toyMerges } from '../../../src/testing/toy/tokens.ts';

/** Contents of the files of a tokenizer, before they are written as JSON. */
export interface TokenizerFiles {
  readonly 'generation_config.json': object;
  readonly 'tokenizer.json': object;
  readonly 'tokenizer_config.json': { readonly [name: string]: unknown };
}

/** Contents of all files but the weights. */
export interface ModelFiles extends TokenizerFiles {
  readonly 'config.json': object;
}

/** The files of a model with the toy's tokens. */
export function filesOf({ tokenizer, weights, chatTemplate }: LoadedFile): ModelFiles {
  const { shape, layers, embedding } = weights;
  return {
    ...tokenizerFiles(tokenizer, chatTemplate),
    'config.json': {
      architectures: ['Qwen3ForCausalLM'],
      model_type: 'qwen3',
      hidden_size: shape.width,
      num_attention_heads: shape.heads,
      num_key_value_heads: shape.keyHeads,
      head_dim: shape.headWidth,
      num_hidden_layers: layers.length,
      max_position_embeddings: shape.contextLength,
      vocab_size: embedding.outputs,
      eos_token_id: endsOf(tokenizer)[0],
    },
  };
}

function endsOf(tokenizer: EngineTokenizer): readonly number[] {
  return [...tokenizer.texts.keys()].filter((id) => tokenizer.endsGeneration(id));
}

/** The files of a tokenizer with the toy's bytes and merges, and special tokens of any format. */
export function tokenizerFiles(tokenizer: EngineTokenizer, chatTemplate: string): TokenizerFiles {
  const { texts } = tokenizer;
  const ids = [...texts.keys()];
  const isAdded = (id: number): boolean => ['control', 'user-defined'].includes(tokenizer.typeOf(id));
  return {
    'generation_config.json': { eos_token_id: endsOf(tokenizer) },
    'tokenizer.json': {
      version: '1.0',
      added_tokens: ids
        .filter(isAdded)
        .map((id) => addedToken(id, texts[id] ?? '', tokenizer.typeOf(id) === 'control')),
      normalizer: null,
      pre_tokenizer: {
        type: 'Sequence',
        pretokenizers: [
          {
            type: 'Split',
            pattern: { Regex: ' ?[^(\\s|.,!?…。，、।۔،)]+' },
            behavior: 'Isolated',
            invert: false,
          },
          { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false },
        ],
      },
      post_processor: null,
      decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
      model: {
        type: 'BPE',
        vocab: Object.fromEntries(ids.filter((id) => !isAdded(id)).map((id) => [texts[id] ?? '', id])),
        merges: toyMerges().map((pair) => pair.map(spelled).join(' ')),
      },
    },
    'tokenizer_config.json': {
      tokenizer_class: 'PreTrainedTokenizer',
      ...(tokenizer.bosToken === '' ? {} : { bos_token: tokenizer.bosToken }),
      eos_token: tokenizer.eosToken,
      chat_template: chatTemplate,
    },
  };
}

/** An added token as `tokenizer.json` has it. */
export function addedToken(id: number, content: string, special: boolean): object {
  return { id, content, special, single_word: false, lstrip: false, rstrip: false, normalized: false };
}

function spelled(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => byteCharacters[byte] ?? '').join('');
}
