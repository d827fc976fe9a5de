/**
 * llama.cpp's `llama-server`: its native endpoints (`tools/server/README.md` of llama.cpp v0.5.0), which accept token
 * ids and GBNF and apply no chat template.
 */
import { isRecord, withoutUndefined } from '../../format/option-rules.ts';
import type { SamplingOptions } from '../chat/chat-options.ts';
import { llamaSeed, llamaTopK } from '../chat/llama-sampling.ts';
import { withDefaultSampling } from '../chat/sampling-rules.ts';
import {
  type CompletionPiece,
  type CompletionRequest,
  isTokenId,
  readCount,
  readText,
  type ServedModel,
  type ServerDialect,
  type ServerQuestion,
  type ServerToken,
} from './server-dialect.ts';
import { readLlamaLogprobs } from './server-logprobs.ts';

/** The dialect of llama-server. */
export const llamaServer: ServerDialect = {
  refused: {
    cacheSalt: 'llama-server does not support a cache salt; leave it out',
    priority: 'llama-server serves requests in order of arrival; leave it out',
  },
  biasById: false,
  describe: { path: '/props', body: null, read: readProps },
  tokenize: (text, _, begins) => tokenizing(text, begins, true),
  tokenizePlain: (text) => tokenizing(text, false, false),
  complete: (request) => ({ path: '/completion', body: completionBody(request), read: pieceReader(request) }),
};

/** `special`: whether control tokens count; user-defined ones always do. */
function tokenizing(text: string, begins: boolean, special: boolean): ServerQuestion<readonly ServerToken[]> {
  return {
    path: '/tokenize',
    body: { content: text, add_special: begins, parse_special: special, with_pieces: true },
    read: readPieces,
  };
}

/** `{ tokens: [{ id, piece }] }`; a piece that is half a character is an array of bytes. */
function readPieces(answer: unknown): readonly ServerToken[] | null {
  if (!isRecord(answer) || !Array.isArray(answer.tokens)) return null;
  const tokens = answer.tokens.map((token: unknown): ServerToken | null => {
    if (!isRecord(token) || !isTokenId(token.id)) return null;
    return { id: token.id, text: readText(token.piece) ?? '' };
  });
  return tokens.every((token) => token !== null) ? tokens : null;
}

function readProps(answer: unknown): ServedModel | null {
  if (!isRecord(answer)) return null;
  const settings = answer.default_generation_settings;
  const toolUse = readText(answer.chat_template_tool_use);
  return {
    name: null,
    contextSize: isRecord(settings) ? readCount(settings.n_ctx) : null,
    chatTemplate: readText(answer.chat_template) || null,
    toolUseTemplate: toolUse || null,
    bosToken: readText(answer.bos_token),
    eosToken: readText(answer.eos_token),
  };
}

function completionBody({
  prompt,
  grammar,
  stops,
  preservedTokens,
  maxTokens,
  free,
  sampling,
  logprobs,
}: CompletionRequest): object {
  const { temperature, topK, topP, minP } = withDefaultSampling(sampling);
  return {
    prompt,
    stream: true,
    cache_prompt: true,
    // Reports with every piece how much of the prompt was cached, because a request may be left before its last one.
    timings_per_token: true,
    n_predict: maxTokens,
    temperature,
    top_k: llamaTopK(topK),
    top_p: topP,
    min_p: minP,
    // Otherwise control tokens are omitted from the text.
    preserved_tokens: preservedTokens,
    stop: stops,
    ...(sampling.seed === undefined ? {} : { seed: llamaSeed(sampling.seed) }),
    ...(grammar === null ? {} : { grammar }),
    // The token's own probability only comes with those of others.
    ...(logprobs == null ? {} : { n_probs: Math.max(1, logprobs) }),
    ...(free ? freeSamplers(sampling) : {}),
  };
}

/** Its defaults are those of this process. */
function freeSamplers(sampling: SamplingOptions): object {
  const { repeatPenalty, repeatLastN, frequencyPenalty, presencePenalty, dry, xtc, logitBias } = sampling;
  return withoutUndefined({
    repeat_penalty: repeatPenalty,
    repeat_last_n: repeatLastN,
    frequency_penalty: frequencyPenalty,
    presence_penalty: presencePenalty,
    dry_multiplier: dry?.multiplier,
    dry_base: dry?.base,
    dry_allowed_length: dry?.allowedLength,
    dry_penalty_last_n: dry?.lastN,
    dry_sequence_breakers: dry?.sequenceBreakers,
    xtc_probability: xtc?.probability,
    xtc_threshold: xtc?.threshold,
    logit_bias: logitBias,
  });
}

function pieceReader({
  logprobs: top = null,
}: CompletionRequest): (answer: unknown) => CompletionPiece | null {
  if (top === null) return readPiece;
  return (answer) => {
    const piece = readPiece(answer);
    const probabilities = isRecord(answer) ? answer.completion_probabilities : null;
    return piece && { ...piece, logprobs: readLlamaLogprobs(probabilities, top) };
  };
}

function readPiece(answer: unknown): CompletionPiece | null {
  if (!isRecord(answer)) return null;
  const text = readText(answer.content);
  if (text === null) return null;
  const { timings } = answer;
  const cachedTokens = isRecord(timings) && typeof timings.cache_n === 'number' ? timings.cache_n : null;
  if (answer.stop !== true) return { text, tokens: 1, finish: null, cachedTokens };
  return { text, tokens: 0, finish: answer.stop_type === 'limit' ? 'length' : 'stop', cachedTokens };
}
