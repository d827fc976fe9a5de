/**
 * An inference server on this machine, in the words of llama-server or of vLLM and SGLang (`server-words.ts`), with
 * node-llama-cpp after it: what it writes under a grammar, llama.cpp's own engine has checked token by token.
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
import type { ServerKind } from '../../src/servers/index.ts';
import { readVocabulary } from './read-vocabulary.ts';
import {
  type Body,
  type Completion,
  completionEvents,
  plainAnswer,
  readCompletion,
  type ServedModel,
  type ServedToken,
} from './server-words.ts';
import { testLlama } from './test-models.ts';

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

/** Versions that take structural tags. */
const versions: Readonly<Record<string, string>> = { vllm: '0.12.0', sglang: '0.5.6.post1' };
const contextSize = 2048;

/** Serves the model in `file`. */
export async function serveModel(
  file: string,
  kind: ServerKind,
  version = versions[kind],
): Promise<ModelServer> {
  const llama = await testLlama();
  const model = await llama.loadModel({ modelPath: file });
  const context = await model.createContext({ contextSize, sequences: 1, threads: 1 });
  const served = servedModel(model, context.getSequence());
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
    const plain = plainAnswer(kind, served, path, body, version);
    if (plain !== null) return void response.end(JSON.stringify(plain));
    // One sequence, one completion at a time.
    const turn = state.running.then(() => complete(kind, served, readCompletion(kind, body), response));
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

/** Writes the completion's events; whether the client left before the end. */
async function complete(
  kind: ServerKind,
  model: ServedModel,
  completion: Completion,
  response: ServerResponse,
): Promise<boolean> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for await (const event of completionEvents(kind, model, completion)) {
    if (response.destroyed) return true;
    response.write(event);
  }
  response.end();
  return false;
}

/** A model of node-llama-cpp as a server has it. */
function servedModel(model: LlamaModel, sequence: LlamaContextSequence): ServedModel {
  const { bos, bosString, eosString, shouldPrependBosToken } = model.tokens;
  const vocabulary = readVocabulary(model, 'served');
  return {
    contextSize,
    chatTemplate: model.fileInfo.metadata.tokenizer.chat_template,
    bosToken: bosString ?? '',
    eosToken: eosString ?? '',
    firstToken: shouldPrependBosToken ? bos : null,
    tokenize: (text, special) => model.tokenize(text, special),
    spell: (token) => model.detokenize([token as Token], true),
    pieceOf(token) {
      const id = token as Token;
      if (model.getTokenAttributes(id).control) return model.detokenize([id], true);
      const bytes = vocabulary.bytesOf(token);
      const text = new TextDecoder().decode(bytes);
      return text.includes('\u{FFFD}') ? [...bytes] : text;
    },
    textOf: (tokens, after) => model.detokenize(tokens as readonly Token[], true, after as readonly Token[]),
    draw: (completion) => draw(model, sequence, completion),
  };
}

async function* draw(
  model: LlamaModel,
  sequence: LlamaContextSequence,
  { prompt, grammar, probabilities, body }: Completion,
): AsyncGenerator<ServedToken, void> {
  const grammarEvaluationState =
    grammar === undefined
      ? undefined
      : new LlamaGrammarEvaluationState({
          model,
          grammar: new LlamaGrammar(await testLlama(), { grammar }),
        });
  await sequence.clearHistory();
  const options = {
    temperature: Number(body.temperature),
    topK: Number(body.top_k),
    seed: Number(body.seed ?? 0),
    ...(grammarEvaluationState === undefined ? {} : { grammarEvaluationState }),
  };
  const metadata = { confidence: probabilities !== undefined, probabilities: probabilities !== undefined };
  for await (const drawn of sequence.evaluateWithMetadata(prompt as Token[], metadata, options)) {
    if (model.isEogToken(drawn.token)) return;
    yield drawn;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
