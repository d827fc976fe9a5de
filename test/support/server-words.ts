/**
 * What an inference server says, in the words of llama-server or of vLLM and SGLang, whatever evaluates its model. That
 * it speaks as `llama-server` does is checked against recorded answers of that (`llama-exchanges.ts`).
 */
import type { StructuralTag } from '../../src/grammar/structural-tag/structural-tag.ts';
import type { ServerKind } from '../../src/servers/index.ts';
import { tagGrammar } from './tag-grammar.ts';

/** What a server is sent. */
export type Body = Readonly<Record<string, unknown>>;

/** What a completion asks for, in either dialect. */
export interface Completion {
  readonly prompt: readonly number[];
  readonly grammar: string | undefined;
  readonly stops: readonly string[];
  readonly maxTokens: number;
  /** Likeliest tokens to tell with each token's probability. */
  readonly probabilities: number | undefined;
  readonly body: Body;
}

/** A token, and how likely it was and others, if that was asked for. */
export interface ServedToken {
  readonly token: number;
  readonly confidence?: number;
  readonly probabilities?: ReadonlyMap<number, number>;
}

/** A model as a server has it. */
export interface ServedModel {
  readonly contextSize: number;
  readonly chatTemplate: string | undefined;
  readonly bosToken: string;
  readonly eosToken: string;
  /** The token that is put before every prompt; `null` if there is none. */
  readonly firstToken: number | null;
  tokenize(text: string, special: boolean): readonly number[];
  /** A token's text as tokenizers tell it. */
  spell(token: number): string;
  /** A token's text with the blank that it begins with, or its bytes where they are none. */
  pieceOf(token: number): string | readonly number[];
  /** The text of tokens after others; half a character is U+FFFD. */
  textOf(tokens: readonly number[], after: readonly number[]): string;
  /** What is drawn, up to an end of generation, which is not part of it. */
  draw(completion: Completion): AsyncIterable<ServedToken>;
}

/** The answer to anything but a completion; `null` for that. */
export function plainAnswer(
  kind: ServerKind,
  model: ServedModel,
  path: string,
  body: Body,
  version: string | undefined,
): object | null {
  return kind === 'llama-server' ? llamaAnswer(model, path, body) : openAiAnswer(model, path, body, version);
}

function llamaAnswer(model: ServedModel, path: string, body: Body): object | null {
  if (path === '/props') {
    return {
      default_generation_settings: { n_ctx: model.contextSize },
      chat_template: model.chatTemplate,
      bos_token: model.bosToken,
      eos_token: model.eosToken,
    };
  }
  if (path !== '/tokenize') return null;
  const begins = body.add_special === true && model.firstToken !== null ? [model.firstToken] : [];
  const tokens = [...begins, ...model.tokenize(String(body.content), body.parse_special === true)];
  if (body.with_pieces !== true) return { tokens };
  return { tokens: tokens.map((id) => ({ id, piece: model.pieceOf(id) })) };
}

function openAiAnswer(
  model: ServedModel,
  path: string,
  body: Body,
  version: string | undefined,
): object | null {
  if (path === '/version' || path === '/get_server_info') return { version };
  if (path === '/v1/models') return { data: [{ id: 'served', max_model_len: model.contextSize }] };
  const spell = (id: number): string => model.spell(id);
  if (path === '/detokenize') return { text: (body.tokens as readonly [number][]).map(([id]) => spell(id)) };
  if (path !== '/tokenize') return null;
  const tokens = model.tokenize(String(body.prompt), true);
  return body.return_token_strs === true ? { tokens, token_strs: tokens.map(spell) } : { tokens };
}

/** Reads a request for a completion. */
export function readCompletion(kind: ServerKind, body: Body): Completion {
  const outputs = body.structured_outputs as { grammar?: string; structural_tag?: string } | undefined;
  const spelled = outputs?.structural_tag;
  const tag = (spelled === undefined ? body.response_format : JSON.parse(spelled)) as
    | StructuralTag
    | undefined;
  const plain = { 'llama-server': body.grammar, vllm: outputs?.grammar, sglang: body.ebnf }[kind];
  const grammar = tag === undefined ? plain : tagGrammar(tag);
  return {
    prompt: body.prompt as readonly number[],
    grammar: grammar as string | undefined,
    stops: body.stop as readonly string[],
    maxTokens: Number(kind === 'llama-server' ? body.n_predict : body.max_tokens),
    probabilities: (kind === 'llama-server' ? body.n_probs : body.logprobs) as number | undefined,
    body,
  };
}

/** The server-sent events of a completion, one after each token. */
export async function* completionEvents(
  kind: ServerKind,
  model: ServedModel,
  completion: Completion,
): AsyncGenerator<string, void> {
  const { prompt, stops, maxTokens, probabilities } = completion;
  let told: readonly ServedToken[] = [];
  const event = (text: string, finish: 'stop' | 'length' | null, stopType = 'eos'): string => {
    const last = finish === null ? {} : { stop_type: finish === 'length' ? 'limit' : stopType };
    const likely = tellProbabilities(model, told, probabilities);
    const llama = { content: text, stop: finish !== null, ...last, ...likely.llama };
    const openAi = {
      choices: [{ text, finish_reason: finish, token_ids: text === '' ? [] : [0], ...likely.openAi }],
    };
    told = [];
    return `data: ${JSON.stringify(kind === 'llama-server' ? llama : openAi)}\n\n`;
  };
  const done = 'data: [DONE]\n\n';
  const written: number[] = [];
  let shown = '';
  for await (const drawn of model.draw(completion)) {
    told = [...told, drawn];
    written.push(drawn.token);
    const text = model.textOf(written, prompt);
    const stop = stops.find((each) => text.includes(each));
    const whole = text.slice(0, stop === undefined ? endBeforeStop(text, stops) : text.indexOf(stop));
    // Half a character is kept back until it is whole.
    if (!whole.endsWith('\u{FFFD}')) {
      yield event(whole.slice(shown.length), null);
      shown = whole;
    }
    const isFull = written.length >= maxTokens;
    if (stop === undefined && !isFull) continue;
    yield stop === undefined ? event('', 'length') : event('', 'stop', 'word');
    return yield done;
  }
  yield event('', 'stop');
  yield done;
}

/** What each dialect says of the tokens of a piece. */
function tellProbabilities(
  model: ServedModel,
  drawn: readonly ServedToken[],
  top: number | undefined,
): { readonly llama: object; readonly openAi: object } {
  if (top === undefined || drawn.length === 0) return { llama: {}, openAi: {} };
  const likely = ([id, probability]: readonly [number, number]) => {
    const piece = model.pieceOf(id);
    const bytes = typeof piece === 'string' ? [...Buffer.from(piece)] : piece;
    return { id, token: Buffer.from(bytes).toString(), bytes, logprob: Math.log(probability) };
  };
  const tokens = drawn.map(({ token, confidence = 1, probabilities = new Map() }) => {
    const tops = [...probabilities].slice(0, top).map(likely);
    return { ...likely([token, confidence]), top_logprobs: tops.filter(({ logprob }) => logprob > -1e9) };
  });
  return {
    llama: { completion_probabilities: tokens },
    openAi: {
      logprobs: {
        tokens: tokens.map(({ token }) => token),
        token_logprobs: tokens.map(({ logprob }) => logprob),
        top_logprobs: tokens.map(({ token, logprob, top_logprobs: tops }) => ({
          ...Object.fromEntries(tops.map((each) => [each.token, each.logprob])),
          [token]: logprob,
        })),
      },
    },
  };
}

/** Where a stop may have begun that is not whole yet. */
function endBeforeStop(text: string, stops: readonly string[]): number {
  const begun = Array.from(text, (_, at) => at).find((at) =>
    stops.some((stop) => stop.startsWith(text.slice(at))),
  );
  return begun ?? text.length;
}
