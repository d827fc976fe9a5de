/** Chat models of a few megabytes under Qwen3's template: with random weights, or with a script. */
import type { LlamaModel } from 'node-llama-cpp';
import { tinyModelFile } from '../../examples/support/small-models.ts';
import { type ChatModel, type ChatOptions, loadModel } from '../../src/runtime/node-llama-cpp/index.ts';
import { llamaTemplate } from './corpora.ts';
import { readVocabulary, type Vocabulary } from './read-vocabulary.ts';
import { scriptedModelFile, testLlama } from './test-models.ts';

const markers = ['<think>', '</think>', '<tool_call>', '</tool_call>'];
const controls = ['<|im_start|>', '<|im_end|>'];

export const vocabulary = 'llama-spm';
export const { source: chatTemplate } = await llamaTemplate('Qwen-Qwen3-0.6B');

const tiny = { vocabulary, markers, controls, chatTemplate };

/** A model with random weights. */
export async function openTiny(
  options: { readonly sequences?: number; readonly contextSize?: number } = {},
): Promise<ChatModel> {
  return loadModel(await tinyModelFile(tiny), {
    llama: await testLlama(),
    threads: 1,
    contextSize: 4096,
    ...options,
  });
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

/** The model of such a file. */
export async function openScriptedChat(turns: readonly ScriptedTurn[]): Promise<ChatModel> {
  const file = await scriptedChatFile(turns);
  return loadModel(file, { llama: await testLlama(), threads: 1, contextSize: 4096 });
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

/** The model of such a file. */
export async function openKeyedChat(
  turns: readonly KeyedTurn[],
  options: { readonly sequences?: number } = {},
): Promise<ChatModel> {
  const file = await keyedChatFile(turns);
  return loadModel(file, { llama: await testLlama(), threads: 1, contextSize: 4096, ...options });
}

// To open a model costs more than most tests do, and these two only tokenize: one of each serves the whole process.
let asked: Promise<ChatModel> | undefined;
let tokens: ReturnType<typeof loadTokens> | undefined;

async function promptLengths(turns: readonly ScriptedTurn[]): Promise<readonly number[]> {
  asked ??= openTiny();
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
