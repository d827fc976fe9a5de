/** The vocabulary of an engine, prepared once for all masks. */
import { UnsupportedOptionError } from '../format/errors.ts';
import { type OptionRules, oneOf, readOptions } from '../format/option-rules.ts';
import { spellTokens } from '../language/matcher/token-bytes.ts';
import { indexTokens, type TokenIndex, type TokenTexts } from '../language/matcher/token-index.ts';

/** A vocabulary as its tokenizer lists it. */
export interface MaskVocabularyOptions {
  /** By id: a token's text as the tokenizer's file spells it, its bytes, or `null` if it stands for no text. */
  readonly tokens: readonly (string | Uint8Array | null)[];
  /**
   * How texts are spelled: each character as a byte (`Ġcity`), with `▁` for a space and `<0x0A>` for a byte, or as they
   * are. Default: `verbatim`.
   */
  readonly spelling?: 'byte-level' | 'sentencepiece' | 'verbatim';
  /** The tokens that end a response: they are allowed where the grammar may end, and nowhere else. Default: none. */
  readonly ends?: readonly number[];
}

/** A vocabulary ready for masks. */
export interface MaskVocabulary {
  /** Number of tokens. */
  readonly size: number;
  /** Length of a mask: 32 tokens a word. */
  readonly words: number;
  readonly ends: readonly number[];
  /** The tokens with a text, sorted by their bytes. */
  readonly index: TokenIndex;
  /** The UTF-8 bytes of a token; empty if it has no text. */
  bytesOf(token: number): Uint8Array;
}

const isToken = (token: unknown) =>
  token === null || typeof token === 'string' || token instanceof Uint8Array;
const isId = (id: unknown) => Number.isSafeInteger(id) && Number(id) >= 0;

const rules: OptionRules<MaskVocabularyOptions> = {
  tokens: {
    expected: 'an array of texts, bytes (Uint8Array) and null',
    allows: (tokens) => Array.isArray(tokens) && tokens.every(isToken),
  },
  spelling: oneOf('byte-level', 'sentencepiece', 'verbatim'),
  ends: { expected: 'an array of token ids', allows: (ids) => Array.isArray(ids) && ids.every(isId) },
};

/**
 * Prepares a vocabulary, a tenth of a second for 150,000 tokens; do it once.
 *
 * @throws UnsupportedOptionError for a wrong option.
 */
export function createMaskVocabulary(given: MaskVocabularyOptions): MaskVocabulary {
  const { tokens, spelling = 'verbatim', ends = [] } = readOptions(given, rules);
  const beyond = ends.find((id) => id >= tokens.length);
  if (beyond !== undefined)
    throw new UnsupportedOptionError({
      option: 'ends',
      reason: `${beyond} is none of ${tokens.length} tokens`,
    });
  const texts = tokens.some((token) => token instanceof Uint8Array)
    ? joined(tokens)
    : spelled(tokens.map(String), spelling);
  const isEnd = new Set(ends);
  const ids = tokens.flatMap((token, id) => (token === null || isEnd.has(id) ? [] : [id]));
  return {
    size: tokens.length,
    words: (tokens.length + 31) >> 5,
    ends,
    index: indexTokens(texts, ids),
    bytesOf: (id) =>
      tokens[id] == null ? new Uint8Array() : texts.bytes.subarray(texts.starts[id], texts.starts[id + 1]),
  };
}

function spelled(
  texts: readonly string[],
  spelling: NonNullable<MaskVocabularyOptions['spelling']>,
): TokenTexts {
  return spellTokens(texts, (id) => {
    return spelling === 'sentencepiece' && /^<0x[0-9A-F]{2}>$/.test(texts[id] ?? '') ? 'byte' : spelling;
  });
}

/** Where some tokens are bytes, texts are taken as they are. */
function joined(tokens: MaskVocabularyOptions['tokens']): TokenTexts {
  const encoder = new TextEncoder();
  const all = tokens.map((token) => (token instanceof Uint8Array ? token : encoder.encode(token ?? '')));
  const starts = new Uint32Array(all.length + 1);
  for (const [id, { length }] of all.entries()) starts[id + 1] = (starts[id] ?? 0) + length;
  const bytes = new Uint8Array(starts.at(-1) ?? 0);
  for (const [id, each] of all.entries()) bytes.set(each, starts[id]);
  return { bytes, starts };
}
