/** The metadata of the toy's tokenizer. */
import { byteCharacters } from '../evaluator/byte-pairs.ts';
import { type GgufValue, ggufTypes } from '../gguf-types.ts';
import { stringValue, uint32Value } from '../gguf-writer.ts';
import type { Vocabulary } from '../model-file-options.ts';
import type { ToyFormat } from './templates.ts';
import { toyControls, toyMarkers, toyMerges } from './tokens.ts';

/** The token that ends a turn. */
const turnEnds: Readonly<Record<ToyFormat, (typeof toyControls)[number]>> = {
  json: '<|im_end|>',
  tags: '<|im_end|>',
  channels: '<|return|>',
};

const normalType = 1;
const controlType = 3;
const userDefinedType = 4;

/** The special tokens of a vocabulary. */
export interface SpecialTexts {
  /** Texts of control tokens, such as `<|im_end|>`. */
  readonly controls: readonly string[];
  /** Texts of user-defined tokens, such as `<tool_call>`. */
  readonly markers: readonly string[];
  /** The control token that ends a turn. */
  readonly end: string;
}

/** The special tokens of one format; only the end of a turn differs. */
export function toySpecials(format: ToyFormat): SpecialTexts {
  return { controls: toyControls, markers: toyMarkers, end: turnEnds[format] };
}

/** The vocabulary of one format; the tokens are the same in all. */
export function toyVocabulary(format: ToyFormat): Vocabulary {
  return vocabularyWith(toySpecials(format));
}

/** The toy's bytes and merges, with these special tokens. */
export function vocabularyWith({ controls, markers, end }: SpecialTexts): Vocabulary {
  const merges = toyMerges();
  const normal = [...byteCharacters, ...merges.map((pair) => pair.join(''))];
  const tokens = [...normal, ...controls, ...markers];
  const types = [
    ...normal.map(() => normalType),
    ...controls.map(() => controlType),
    ...markers.map(() => userDefinedType),
  ];
  const idOf = (text: string): GgufValue => uint32Value(tokens.indexOf(text));
  const metadata = new Map<string, GgufValue>([
    ['tokenizer.ggml.model', stringValue('gpt2')],
    ['tokenizer.ggml.pre', stringValue('bloom')],
    ['tokenizer.ggml.tokens', listOf(ggufTypes.STRING, tokens)],
    ['tokenizer.ggml.token_type', listOf(ggufTypes.INT32, types)],
    [
      'tokenizer.ggml.merges',
      listOf(
        ggufTypes.STRING,
        merges.map((pair) => pair.join(' ')),
      ),
    ],
    ['tokenizer.ggml.bos_token_id', idOf(controls[0] ?? end)],
    ['tokenizer.ggml.eos_token_id', idOf(end)],
    ['tokenizer.ggml.add_bos_token', { type: ggufTypes.BOOL, value: false }],
  ]);
  return { metadata, size: tokens.length };
}

function listOf(subType: number, value: readonly string[] | readonly number[]): GgufValue {
  return { type: ggufTypes.ARRAY, subType, value };
}
