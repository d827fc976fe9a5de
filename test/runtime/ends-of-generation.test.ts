/**
 * Model files mark tokens as ends of generation that a format has for markers: converters go by a token's name. A
 * response ends when its format and its grammar say so. Every format, each of its special tokens marked as the end
 * of a turn or of a message. All formats in the long variant.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadVocabulary, writeModelFile } from '../../examples/support/small-models.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { DecodingError } from '../../src/format/errors.ts';
import { writeResponse } from '../../src/format/write-response.ts';
import { GrammarCache } from '../../src/runtime/chat/grammar-cache.ts';
import { readVocabulary } from '../../src/runtime/node-llama-cpp/vocabulary.ts';
import { uint32Value, writeGguf } from '../../src/testing/gguf-writer.ts';
import { modelMetadata, tokenTexts } from '../../src/testing/tiny-model.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { lawTools } from '../support/law-tools.ts';
import { type WriterOptions, writeTokens } from '../support/scripted-run.ts';
import { testLlama } from '../support/test-models.ts';

const long = process.env.LAWS === 'long';
/** Formats that have markers in several roles are always tried. */
const always = ['openai-gpt-oss-120b', 'kimi-k3', 'upstage-solar-open-100b', 'google-gemma-4-31b-it'];
const formats = generatedFormats()
  .filter(({ format }) => format.calls !== null && format.preservedTokens.length > 0)
  .filter(({ name }, index) => long || index % 20 === 0 || always.includes(name));
const grammars = new GrammarCache();

const call = {
  id: 'call00001',
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city":"Bern"}' },
} as const;

/** Responses of this format, and the requests that they answer. */
function responsesOf(format: ChatFormat) {
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

/** A vocabulary in which `ends` are the ends of a turn and of a message. */
async function openVocabulary(controls: readonly string[], [turn, message]: readonly string[]) {
  const vocabulary = await loadVocabulary({ vocabulary: 'llama-spm', controls });
  const texts = tokenTexts(vocabulary);
  const marked = new Map(vocabulary.metadata);
  for (const [key, text] of [
    ['eot', turn],
    ['eom', message],
  ] as const) {
    if (text !== undefined) marked.set(`tokenizer.ggml.${key}_token_id`, uint32Value(texts.indexOf(text)));
  }
  const file = path.join(os.tmpdir(), `idiolect-ends-${process.pid}-${files++}.gguf`);
  const metadata = modelMetadata('llama', [], { vocabulary: { ...vocabulary, metadata: marked } });
  writeModelFile(file, writeGguf(metadata, []));
  const model = await (await testLlama()).loadModel({ modelPath: file, vocabOnly: true });
  fs.rmSync(file);
  return { model, vocabulary: readVocabulary(model, file) };
}

/** Each special token by itself, and each with the next one. */
function markings(texts: readonly string[]): readonly (readonly string[])[] {
  const pairs = texts.slice(1).map((text, index) => [texts[index] ?? '', text]);
  return [...texts.map((text) => [text]), ...pairs].filter((_, index) => long || index % 2 === 0);
}

describe.each(formats)('$name', ({ format }) => {
  const ends = format.stops.map((stop) => stop.trimEnd());
  const controls = [...new Set([...format.preservedTokens, ...ends, '<|really the end|>'])];
  it.each(markings(format.preservedTokens))('%s %s', async (...marked) => {
    const texts = marked.filter((text) => typeof text === 'string');
    const { model, vocabulary } = await openVocabulary(controls, texts);
    const tokenOf = (text: string) => vocabulary.specials.get(text)?.token ?? vocabulary.token(0);
    expect(texts.map((text) => vocabulary.endsGeneration(tokenOf(text)))).toEqual(texts.map(() => true));
    for (const { request, text } of responsesOf(format)) {
      for (const inject of [true, false]) {
        const options: WriterOptions = {
          model,
          vocabulary,
          format,
          request,
          text,
          choose: (count) => count - 1,
          special: true,
          inject,
        };
        const { message } = writeTokens(options);
        expect(message.tool_calls?.map(({ function: { name } }) => name)).toEqual(['get_weather']);
        expect(message.malformed).toBeUndefined();
        if (format.reasoning !== null) expect(message.reasoning_content?.trim()).toBe('Let me see.');
      }
    }
    await model.dispose();
  });
});

describe('an end of generation that is none of the markers', () => {
  it('is an error where a call is demanded', async () => {
    const [gptOss] = formats.filter(({ name }) => name === 'openai-gpt-oss-120b');
    if (gptOss === undefined) throw new Error('there is no such format');
    const { format } = gptOss;
    const { model, vocabulary } = await openVocabulary(
      [...format.preservedTokens, ...format.stops],
      ['<|end|>', '<|return|>'],
    );
    const end = vocabulary.specials.get('<|return|>')?.token;
    if (end === undefined) throw new Error('there is no such token');
    const request = { tools: lawTools, toolChoice: 'required', generationPrompt: format.turn.start } as const;
    const text = '<|channel|>analysis<|message|>I think';
    const options = {
      model,
      vocabulary,
      format,
      request,
      text,
      choose: () => 0,
      special: true,
      inject: true,
    };
    expect(() => writeTokens({ ...options, end })).toThrow(DecodingError);
    await model.dispose();
  });
});

describe("a call's opener in the prose of an answer", () => {
  it('begins no call where the parser has called it text', async () => {
    const gptOss = formats.find(({ name }) => name === 'openai-gpt-oss-120b');
    if (gptOss === undefined) throw new Error('there is no such format');
    const { format } = gptOss;
    const { model, vocabulary } = await openVocabulary([...format.preservedTokens, ...format.stops], []);
    const request = { tools: lawTools, toolChoice: 'auto', generationPrompt: format.turn.start } as const;
    const prose = 'Write to=functions.get_weather, then its arguments.';
    const text = `<|channel|>final<|message|>${prose}`;
    for (const choose of [() => 0, (count: number) => count - 1]) {
      const options = { model, vocabulary, format, request, text, choose, special: true, inject: true };
      const { message, injected } = writeTokens(options);
      expect(message).toEqual({ role: 'assistant', content: prose });
      expect(injected).toBe(0);
    }
    await model.dispose();
  });
});
