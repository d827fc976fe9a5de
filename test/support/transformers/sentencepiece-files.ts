/** A tokenizer in SentencePiece's spelling: bytes, letters and a few merges, with Llama's steps around them. */
import { addedToken, type ModelFiles } from './model-files.ts';

const sign = '▁';
const byteTexts = Array.from(
  { length: 256 },
  (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
);
const letters = [...'abcdefghijklmnopqrstuvwxyz{}":,.'];
const merges = [
  [sign, 't'],
  ['h', 'e'],
  [`${sign}t`, 'he'],
  ['i', 'n'],
  [sign, sign],
] as const;
const added = [
  ['<unk>', true],
  ['<s>', true],
  ['</s>', true],
  ['<|im_end|>', true],
  ['<tool_call>', false],
  [`${sign}${sign}${sign}`, false],
] as const;
const ordinary = [...byteTexts, sign, ...letters, ...merges.map(([one, other]) => one + other)];

/** The texts of all tokens, by id. */
export const pieceTexts: readonly string[] = [...added.map(([text]) => text), ...ordinary];

/** What transformers.js reads. */
export const pieceFiles: Pick<ModelFiles, 'tokenizer.json' | 'tokenizer_config.json'> = {
  'tokenizer.json': {
    version: '1.0',
    added_tokens: added.map(([text, special], id) => addedToken(id, text, special)),
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'Prepend', prepend: sign },
        { type: 'Replace', pattern: { String: ' ' }, content: sign },
      ],
    },
    pre_tokenizer: null,
    post_processor: {
      type: 'TemplateProcessing',
      single: [{ SpecialToken: { id: '<s>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
      pair: [],
      special_tokens: { '<s>': { id: '<s>', ids: [1], tokens: ['<s>'] } },
    },
    decoder: {
      type: 'Sequence',
      decoders: [
        { type: 'Replace', pattern: { String: sign }, content: ' ' },
        { type: 'ByteFallback' },
        { type: 'Fuse' },
        { type: 'Strip', content: ' ', start: 1, stop: 0 },
      ],
    },
    model: {
      type: 'BPE',
      unk_token: '<unk>',
      fuse_unk: true,
      byte_fallback: true,
      vocab: Object.fromEntries(pieceTexts.map((text, id) => [text, id])),
      merges: merges.map((pair) => pair.join(' ')),
    },
  },
  'tokenizer_config.json': {
    tokenizer_class: 'PreTrainedTokenizer',
    bos_token: '<s>',
    eos_token: '</s>',
    chat_template: '{% for message in messages %}{{ message.content }}{% endfor %}',
  },
};

/** Tokenizes as transformers.js does, without merging: a space before every stretch of text, bytes for all but letters. */
export function encodePieces(
  text: string,
  { add_special_tokens: adds }: { readonly add_special_tokens: boolean },
): number[] {
  const specials: readonly string[] = added.map(([special]) => special);
  const parts = text.split(/(<unk>|<s>|<\/s>|<\|im_end\|>|<tool_call>|▁▁▁)/);
  const tokens = parts.flatMap((part) => {
    const special = specials.indexOf(part);
    if (special >= 0) return [special];
    return part === '' ? [] : [...`${sign}${part.replaceAll(' ', sign)}`].flatMap(tokensOf);
  });
  return adds ? [1, ...tokens] : tokens;
}

function tokensOf(character: string): number[] {
  const token = pieceTexts.indexOf(character);
  if (token >= 0) return [token];
  const first = pieceTexts.indexOf('<0x00>');
  return Array.from(new TextEncoder().encode(character), (byte) => first + byte);
}
