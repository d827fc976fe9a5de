/**
 * The law of the ends of generation, for one format and one way in which a model file marks its special tokens: a
 * response is whole, and one that ends early is a typed error wherever the request asks for more.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { LlamaModel } from 'node-llama-cpp';
import { writeModelFile } from '../../examples/support/small-models.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { DecodingError } from '../../src/format/errors.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import type { ResponseMessage } from '../../src/parser/events.ts';
import { GrammarCache } from '../../src/runtime/chat/grammar-cache.ts';
import { uint32Value, writeGguf } from '../../src/testing/gguf-writer.ts';
import { modelMetadata, tokenTexts } from '../../src/testing/tiny-model.ts';
import { lawTools } from './law-tools.ts';
import { readVocabulary, type Vocabulary } from './read-vocabulary.ts';
import { UnendedResponse, type WriterOptions, writeTokens } from './scripted-run.ts';
import { loadVocabulary, smallVocabulary } from './small-vocabulary.ts';
import { testLlama } from './test-models.ts';

const grammars = new GrammarCache();

const call = {
  id: 'call00001',
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city":"Bern"}' },
} as const;

/** A response of a format with one call, and the request that it answers. */
export interface LawResponse {
  readonly request: WriterOptions['request'];
  readonly text: string;
}

/** Responses of this format under which a call is demanded, and under which it may come. */
export function responsesOf(format: ChatFormat): readonly LawResponse[] {
  const { reasoning } = format;
  const thoughts = reasoning === null ? {} : { reasoning_content: 'Let me see.' };
  const message = { role: 'assistant', content: '', ...thoughts, tool_calls: [call] } as const;
  const written = writeResponse(format, message);
  return (['required', 'auto'] as const).flatMap((toolChoice) => {
    const request = { tools: lawTools, toolChoice, generationPrompt: format.turn.start } as const;
    const { grammar, matcher } = grammars.get(format, request);
    if (grammar.lazy) return [{ request, text: written }];
    const text = [written, written.trimStart()].find((each) => matcher?.allows(each) === true);
    return text === undefined ? [] : [{ request, text }];
  });
}

let files = 0;

/** A vocabulary in which up to three texts are the ends of a turn, of a message and of a sequence. */
export async function openVocabulary(
  controls: readonly string[],
  [turn, message, sequence]: readonly string[],
): Promise<{ readonly model: LlamaModel; readonly vocabulary: Vocabulary }> {
  const vocabulary = await loadVocabulary({ vocabulary: smallVocabulary, controls });
  const ids = new Map(tokenTexts(vocabulary).map((text, id) => [text, id]));
  const marked = new Map(vocabulary.metadata);
  for (const [key, text] of [
    ['eot', turn],
    ['eom', message],
    ['eos', sequence],
  ] as const) {
    if (text !== undefined) marked.set(`tokenizer.ggml.${key}_token_id`, uint32Value(ids.get(text) ?? -1));
  }
  const file = path.join(os.tmpdir(), `idiolect-ends-${process.pid}-${files++}.gguf`);
  const metadata = modelMetadata('llama', [], { vocabulary: { ...vocabulary, metadata: marked } });
  writeModelFile(file, writeGguf(metadata, []));
  const model = await (await testLlama()).loadModel({ modelPath: file, vocabOnly: true });
  fs.rmSync(file);
  return { model, vocabulary: readVocabulary(model, file) };
}

/** Every one, two and three of the special tokens. */
export function markings(texts: readonly string[]): readonly (readonly (readonly string[])[])[] {
  const after = (text: string) => texts.slice(texts.indexOf(text) + 1);
  const ones = texts.map((text) => [text]);
  const twos = ones.flatMap(([one = '']) => after(one).map((two) => [one, two]));
  const threes = twos.flatMap(([one = '', two = '']) => after(two).map((three) => [one, two, three]));
  return [ones, twos, threes];
}

/** Where a model may end early: at the markers, and within the thoughts, the name and the arguments. */
function earlyPlaces(text: string, marked: readonly string[]): readonly number[] {
  const markers = marked.flatMap((marker) => {
    const at = text.indexOf(marker);
    return at < 0 ? [] : [at, at + marker.length];
  });
  const within = ['t me', 'weather', 'ern'].map((words) => text.indexOf(words));
  return [...new Set([0, ...markers, ...within])].filter((at) => at >= 0 && at < text.length);
}

/** What is written, or `null` where the model cannot end so or is told that it did. */
function writtenUntil(options: WriterOptions): ResponseMessage | null {
  try {
    return writeTokens(options).message;
  } catch (error) {
    if (error instanceof DecodingError || error instanceof UnendedResponse) return null;
    throw error;
  }
}

/** Where the law does not hold for `format` in a file that marks `marked`; empty where it holds. */
export async function brokenEnds(format: ChatFormat, marked: readonly string[]): Promise<readonly string[]> {
  const ends = format.stops.map((stop) => stop.trimEnd());
  const controls = [...format.preservedTokens, ...ends, '<|really the end|>'];
  const { model, vocabulary } = await openVocabulary(controls, marked);
  try {
    const tokenOf = (text: string) => vocabulary.specials.get(text)?.token ?? 0;
    // llama.cpp takes the mark from the `<|end|>` of a vocabulary that has `<|return|>` and `<|call|>`.
    const ending = marked.filter((text) => vocabulary.endsGeneration(tokenOf(text)));
    const unmarked = marked.filter((text) => !ending.includes(text) && text !== '<|end|>');
    const lines = unmarked.map((text) => `${text} is not marked`);
    for (const response of responsesOf(format)) {
      const common = { model, vocabulary, format, ...response, special: true };
      const choose = (count: number) => count - 1;
      for (const inject of [true, false]) lines.push(...brokenWhole({ ...common, choose, inject }));
      const early = { ...common, choose, inject: false };
      for (const text of ending) lines.push(...brokenEarly(early, ending, tokenOf(text)));
    }
    return lines;
  } finally {
    await model.dispose();
  }
}

/** What is wrong with the whole response. */
function brokenWhole(options: WriterOptions): readonly string[] {
  const { message } = writeTokens(options);
  const { tool_calls: calls = [], malformed, reasoning_content: thoughts } = message;
  const isWhole =
    calls.length === 1 &&
    calls[0]?.function.name === 'get_weather' &&
    malformed === undefined &&
    (options.format.reasoning === null || thoughts?.trim() === 'Let me see.');
  return isWhole ? [] : [`${labelOf(options)}: ${JSON.stringify(message)}`];
}

/** What is wrong with the responses that end early at `end`. */
function brokenEarly(options: WriterOptions, ending: readonly string[], end: number): readonly string[] {
  return earlyPlaces(options.text, ending).flatMap((place) => {
    const text = options.text.slice(0, place);
    const left = writtenUntil({ ...options, text, end });
    if (left === null) return [];
    const calls = left.tool_calls ?? [];
    // Before a lazy grammar has begun, nothing keeps a model from ending inside the opener of a call.
    const isTold =
      left.malformed !== undefined && calls.length === 0 && options.request.toolChoice === 'auto';
    if (isTold) return [];
    const isWhole =
      left.malformed === undefined &&
      calls.every(({ function: { arguments: json } }) => isBern(json)) &&
      (options.request.toolChoice !== 'required' || calls.length === 1);
    const told = `${JSON.stringify(text)} and token ${end}: ${JSON.stringify(left)}`;
    return isWhole ? [] : [`${labelOf(options)}, ended after ${told}`];
  });
}

function isBern(json: string): boolean {
  const { city, ...others } = JSON.parse(json);
  return city === 'Bern' && Object.keys(others).length === 0;
}

function labelOf({ request, inject }: WriterOptions): string {
  return `${request.toolChoice}${inject ? ', injected' : ''}`;
}
