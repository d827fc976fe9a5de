/** Reads the probabilities of tokens from each server's notation. Unreadable ones are omitted. */

import { isRecord } from '../format/option-rules.ts';
import type { LikelyToken, TokenLogprob } from '../parser/events.ts';
import { leastLogprob } from '../runtime/chat/answer-logprobs.ts';
import { type CompletionPiece, type CompletionRequest, readText } from './server-dialect.ts';

/** Reads an answer as a piece of the response, with the likely tokens if the request asks for them. */
export function pieceReader(
  { logprobs: top = null }: CompletionRequest,
  readPiece: (answer: unknown) => CompletionPiece | null,
  readLogprobs: (answer: unknown, top: number) => readonly TokenLogprob[],
): (answer: unknown) => CompletionPiece | null {
  if (top === null) return readPiece;
  return (answer) => {
    const piece = readPiece(answer);
    return piece && { ...piece, logprobs: readLogprobs(answer, top) };
  };
}

/** llama-server: `[{ token, bytes, logprob, top_logprobs: [{ token, bytes, logprob }] }]`. */
export function readLlamaLogprobs(given: unknown, top: number): readonly TokenLogprob[] {
  if (!Array.isArray(given)) return [];
  return given.flatMap((entry: unknown): readonly TokenLogprob[] => {
    const token = readEntry(entry);
    if (token === null || !isRecord(entry)) return [];
    const others = Array.isArray(entry.top_logprobs) ? entry.top_logprobs.map(readEntry) : [];
    return [{ ...token, top: likeliest(others, top) }];
  });
}

/** vLLM and SGLang, as OpenAI's completions: `{ tokens, token_logprobs, top_logprobs: [{ text: logprob }] }`. */
export function readOpenAiLogprobs(given: unknown, top: number): readonly TokenLogprob[] {
  if (!isRecord(given) || !Array.isArray(given.tokens) || !Array.isArray(given.token_logprobs)) return [];
  const { tokens, token_logprobs: logprobs, top_logprobs: tops } = given;
  return tokens.flatMap((text: unknown, index): readonly TokenLogprob[] => {
    const token = likely(text, logprobs[index], null);
    if (token === null) return [];
    const others: unknown = Array.isArray(tops) ? tops[index] : null;
    const read = Object.entries(isRecord(others) ? others : {}).map((entry) => likely(...entry, null));
    return [{ ...token, top: likeliest(read, top) }];
  });
}

function readEntry(entry: unknown): LikelyToken | null {
  return isRecord(entry) ? likely(entry.token, entry.logprob, entry.bytes) : null;
}

/** `null` means the lowest probability in OpenAI's API. */
function likely(given: unknown, logprob: unknown, bytes: unknown): LikelyToken | null {
  const token = readText(given);
  if (token === null || (logprob !== null && !isNumber(logprob))) return null;
  return {
    token,
    bytes: isBytes(bytes) ? bytes : [...new TextEncoder().encode(token)],
    logprob: Math.min(0, Math.max(leastLogprob, logprob ?? leastLogprob)),
  };
}

function isNumber(given: unknown): given is number {
  return typeof given === 'number' && !Number.isNaN(given);
}

function isBytes(given: unknown): given is readonly number[] {
  return Array.isArray(given) && given.every((byte) => Number.isInteger(byte) && byte >= 0 && byte < 256);
}

/** The sampled token may be included in addition to the requested number. */
function likeliest(tokens: readonly (LikelyToken | null)[], top: number): readonly LikelyToken[] {
  const read = tokens.filter((token) => token !== null);
  return read.sort((one, other) => other.logprob - one.logprob).slice(0, top);
}
