/** The metadata of the toy's tokenizer. */
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

/** The vocabulary of one format; the tokens are the same in all. */
export function toyVocabulary(format: ToyFormat): Vocabulary {
  const merges = toyMerges();
  const normal = [...byteTexts(), ...merges.map((pair) => pair.join(''))];
  const tokens = [...normal, ...toyControls, ...toyMarkers];
  const types = [
    ...normal.map(() => normalType),
    ...toyControls.map(() => controlType),
    ...toyMarkers.map(() => userDefinedType),
  ];
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
    ['tokenizer.ggml.bos_token_id', uint32Value(tokens.indexOf('<|endoftext|>'))],
    ['tokenizer.ggml.eos_token_id', uint32Value(tokens.indexOf(turnEnds[format]))],
    ['tokenizer.ggml.add_bos_token', { type: ggufTypes.BOOL, value: false }],
  ]);
  return { metadata, size: tokens.length };
}

function listOf(subType: number, value: readonly string[] | readonly number[]): GgufValue {
  return { type: ggufTypes.ARRAY, subType, value };
}

/** The characters of the 256 bytes in GPT-2's tokenizer: printable ones represent themselves, others begin at 256. */
function byteTexts(): string[] {
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xff && byte !== 0xad);
    if (printable) return String.fromCharCode(byte);
    next += 1;
    return String.fromCharCode(next - 1);
  });
}
