/**
 * An inference server on this machine, in the words of llama-server or of vLLM and SGLang, with node-llama-cpp
 * after it: what it writes under a grammar, llama.cpp's own engine has checked token by token. That it speaks as
 * `llama-server` does is checked against recorded answers of that (`llama-exchanges.ts`).
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import {
  type LlamaContextSequence,
  LlamaGrammar,
  LlamaGrammarEvaluationState,
  type LlamaModel,
  type Token,
} from 'node-llama-cpp';
import type { StructuralTag } from '../../src/grammar/structural-tag/structural-tag.ts';
import { readVocabulary, type Vocabulary } from './read-vocabulary.ts';
import { tagGrammar } from './tag-grammar.ts';
import { testLlama } from './test-models.ts';

type Body = Readonly<Record<string, unknown>>;

/** A request that came. */
export interface ServedRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: Body;
}

export interface ModelServer {
  readonly url: string;
  readonly requests: readonly ServedRequest[];
  /** Completions that the client left before their end. */
  readonly left: number;
  readonly model: LlamaModel;
  /** Answers the next request to `path` itself. */
  answerNext(path: string, answer: (response: ServerResponse) => void): void;
  close(): Promise<void>;
}

/** What a completion asks for, in either dialect. */
interface Completion {
  readonly prompt: readonly Token[];
  readonly grammar: string | undefined;
  readonly stops: readonly string[];
  readonly maxTokens: number;
  /** Likeliest tokens to tell with each token's probability. */
  readonly probabilities: number | undefined;
  readonly body: Body;
}

/** Versions that take structural tags. */
const versions: Readonly<Record<string, string>> = { vllm: '0.12.0', sglang: '0.5.6.post1' };

/** Serves the model in `file`. */
export async function serveModel(
  file: string,
  kind: 'llama-server' | 'vllm' | 'sglang',
  version = versions[kind],
): Promise<ModelServer> {
  const llama = await testLlama();
  const model = await llama.loadModel({ modelPath: file });
  const context = await model.createContext({ contextSize: 2048, sequences: 1, threads: 1 });
  const sequence = context.getSequence();
  const requests: ServedRequest[] = [];
  const answers = new Map<string, (response: ServerResponse) => void>();
  const state = { left: 0, running: Promise.resolve() };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url: path = '', headers } = request;
    const sent = await readAll(request);
    const body: Body = sent === '' ? {} : JSON.parse(sent);
    requests.push({ path, authorization: headers.authorization, body });
    const own = answers.get(path);
    answers.delete(path);
    if (own !== undefined) return own(response);
    const plain =
      kind === 'llama-server' ? llamaAnswer(model, path, body) : openAiAnswer(model, path, body, version);
    if (plain !== null) return void response.end(JSON.stringify(plain));
    // One sequence, one completion at a time.
    const turn = state.running.then(() =>
      complete(model, sequence, readCompletion(kind, body), response, kind),
    );
    state.running = turn.then(
      (left) => {
        if (left) state.left += 1;
      },
      (error) => void response.destroy(error),
    );
    return state.running;
  };
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    model,
    get left() {
      return state.left;
    },
    answerNext: (path, answer) => void answers.set(path, answer),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await state.running;
      await model.dispose();
    },
  };
}

function llamaAnswer(model: LlamaModel, path: string, body: Body): object | null {
  if (path === '/props') {
    return {
      default_generation_settings: { n_ctx: 2048 },
      chat_template: model.fileInfo.metadata.tokenizer.chat_template,
      bos_token: model.tokens.bosString ?? '',
      eos_token: model.tokens.eosString ?? '',
    };
  }
  if (path !== '/tokenize') return null;
  const { bos, shouldPrependBosToken } = model.tokens;
  const begins = body.add_special === true && shouldPrependBosToken ? [bos] : [];
  const tokens = [...begins, ...model.tokenize(String(body.content), body.parse_special === true)];
  if (body.with_pieces !== true) return { tokens };
  return { tokens: tokens.map((id) => ({ id, piece: id === null ? '' : pieceOf(model, id) })) };
}

const vocabularies = new WeakMap<LlamaModel, Vocabulary>();

/** A token's text with the blank that it begins with, or its bytes where they are none. */
function pieceOf(model: LlamaModel, id: Token): string | readonly number[] {
  const vocabulary = vocabularies.get(model) ?? readVocabulary(model, 'served');
  vocabularies.set(model, vocabulary);
  if (model.getTokenAttributes(id).control) return model.detokenize([id], true);
  const bytes = vocabulary.bytesOf(id);
  const text = new TextDecoder().decode(bytes);
  return text.includes('\u{FFFD}') ? [...bytes] : text;
}

function openAiAnswer(
  model: LlamaModel,
  path: string,
  body: Body,
  version: string | undefined,
): object | null {
  if (path === '/version' || path === '/get_server_info') return { version };
  if (path === '/v1/models') return { data: [{ id: 'served', max_model_len: 2048 }] };
  const spell = (id: Token): string => model.detokenize([id], true);
  if (path === '/detokenize') return { text: (body.tokens as readonly [Token][]).map(([id]) => spell(id)) };
  if (path !== '/tokenize') return null;
  const tokens = model.tokenize(String(body.prompt), true);
  return body.return_token_strs === true ? { tokens, token_strs: tokens.map(spell) } : { tokens };
}

function readCompletion(kind: string, body: Body): Completion {
  const outputs = body.structured_outputs as { grammar?: string; structural_tag?: string } | undefined;
  const spelled = outputs?.structural_tag;
  const tag = (spelled === undefined ? body.response_format : JSON.parse(spelled)) as
    | StructuralTag
    | undefined;
  const plain = { 'llama-server': body.grammar, vllm: outputs?.grammar, sglang: body.ebnf }[kind];
  const grammar = tag === undefined ? plain : tagGrammar(tag);
  return {
    prompt: body.prompt as readonly Token[],
    grammar: grammar as string | undefined,
    stops: body.stop as readonly string[],
    maxTokens: Number(kind === 'llama-server' ? body.n_predict : body.max_tokens),
    probabilities: (kind === 'llama-server' ? body.n_probs : body.logprobs) as number | undefined,
    body,
  };
}

/** Writes the completion's events; whether the client left before the end. */
async function complete(
  model: LlamaModel,
  sequence: LlamaContextSequence,
  { prompt, grammar, stops, maxTokens, probabilities, body }: Completion,
  response: ServerResponse,
  kind: string,
): Promise<boolean> {
  let told: readonly DrawnToken[] = [];
  const write = (text: string, finish: 'stop' | 'length' | null, stopType = 'eos'): void => {
    const last = finish === null ? {} : { stop_type: finish === 'length' ? 'limit' : stopType };
    const likely = tellProbabilities(model, told, probabilities);
    const llama = { content: text, stop: finish !== null, ...last, ...likely.llama };
    const openAi = {
      choices: [{ text, finish_reason: finish, token_ids: text === '' ? [] : [0], ...likely.openAi }],
    };
    told = [];
    response.write(`data: ${JSON.stringify(kind === 'llama-server' ? llama : openAi)}\n\n`);
  };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const grammarEvaluationState =
    grammar === undefined
      ? undefined
      : new LlamaGrammarEvaluationState({
          model,
          grammar: new LlamaGrammar(await testLlama(), { grammar }),
        });
  await sequence.clearHistory();
  const written: Token[] = [];
  let shown = '';
  const options = {
    temperature: Number(body.temperature),
    topK: Number(body.top_k),
    seed: Number(body.seed ?? 0),
    ...(grammarEvaluationState === undefined ? {} : { grammarEvaluationState }),
  };
  const metadata = { confidence: probabilities !== undefined, probabilities: probabilities !== undefined };
  for await (const drawn of sequence.evaluateWithMetadata([...prompt], metadata, options)) {
    const { token } = drawn;
    if (response.destroyed) return true;
    if (model.isEogToken(token)) break;
    told = [...told, drawn];
    written.push(token);
    const text = model.detokenize(written, true, prompt);
    const stop = stops.find((each) => text.includes(each));
    const whole = text.slice(0, stop === undefined ? endBeforeStop(text, stops) : text.indexOf(stop));
    // Half a character is kept back until it is whole.
    if (!whole.endsWith('\u{FFFD}')) {
      write(whole.slice(shown.length), null);
      shown = whole;
    }
    if (stop !== undefined) {
      write('', 'stop', 'word');
      response.end('data: [DONE]\n\n');
      return false;
    }
    if (written.length >= maxTokens) {
      write('', 'length');
      response.end('data: [DONE]\n\n');
      return false;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  write('', 'stop');
  response.end('data: [DONE]\n\n');
  return false;
}

interface DrawnToken {
  readonly token: Token;
  readonly confidence?: number;
  readonly probabilities?: ReadonlyMap<Token, number>;
}

/** What each dialect says of the tokens of a piece. */
function tellProbabilities(
  model: LlamaModel,
  drawn: readonly DrawnToken[],
  top: number | undefined,
): { readonly llama: object; readonly openAi: object } {
  if (top === undefined || drawn.length === 0) return { llama: {}, openAi: {} };
  const likely = ([id, probability]: readonly [Token, number]) => {
    const piece = pieceOf(model, id);
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
