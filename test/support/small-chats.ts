/** Chat models of a few megabytes under Qwen3's template: with random weights, or with a script. */
import { tinyModelFile } from '../../examples/support/small-models.ts';
import { type ChatModel, type ChatOptions, loadModel } from '../../src/runtime/node-llama-cpp/index.ts';
import { readVocabulary } from '../../src/runtime/node-llama-cpp/vocabulary.ts';
import { llamaTemplate } from './corpora.ts';
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

async function promptLengths(turns: readonly ScriptedTurn[]): Promise<readonly number[]> {
  const model = await openTiny();
  const lengths = turns.map(({ request }) => model.preview(request).promptTokens);
  await model.dispose();
  return lengths;
}

async function encodePieces(turns: readonly ScriptedTurn[]): Promise<readonly (readonly number[])[]> {
  const llama = await testLlama();
  const model = await llama.loadModel({ modelPath: await tinyModelFile(tiny), vocabOnly: true });
  const tokens = readVocabulary(model, 'tiny');
  const encoded = turns.map(({ pieces }) =>
    pieces.flatMap((piece) => {
      const special = [...markers, ...controls].includes(piece) ? tokens.specials.get(piece) : undefined;
      return special === undefined ? tokens.encodePlain(piece) : [special.token];
    }),
  );
  await model.dispose();
  return encoded;
}
