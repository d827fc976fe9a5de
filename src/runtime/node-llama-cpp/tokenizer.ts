/** The tokenizer of a model file, as node-llama-cpp has read it. */
import type { LlamaModel, Token } from 'node-llama-cpp';
import { ModelFileError } from '../../format/errors.ts';
import type { EngineTokenizer, TokenType } from '../engine/engine.ts';

/** The tokenizer of `model`. Throws `ModelFileError` if the file has none. */
export function llamaTokenizer(model: LlamaModel, file: string): EngineTokenizer {
  const { model: kind, tokens: texts } = model.fileInfo.metadata.tokenizer?.ggml ?? {};
  if (!Array.isArray(texts)) throw new ModelFileError({ file, reason: 'it holds no tokenizer' });
  const { bos, bosString, eosString, shouldPrependBosToken } = model.tokens;
  // Each answer of the engine is asked for once: a template, a vocabulary and its index all ask about every token.
  const types: TokenType[] = [];
  const ends: boolean[] = [];
  return {
    texts,
    spelling: kind === 'gpt2' ? 'byte-level' : 'sentencepiece',
    typeOf: (token) => {
      types[token] ??= typeOf(model.getTokenAttributes(asToken(token)));
      return types[token];
    },
    endsGeneration: (token) => {
      ends[token] ??= model.isEogToken(asToken(token));
      return ends[token];
    },
    absorbsSpace: (token) => model.getTokenAttributes(asToken(token)).lstrip,
    tokenize: (text, special) => model.tokenize(text, special),
    ...(shouldPrependBosToken && bos !== null ? { firstToken: bos } : {}),
    bosToken: bosString ?? '',
    eosToken: eosString ?? '',
  };
}

function typeOf(attributes: ReturnType<LlamaModel['getTokenAttributes']>): TokenType {
  if (attributes.control || attributes.unknown) return 'control';
  if (attributes.byte) return 'byte';
  return attributes.userDefined ? 'user-defined' : 'normal';
}

function asToken(id: number): Token {
  return id as Token;
}
