/** Chat models of a few megabytes under Qwen3's template: with random weights, or with a script. */
import type { LlamaModel } from 'node-llama-cpp';
import { connectEngine, type EngineModel } from '../../src/runtime/engine/index.ts';
import { type ChatModel, type ChatOptions, loadModel } from '../../src/runtime/node-llama-cpp/index.ts';
import { type ScriptedEngineOptions, scriptedEngine, tinyEngine } from '../../src/testing/index.ts';
import { llamaTemplate } from './corpora.ts';
import { readVocabulary, type Vocabulary } from './read-vocabulary.ts';
import { tinyModelFile } from './small-vocabulary.ts';
import { scriptedModelFile, testLlama } from './test-models.ts';

const markers = ['<think>', '</think>', '<tool_call>', '</tool_call>'];
const controls = ['<|im_start|>', '<|im_end|>'];

export const vocabulary = 'llama-spm';
export const { source: chatTemplate } = await llamaTemplate('Qwen-Qwen3-0.6B');

const tiny = { vocabulary, markers, controls, chatTemplate };

/**
 * The engine of these models: plain JavaScript, which starts at once and needs no file; or node-llama-cpp, with
 * `ENGINE=node-llama-cpp`. That both do the same is a law (engines-agree.test.ts). What needs one of them says so.
 */
const onLlama = process.env.ENGINE === 'node-llama-cpp';

interface ChatSize {
  readonly sequences?: number;
  readonly contextSize?: number;
}

const contextSize = 4096;
const inJavaScript = { chatTemplate, markers, controls, end: '<|im_end|>', contextSize };

/** A model with random weights. */
export async function openTiny(options: ChatSize = {}): Promise<EngineModel> {
  if (onLlama) return openLlamaTiny(options);
  return connectEngine(tinyEngine({ ...inJavaScript, ...withoutSequences(options) }));
}

/** A model with random weights, on node-llama-cpp. */
export async function openLlamaTiny(options: ChatSize = {}): Promise<ChatModel> {
  return loadModel(await tinyModelFile(tiny), {
    llama: await testLlama(),
    threads: 1,
    contextSize,
    ...options,
  });
}

/** In JavaScript, any number of chats run at the same time. */
function withoutSequences({ sequences: _, ...options }: ChatSize): ChatSize {
  return options;
}

/** What a scripted model answers to one request: pieces of text, each marker a piece of its own. */
export interface ScriptedTurn {
  readonly request: ChatOptions;
  readonly pieces: readonly string[];
}

/** A model file that answers each of `turns`, whose prompts have to grow. */
export async function scriptedChatFile(turns: readonly ScriptedTurn[]): Promise<string> {
  const lengths = await promptLengths(turns);
  const [promptLength = 0] = lengths;
  const pieces = await encodePieces(turns);
  const script: number[] = [];
  pieces.forEach((tokens, turn) => {
    const start = (lengths[turn] ?? 0) - promptLength;
    if (start < script.length) throw new RangeError('the prompts of a script have to grow');
    while (script.length < start) script.push(tokens[0] ?? 0);
    script.push(...tokens);
  });
  return scriptedModelFile({ ...tiny, script, promptLength });
}

/** A model that answers each of `turns`. */
export async function openScriptedChat(turns: readonly ScriptedTurn[]): Promise<EngineModel> {
  if (onLlama) return openLlamaScriptedChat(turns);
  const [first] = turns;
  if (first !== undefined && turns.length === 1) return openRepeatedAnswer(first.pieces);
  asker ??= openTiny();
  const model = await asker;
  return openScript(
    turns.map(({ request, pieces }) => ({ after: model.preview(request).prompt, script: pieces })),
  );
}

/** A model that answers the same to everything. It is in JavaScript: the script of a file is written once. */
export function openRepeatedAnswer(pieces: readonly string[]): Promise<EngineModel> {
  return openScript([{ after: '', script: pieces }]);
}

/** The model of such a file, on node-llama-cpp. */
export async function openLlamaScriptedChat(turns: readonly ScriptedTurn[]): Promise<ChatModel> {
  const file = await scriptedChatFile(turns);
  return loadModel(file, { llama: await testLlama(), threads: 1, contextSize });
}

function openScript(turns: ScriptedEngineOptions['turns']): Promise<EngineModel> {
  return connectEngine(scriptedEngine({ ...inJavaScript, turns }));
}

/** What the model answers wherever the conversation comes to this. */
export interface KeyedTurn {
  /** The end of the last message as the prompt has it, from a marker on: `<|im_start|>user\nHow warm is it?`. */
  readonly after: string;
  readonly pieces: readonly string[];
}

/** A model file that follows the conversation, and ends its turn where nothing fits. */
export async function keyedChatFile(turns: readonly KeyedTurn[]): Promise<string> {
  const pieces = await encodePieces(turns);
  const { tokenizer } = await tinyTokens();
  const encode = (text: string) => tokenizer.tokenize(text, true);
  const keyed = turns.map(({ after }, turn) => ({
    after: encode(`${after}<|im_end|>\n<|im_start|>assistant\n`),
    script: pieces[turn] ?? [],
  }));
  const [otherwise = 0] = encode('<|im_end|>');
  return scriptedModelFile({ ...tiny, turns: keyed, otherwise });
}

/** A model that follows the conversation, and ends its turn where nothing fits. */
export async function openKeyedChat(
  turns: readonly KeyedTurn[],
  options: ChatSize = {},
): Promise<EngineModel> {
  if (onLlama) return openLlamaKeyedChat(turns, options);
  return openScript(turns.map(({ after, pieces }) => ({ after: `${after}<|im_end|>`, script: pieces })));
}

/** The model of such a file, on node-llama-cpp. */
export async function openLlamaKeyedChat(
  turns: readonly KeyedTurn[],
  options: ChatSize = {},
): Promise<ChatModel> {
  const file = await keyedChatFile(turns);
  return loadModel(file, { llama: await testLlama(), threads: 1, contextSize, ...options });
}

// To open a model costs more than most tests do, and these only tokenize: one of each serves the whole process.
let asker: Promise<EngineModel> | undefined;
let asked: Promise<ChatModel> | undefined;
let tokens: ReturnType<typeof loadTokens> | undefined;

async function promptLengths(turns: readonly ScriptedTurn[]): Promise<readonly number[]> {
  asked ??= openLlamaTiny();
  const model = await asked;
  return turns.map(({ request }) => model.preview(request).promptTokens);
}

async function loadTokens(): Promise<{ readonly tokenizer: LlamaModel; readonly vocabulary: Vocabulary }> {
  const llama = await testLlama();
  const tokenizer = await llama.loadModel({ modelPath: await tinyModelFile(tiny), vocabOnly: true });
  return { tokenizer, vocabulary: readVocabulary(tokenizer, 'tiny') };
}

function tinyTokens(): ReturnType<typeof loadTokens> {
  tokens ??= loadTokens();
  return tokens;
}

async function encodePieces(
  turns: readonly Pick<ScriptedTurn, 'pieces'>[],
): Promise<readonly (readonly number[])[]> {
  const { vocabulary } = await tinyTokens();
  return turns.map(({ pieces }) =>
    pieces.flatMap((piece) => {
      const special = [...markers, ...controls].includes(piece) ? vocabulary.specials.get(piece) : undefined;
      return special === undefined ? vocabulary.encodePlain(piece) : [special.token];
    }),
  );
}
