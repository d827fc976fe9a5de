/** The vocabulary of an engine, prepared once for all masks. */
import { UnsupportedOptionError } from '../format/errors.ts';
import { type OptionRules, oneOf, readOptions, requireOption } from '../format/option-rules.ts';
import { spellTokens } from '../language/matcher/token-bytes.ts';
import { indexTokens, type TokenIndex, type TokenTexts } from '../language/matcher/token-index.ts';

/** A vocabulary as its tokenizer lists it. */
export interface MaskVocabularyOptions {
  /** By id: a token's text as the tokenizer's file spells it, its bytes, or `null` if it stands for no text. */
  readonly tokens: readonly (string | Uint8Array | null)[];
  /**
   * How texts are spelled: each character as a byte (`Ġcity`), with `▁` for a space and `<0x0A>` for a byte, or as they
   * are. Default: `verbatim`. Many texts in another spelling are an error.
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
  requireOption('tokens', tokens, rules.tokens);
  const beyond = ends.find((id) => id >= tokens.length);
  if (beyond !== undefined)
    throw new UnsupportedOptionError({
      option: 'ends',
      reason: `${beyond} is none of ${tokens.length} tokens`,
    });
  requireSpelling(tokens, spelling);
  const texts = spelled(tokens, spelling);
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

type Spelling = NonNullable<MaskVocabularyOptions['spelling']>;

/** Tokens as bytes stay as they are. */
function spelled(tokens: MaskVocabularyOptions['tokens'], spelling: Spelling): TokenTexts {
  const texts = tokens.map((token) => (typeof token === 'string' ? token : ''));
  const written = spellTokens(texts, (id) =>
    spelling === 'sentencepiece' && byteText.test(texts[id] ?? '') ? 'byte' : spelling,
  );
  if (!tokens.some((token) => token instanceof Uint8Array)) return written;
  const all = tokens.map((token, id) =>
    token instanceof Uint8Array ? token : written.bytes.subarray(written.starts[id], written.starts[id + 1]),
  );
  const starts = new Uint32Array(all.length + 1);
  for (const [id, { length }] of all.entries()) starts[id + 1] = (starts[id] ?? 0) + length;
  const bytes = new Uint8Array(starts.at(-1) ?? 0);
  for (const [id, each] of all.entries()) bytes.set(each, starts[id]);
  return { bytes, starts };
}

const byteText = /^<0x[0-9A-F]{2}>$/;

/** Texts of each spelling that only another one has: no vocabulary has many of them by chance. */
const foreign: Readonly<Record<Spelling, RegExp>> = {
  'byte-level': /[ \n\u2581]/,
  sentencepiece: /^[ \u0120]/,
  verbatim: /^[\u0120\u2581]/,
};

/** The token of a space, which every whole vocabulary has. */
const space: Readonly<Record<Spelling, string>> = {
  'byte-level': '\u0120',
  sentencepiece: '\u2581',
  verbatim: ' ',
};

/** A vocabulary of all bytes has as many tokens. */
const leastComplete = 256;

/** A mistake of a few tokens is possible in added ones; more are none. */
const leastForeign = 16;

/** Tokens that are no whole characters, decoded one by one, are this sign. Vocabularies have tokens of it, but few. */
const replacement = '\u{FFFD}';
const mostReplaced = 64;

/** Throws `UnsupportedOptionError` if many texts cannot be in that spelling: masks would be wrong without a word. */
function requireSpelling(tokens: MaskVocabularyOptions['tokens'], spelling: Spelling): void {
  const texts = tokens.filter((token) => typeof token === 'string');
  const wrong = texts.filter((text) => foreign[spelling].test(text));
  if (wrong.length >= Math.max(leastForeign, texts.length / 10)) {
    const reason = `is ${JSON.stringify(spelling)}, and ${wrong.length} of ${texts.length} texts are not, such as ${JSON.stringify(wrong[0])}; give the spelling of the tokenizer's file, or bytes`;
    throw new UnsupportedOptionError({ option: 'spelling', reason });
  }
  const known = new Set(texts);
  const other = Object.values(space).find((sign) => known.has(sign));
  if (texts.length >= leastComplete && other !== undefined && !known.has(space[spelling])) {
    const [own, found] = [space[spelling], other].map((sign) => JSON.stringify(sign));
    const reason = `is ${JSON.stringify(spelling)}, and a token is ${found} where ${own} would be; give the spelling of the tokenizer's file, or bytes`;
    throw new UnsupportedOptionError({ option: 'spelling', reason });
  }
  const lost = texts.filter((text) => text.includes(replacement));
  if (lost.length <= mostReplaced) return;
  const reason = `holds ${lost.length} texts with U+FFFD, as parts of characters become when they are decoded one by one; give the texts of the tokenizer's file, or bytes`;
  throw new UnsupportedOptionError({ option: 'tokens', reason });
}
