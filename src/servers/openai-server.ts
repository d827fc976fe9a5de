/**
 * vLLM and SGLang: OpenAI's `/v1/completions` with their extensions (token ids as prompt, special tokens in the text,
 * a grammar), and `/tokenize`. They differ in where the grammar is passed. XGrammar, the default backend of both,
 * reads GBNF.
 */
import { isRecord, withoutUndefined } from '../format/option-rules.ts';
import type { StructuralTag } from '../grammar/structural-tag/structural-tag.ts';
import type { TokenLogprob } from '../parser/events.ts';
import type { SamplingOptions } from '../runtime/chat/chat-options.ts';
import { withDefaultSampling } from '../runtime/chat/sampling-rules.ts';
import type { Conversation } from './pictures.ts';
import {
  type CompletionPiece,
  type CompletionRequest,
  readCount,
  readText,
  readTexts,
  readTokens,
  type ServedModel,
  type ServedTokenizer,
  type ServerDialect,
  type ServerToken,
} from './server-dialect.ts';
import { pieceReader, readOpenAiLogprobs } from './server-logprobs.ts';

const notThere = 'vLLM and SGLang have no such sampler; leave it out';

/** vLLM 0.12 and later. */
export const vllm: ServerDialect = {
  ...openAiServer({
    grammar: (grammar) => ({ structured_outputs: { grammar } }),
    structuralTag: (tag) => ({ structured_outputs: { structural_tag: JSON.stringify(tag) } }),
    // The template is shown the tools nevertheless; their calls are not taken apart.
    untouched: { tool_choice: 'none' },
  }),
  takesTags: { path: '/version', body: null, read: versionFrom([0, 12]) },
  // Only with --enable-tokenizer-info-endpoint.
  tokenizer: { path: '/tokenizer_info', body: null, read: readTokenizer },
  tokenize: (text, model) => ({
    ...tokenizing(text, model, { return_token_strs: true }),
    read: readSpelledTokens,
  }),
};

/** SGLang. */
export const sglang: ServerDialect = {
  ...openAiServer({
    grammar: (ebnf) => ({ ebnf }),
    structuralTag: (tag) => ({ response_format: tag }),
    untouched: { separate_reasoning: false },
  }),
  sees: {
    path: '/get_model_info',
    body: null,
    read: (answer) =>
      isRecord(answer) && typeof answer.has_image_understanding === 'boolean'
        ? answer.has_image_understanding
        : null,
  },
  takesTags: { path: '/get_server_info', body: null, read: versionFrom([0, 5, 6]) },
  tokenize: (text, model) => ({ ...tokenizing(text, model, {}), read: readBareTokens }),
  spell: (ids, model) => ({
    path: '/detokenize',
    body: { ...named(model), tokens: ids.map((id) => [id]), skip_special_tokens: false },
    read: (answer) => {
      const texts = isRecord(answer) ? readTexts(answer.text) : null;
      return texts?.length === ids.length ? texts : null;
    },
  }),
};

function tokenizing(text: string, model: string | null, more: object): { path: string; body: object } {
  return { path: '/tokenize', body: { ...named(model), prompt: text, add_special_tokens: false, ...more } };
}

function readBareTokens(answer: unknown): readonly ServerToken[] | null {
  const ids = isRecord(answer) ? readTokens(answer.tokens) : null;
  return ids?.map((id) => ({ id, text: '' })) ?? null;
}

/** Without the texts of tokens a prompt cannot be protected, so they are required. */
function readSpelledTokens(answer: unknown): readonly ServerToken[] | null {
  if (!isRecord(answer)) return null;
  const [ids, texts] = [readTokens(answer.tokens), readTexts(answer.token_strs)];
  if (ids?.length === 0) return [];
  if (ids === null || texts?.length !== ids.length) return null;
  return ids.map((id, index) => ({ id, text: texts[index] ?? '' }));
}

/** A `tokenizer_config.json`. */
function readTokenizer(answer: unknown): ServedTokenizer | null {
  if (!isRecord(answer)) return null;
  const { chat_template: template, added_tokens_decoder: added } = answer;
  const known = readTemplates(template);
  const texts = isRecord(added) ? Object.values(added).map(tokenText) : [null];
  return {
    chatTemplate: known.default ?? null,
    toolUseTemplate: known.tool_use ?? null,
    bosToken: tokenText(answer.bos_token),
    eosToken: tokenText(answer.eos_token),
    addedTokens: readTexts(texts),
  };
}

/** A template, or several by name: as an object, or a list of `{name, template}`. */
function readTemplates(template: unknown): { readonly default?: string; readonly tool_use?: string } {
  if (typeof template === 'string') return { default: template };
  const list = Array.isArray(template) ? template.filter(isRecord) : [];
  const named: unknown =
    list.length === 0 ? template : Object.fromEntries(list.map((each) => [each.name, each.template]));
  if (!isRecord(named)) return {};
  return withoutUndefined({
    default: readText(named.default) ?? undefined,
    tool_use: readText(named.tool_use) ?? undefined,
  });
}

/** A token, as its text or as an object with it. */
function tokenText(token: unknown): string | null {
  return readText(isRecord(token) ? token.content : token);
}

/** The fields that tell the server what to enforce. */
interface Enforcement {
  grammar(gbnf: string): object;
  structuralTag(tag: StructuralTag): object;
  /** Fields of a chat that keep the server from taking its response apart. */
  readonly untouched: object;
}

/** Whether an answer contains this version or a later one; anything else counts as an old version. */
function versionFrom(oldest: readonly number[]): (answer: unknown) => boolean | null {
  return (answer) => {
    const version = isRecord(answer) ? readText(answer.version) : null;
    const numbers = /^v?(\d+(?:\.\d+)*)/
      .exec(version ?? '')?.[1]
      ?.split('.')
      .map(Number);
    if (numbers === undefined) return null;
    const at = oldest.findIndex((number, index) => number !== (numbers[index] ?? 0));
    return at < 0 || (numbers[at] ?? 0) > (oldest[at] ?? 0);
  };
}

function enforced({ grammar, structuralTag }: CompletionRequest, enforcement: Enforcement): object {
  if (grammar !== null) return enforcement.grammar(grammar);
  return structuralTag == null ? {} : enforcement.structuralTag(structuralTag);
}

function openAiServer(enforcement: Enforcement): Omit<ServerDialect, 'tokenize' | 'spell'> {
  return {
    refused: { repeatLastN: notThere, dry: notThere, xtc: notThere },
    biasById: true,
    pictures: 'in-messages',
    describe: { path: '/v1/models', body: null, read: readModels },
    complete: (request, model) => {
      const { prompt, pictured } = request;
      const body = { ...named(model), ...completionBody(request), ...enforced(request, enforcement) };
      if (pictured == null || !('messages' in pictured))
        return {
          path: '/v1/completions',
          body: { ...body, prompt },
          read: pieceReader(request, readPiece, logprobsOf),
          failure: failureOf,
        };
      return {
        path: '/v1/chat/completions',
        body: { ...body, ...chatBody(pictured), ...enforcement.untouched },
        read: readDelta,
        failure: (answer) => failureOf(answer) ?? takenApart(answer),
      };
    },
  };
}

function chatBody({ messages, tools, variables }: Conversation): object {
  return {
    messages,
    ...(tools.length === 0 ? {} : { tools }),
    ...(Object.keys(variables).length === 0 ? {} : { chat_template_kwargs: variables }),
    stream_options: { include_usage: true, continuous_usage_stats: true },
  };
}

function readDelta(answer: unknown): CompletionPiece | null {
  const choice = choiceOf(answer);
  if (choice === null || !isRecord(choice.delta)) return null;
  const piece = readPiece({ choices: [{ ...choice, text: choice.delta.content ?? '' }] });
  const usage = isRecord(answer) && isRecord(answer.usage) ? answer.usage : {};
  return piece && { ...piece, promptTokens: readCount(usage.prompt_tokens) };
}

/** A response is read here; what a parser of the server has taken from it cannot be put back. */
function takenApart(answer: unknown): string | null {
  const delta = choiceOf(answer)?.delta;
  if (!isRecord(delta)) return null;
  const taken = ['reasoning_content', 'reasoning', 'tool_calls'].find(
    (name) => (delta[name] ?? null) !== null && [delta[name]].flat().join('') !== '',
  );
  if (taken === undefined) return null;
  return `it took ${taken} out of the response; start it without --reasoning-parser and --tool-call-parser`;
}

function named(model: string | null): object {
  return model === null ? {} : { model };
}

/** The first model is the one with which the server was started; others are its adapters. */
function readModels(answer: unknown): ServedModel | null {
  const models = isRecord(answer) ? answer.data : null;
  const [model] = Array.isArray(models) ? models : [];
  if (!isRecord(model)) return null;
  return {
    name: readText(model.id),
    contextSize: readCount(model.max_model_len),
    chatTemplate: null,
    toolUseTemplate: null,
    bosToken: null,
    eosToken: null,
    vision: null,
    isIdiolect: model.owned_by === 'idiolect',
  };
}

/** Less than any token that could be the likeliest one has. */
const leastTopP = 1e-6;

function completionBody({ stops, maxTokens, free, sampling, logprobs }: CompletionRequest): object {
  const { temperature, topK, topP, minP } = withDefaultSampling(sampling);
  return {
    stream: true,
    stream_options: { include_usage: false },
    ...(maxTokens === null ? {} : { max_tokens: maxTokens }),
    temperature,
    // Their value for "all of them".
    top_k: topK === 0 ? -1 : topK,
    // They refuse 0, which means the likeliest one alone.
    top_p: Math.max(topP, leastTopP),
    min_p: minP,
    stop: stops,
    skip_special_tokens: false,
    spaces_between_special_tokens: false,
    return_token_ids: true,
    ...(logprobs == null ? {} : { logprobs }),
    ...withoutUndefined({ seed: sampling.seed, cache_salt: sampling.cacheSalt, priority: sampling.priority }),
    ...(free ? freeSamplers(sampling) : {}),
  };
}

function freeSamplers(sampling: SamplingOptions): object {
  const { repeatPenalty, frequencyPenalty, presencePenalty, logitBias } = sampling;
  return withoutUndefined({
    repetition_penalty: repeatPenalty,
    frequency_penalty: frequencyPenalty,
    presence_penalty: presencePenalty,
    // The lowest bias of their API means never.
    logit_bias:
      logitBias &&
      Object.fromEntries(logitBias.map(([token, bias]) => [token, bias === false ? -100 : bias])),
  });
}

function logprobsOf(answer: unknown, top: number): readonly TokenLogprob[] {
  return readOpenAiLogprobs(choiceOf(answer)?.logprobs, top);
}

function choiceOf(answer: unknown): Readonly<Record<string, unknown>> | null {
  const choices = isRecord(answer) ? answer.choices : null;
  const [choice] = Array.isArray(choices) ? choices : [];
  return isRecord(choice) ? choice : null;
}

function readPiece(answer: unknown): CompletionPiece | null {
  const choice = choiceOf(answer);
  if (choice === null) return null;
  const text = readText(choice.text);
  if (text === null) return null;
  // Older servers do not return the tokens of a text.
  const tokens = Math.max(readTokens(choice.token_ids)?.length ?? 0, text === '' ? 0 : 1);
  // They report cached tokens after the last piece, which is not awaited.
  return { text, tokens, finish: readFinish(choice.finish_reason) };
}

/** Only these two end a response; `failureOf` reports the server's own problems. */
function readFinish(reason: unknown): CompletionPiece['finish'] {
  return reason === 'stop' || reason === 'length' ? reason : null;
}

/** `abort`, `error`, `content_filter`: the response ended, but neither the model nor `max_tokens` ended it. */
function failureOf(answer: unknown): string | null {
  const reason = choiceOf(answer)?.finish_reason;
  if (reason === null || reason === undefined || readFinish(reason) !== null) return null;
  return `it ended the response itself (finish_reason ${JSON.stringify(reason)})`;
}
