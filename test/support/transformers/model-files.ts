/** A small model in the files that transformers.js reads: all but its weights. */
import { byteCharacters } from '../../../src/testing/evaluator/byte-pairs.ts';
import type { LoadedFile } from '../../../src/testing/evaluator/file-engine.ts';
import { toyMerges } from '../../../src/testing/toy/tokens.ts';

/** Contents of the files, before they are written as JSON. */
export interface ModelFiles {
  readonly 'config.json': object;
  readonly 'generation_config.json': object;
  readonly 'tokenizer.json': object;
  readonly 'tokenizer_config.json': { readonly [name: string]: unknown };
}

/** The files of a model with the toy's tokens. */
export function filesOf({ tokenizer, weights, chatTemplate }: LoadedFile): ModelFiles {
  const { texts } = tokenizer;
  const ids = [...texts.keys()];
  const isAdded = (id: number): boolean => ['control', 'user-defined'].includes(tokenizer.typeOf(id));
  const ends = ids.filter((id) => tokenizer.endsGeneration(id));
  const { shape, layers, embedding } = weights;
  return {
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
      eos_token_id: ends[0],
    },
    'generation_config.json': { eos_token_id: ends },
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
