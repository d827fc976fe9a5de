/**
 * llama.cpp's `llama-server`: its native endpoints (`tools/server/README.md` of llama.cpp v0.5.0), which accept token
 * ids and GBNF and apply no chat template.
 */
import { isRecord, withoutUndefined } from '../format/option-rules.ts';
import type { TokenLogprob } from '../parser/events.ts';
import type { SamplingOptions } from '../runtime/chat/chat-options.ts';
import { llamaSeed, llamaTopK } from '../runtime/chat/llama-sampling.ts';
import { withDefaultSampling } from '../runtime/chat/sampling-rules.ts';
import { splitAtMarks } from '../tools/picture-marks.ts';
import { type MarkedPrompt, withBreak } from './pictures.ts';
import {
  type AskFirst,
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
import { pieceReader, readLlamaLogprobs } from './server-logprobs.ts';

/** The dialect of llama-server. */
export const llamaServer: ServerDialect = {
  refused: {
    cacheSalt: 'llama-server does not support a cache salt; leave it out',
    priority: 'llama-server serves requests in order of arrival; leave it out',
  },
  biasById: false,
  pictures: 'in-prompt',
  describe: { path: '/props', body: null, read: readProps },
  tokenize: (text, _, begins) => tokenizing(text, begins, true),
  tokenizePlain: (text) => tokenizing(text, false, false),
  complete: (request) => {
    const { pictured } = request;
    const body = completionBody(request);
    const question = { path: '/completion', body, read: pieceReader(request, readPiece, logprobsOf) };
    if (pictured == null || !('pictures' in pictured)) return question;
    return {
      ...question,
      bodyFrom: async (ask) => ({ ...body, prompt: await promptWithPictures(pictured, ask) }),
    };
  },
};

/** Each process has its own marker of pictures. Old ones do not tell it; theirs is known. */
const anyMarker = '<__media__>';

/** A prompt as text, whose pictures take the places of the server's marker. */
async function promptWithPictures({ text, pictures }: MarkedPrompt, ask: AskFirst): Promise<object> {
  const { marker, bosToken } = await ask({ path: '/props', body: null, read: readMarker });
  // The server adds the first token of models that have one to every text.
  const [added] = bosToken !== '' && text.startsWith(bosToken) ? await ask(tokenizing('', true, true)) : [];
  const pieces = splitAtMarks(added === undefined ? text : text.slice(bosToken.length), pictures);
  const shown = pieces.flatMap(({ picture }) => picture ?? []);
  return {
    prompt_string: pieces.map(({ before }) => before.replaceAll(marker, withBreak(marker))).join(marker),
    multimodal_data: shown.map((address) => address.slice(address.indexOf(',') + 1)),
  };
}

function readMarker(answer: unknown): { readonly marker: string; readonly bosToken: string } | null {
  if (!isRecord(answer)) return null;
  return { marker: readText(answer.media_marker) ?? anyMarker, bosToken: readText(answer.bos_token) ?? '' };
}

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
    vision: isRecord(answer.modalities) ? answer.modalities.vision === true : null,
    isIdiolect: answer.build_info === 'idiolect',
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
    n_predict: maxTokens ?? -1,
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

function logprobsOf(answer: unknown, top: number): readonly TokenLogprob[] {
  return readLlamaLogprobs(isRecord(answer) ? answer.completion_probabilities : null, top);
}

function readPiece(answer: unknown): CompletionPiece | null {
  if (!isRecord(answer)) return null;
  const text = readText(answer.content);
  if (text === null) return null;
  const prompt = readTimings(answer.timings);
  if (answer.stop !== true) return { text, tokens: 1, finish: null, ...prompt };
  return { text, tokens: 0, finish: answer.stop_type === 'limit' ? 'length' : 'stop', ...prompt };
}

function readTimings(timings: unknown): Pick<CompletionPiece, 'cachedTokens' | 'promptTokens'> {
  const { cache_n: cached, prompt_n: evaluated } = isRecord(timings) ? timings : {};
  const cachedTokens = typeof cached === 'number' ? cached : null;
  const isWhole = cachedTokens !== null && typeof evaluated === 'number';
  return { cachedTokens, promptTokens: isWhole ? cachedTokens + evaluated : null };
}
