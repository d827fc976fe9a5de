/** The tokenizer of a model file, as node-llama-cpp has read it. */
import type { LlamaModel, Token } from 'node-llama-cpp';
import { ModelFileError } from '../../format/errors.ts';
import type { TokenIndex } from '../../language/matcher/token-index.ts';
import type { EngineTokenizer, TokenType } from '../engine/engine.ts';
import type { TokenStore } from './states/vocabulary-file.ts';

/** The tokenizer of `model`, with what is stored of it. Throws `ModelFileError` if the file has none. */
export function llamaTokenizer(model: LlamaModel, file: string, store?: TokenStore): EngineTokenizer {
  const { model: kind, tokens: texts } = model.fileInfo.metadata.tokenizer?.ggml ?? {};
  if (!Array.isArray(texts)) throw new ModelFileError({ file, reason: 'it holds no tokenizer' });
  const { bos, bosString, eosString, shouldPrependBosToken } = model.tokens;
  const known = store?.known?.types.length === texts.length ? store.known : null;
  // Each answer of the engine is asked for once: a template, a vocabulary and its index all ask about every token.
  const types: TokenType[] = [];
  const ends: boolean[] = [];
  const tokenizer: EngineTokenizer = {
    texts,
    spelling: kind === 'gpt2' ? 'byte-level' : 'sentencepiece',
    typeOf: (token) => {
      if (known !== null) return tokenTypes[(known.types[token] ?? 0) & typeBits] ?? 'normal';
      types[token] ??= typeOf(model.getTokenAttributes(asToken(token)));
      return types[token];
    },
    endsGeneration: (token) => {
      if (known !== null) return ((known.types[token] ?? 0) & endBit) !== 0;
      ends[token] ??= model.isEogToken(asToken(token));
      return ends[token];
    },
    absorbsSpace: (token) => model.getTokenAttributes(asToken(token)).lstrip,
    tokenize: (text, special) => model.tokenize(text, special),
    ...(shouldPrependBosToken && bos !== null ? { firstToken: bos } : {}),
    bosToken: bosString ?? '',
    eosToken: eosString ?? '',
  };
  if (store === undefined) return tokenizer;
  const write = (index: TokenIndex) => store.keep({ types: packedTypes(tokenizer), index });
  return { ...tokenizer, indexStore: { read: () => known?.index ?? null, write } };
}

/** What the engine says of a token, in a byte: its type in the first bits, and whether it ends generation. */
const tokenTypes: readonly TokenType[] = ['normal', 'byte', 'control', 'user-defined'];
const typeBits = 3;
const endBit = 4;

function packedTypes({ texts, typeOf, endsGeneration }: EngineTokenizer): Uint8Array {
  return Uint8Array.from(
    texts,
    (_, token) => tokenTypes.indexOf(typeOf(token)) | (endsGeneration(token) ? endBit : 0),
  );
}

function typeOf(attributes: ReturnType<LlamaModel['getTokenAttributes']>): TokenType {
  if (attributes.control || attributes.unknown) return 'control';
  if (attributes.byte) return 'byte';
  return attributes.userDefined ? 'user-defined' : 'normal';
}

function asToken(id: number): Token {
  return id as Token;
}
