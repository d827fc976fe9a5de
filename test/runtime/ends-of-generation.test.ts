/**
 * Model files mark tokens as ends of generation that a format has for markers: converters go by a token's name. A
 * response ends when its format and its grammar say so. Every format, its special tokens marked as ends in every way
 * in which a file can (`eos`, `eot`, `eom`): a response is whole, and one that ends early is a typed error wherever
 * the request asks for more. A sample of formats and markings; all of them in the long variant.
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
import { UnendedResponse, type WriterOptions, writeTokens } from '../support/scripted-run.ts';
import { testLlama } from '../support/test-models.ts';

const long = process.env.LAWS === 'long';
/** One of so many formats is tried without the long variant. */
const stride = 20;
/** Formats that have markers in several roles are always tried. */
const always = ['openai-gpt-oss-120b', 'kimi-k3', 'upstage-solar-open-100b', 'google-gemma-4-31b-it'];
const formats = generatedFormats()
  .filter(({ format }) => format.calls !== null && format.preservedTokens.length > 0)
  .filter(({ name }, index) => long || index % stride === 1 || always.includes(name));
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

/** A vocabulary in which up to three texts are the ends of a turn, of a message and of a sequence. */
async function openVocabulary(controls: readonly string[], [turn, message, sequence]: readonly string[]) {
  const vocabulary = await loadVocabulary({ vocabulary: 'llama-spm', controls });
  const texts = tokenTexts(vocabulary);
  const marked = new Map(vocabulary.metadata);
  for (const [key, text] of [
    ['eot', turn],
    ['eom', message],
    ['eos', sequence],
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

/** Every one, two or three of the special tokens; without the long variant, one of each length. */
function markings(texts: readonly string[]): readonly { readonly marked: readonly string[] }[] {
  const after = (text: string) => texts.slice(texts.indexOf(text) + 1);
  const ones = texts.map((text) => [text]);
  const twos = ones.flatMap(([one = '']) => after(one).map((two) => [one, two]));
  const threes = twos.flatMap(([one = '', two = '']) => after(two).map((three) => [one, two, three]));
  const all = [ones, twos, threes];
  if (long) return all.flat().map((marked) => ({ marked }));
  // The second of each, or the only one.
  return all.flatMap((some) => some.slice(0, 2).slice(-1)).map((marked) => ({ marked }));
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
function writtenUntil(options: WriterOptions) {
  try {
    return writeTokens(options).message;
  } catch (error) {
    if (error instanceof DecodingError || error instanceof UnendedResponse) return null;
    throw error;
  }
}

describe.each(formats)('$name', ({ format }) => {
  const ends = format.stops.map((stop) => stop.trimEnd());
  const controls = [...new Set([...format.preservedTokens, ...ends, '<|really the end|>'])];
  it.each(markings(format.preservedTokens))('$marked', async ({ marked }) => {
    const { model, vocabulary } = await openVocabulary(controls, marked);
    const tokenOf = (text: string) => vocabulary.specials.get(text)?.token ?? vocabulary.token(0);
    // llama.cpp takes the mark from the `<|end|>` of a vocabulary that has `<|return|>` and `<|call|>`.
    const ending = marked.filter((text) => vocabulary.endsGeneration(tokenOf(text)));
    expect(marked.filter((text) => !ending.includes(text) && text !== '<|end|>')).toEqual([]);
    const choose = (count: number) => count - 1;
    for (const { request, text } of responsesOf(format)) {
      for (const inject of [true, false]) {
        const options = { model, vocabulary, format, request, text, choose, special: true, inject };
        const { message } = writeTokens(options);
        expect(message.tool_calls?.map(({ function: { name } }) => name)).toEqual(['get_weather']);
        expect(message.malformed).toBeUndefined();
        if (format.reasoning !== null) expect(message.reasoning_content?.trim()).toBe('Let me see.');
        if (inject) continue;
        for (const place of earlyPlaces(text, ending)) {
          for (const end of ending) {
            const early = { ...options, text: text.slice(0, place), end: tokenOf(end) };
            const left = writtenUntil(early);
            if (left === null) continue;
            expect(left.malformed).toBeUndefined();
            const calls = left.tool_calls?.map(({ function: { arguments: json } }) => JSON.parse(json)) ?? [];
            expect(calls).toEqual(calls.map(() => ({ city: 'Bern' })));
            if (request.toolChoice === 'required') expect(calls.length).toBe(1);
          }
        }
      }
    }
    await model.dispose();
  });
});

describe('the end of a message that also ends thoughts', () => {
  const restarting = formats.filter(
    ({ format: { content, preservedTokens, turn } }) =>
      content.open !== '' && turn.restart && preservedTokens.some((text) => turn.ends.includes(text)),
  );
  it.each(restarting)('ends the answer of $name', async ({ format }) => {
    const end = format.preservedTokens.find((text) => format.turn.ends.includes(text)) ?? '';
    const { model, vocabulary } = await openVocabulary([...format.preservedTokens, ...format.stops], [end]);
    const token = vocabulary.specials.get(end)?.token;
    if (token === undefined) throw new Error('there is no such token');
    const request = { tools: lawTools, toolChoice: 'auto', generationPrompt: format.turn.start } as const;
    const options = { model, vocabulary, format, request, choose: () => 0, special: true, inject: true };
    const text = `${format.content.open}Hello.`;
    expect(writeTokens({ ...options, text, end: token }).message.content).toBe('Hello.');
    // A preamble has an opener of its own; a call may follow.
    for (const open of format.alternatives?.content ?? []) {
      const preamble = { ...options, text: `${open}Let me look.`, end: token };
      expect(() => writeTokens(preamble)).toThrow(UnendedResponse);
    }
    await model.dispose();
  });
  it('is tried', () => expect(restarting.map(({ name }) => name)).toContain('openai-gpt-oss-120b'));
});

describe('the end of a message that no file marks', () => {
  const gptOss = formats.find(({ name }) => name === 'openai-gpt-oss-120b');
  const final = '<|channel|>final<|message|>';
  const thoughts = '<|channel|>analysis<|message|>I think.<|end|><|start|>assistant';
  const preamble = '<|channel|>commentary<|message|>Let me look.<|end|><|start|>assistant';
  const more = '<|start|>assistant<|channel|>final<|message|>And more.<|end|>';

  it('ends an answer, and nothing before it', async () => {
    if (gptOss === undefined) throw new Error('there is no such format');
    const { format } = gptOss;
    const { model, vocabulary } = await openVocabulary([...format.preservedTokens, ...format.stops], []);
    const request = { tools: lawTools, toolChoice: 'auto', generationPrompt: format.turn.start } as const;
    const options = { model, vocabulary, format, request, special: true, inject: true };
    const texts = ['', thoughts, preamble].flatMap((before) =>
      [0, 1, 2].map((choice) => ({ before, choice })),
    );
    for (const { before, choice } of texts) {
      const choose = (count: number) => (choice === 0 ? 0 : Math.max(0, count - choice));
      const answer = writeTokens({ ...options, choose, text: `${before}${final}Hello.<|end|>${more}` });
      expect(answer.message.content).toMatch(/Hello\.$/);
      expect(answer.message.malformed).toBeUndefined();
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

describe('an end of generation from which llama.cpp takes the mark', () => {
  it('is text where the grammar takes its text and may not end', async () => {
    const { format } = generatedFormats().find(({ name }) => name === 'qwen-qwen3-0.6b') ?? {};
    if (format === undefined) throw new Error('there is no such format');
    const names = ['<|return|>', '<|call|>', '<|end|>'];
    const controls = [...format.preservedTokens, ...format.stops, ...names];
    const { model, vocabulary } = await openVocabulary(controls, ['<|end|>']);
    const end = vocabulary.specials.get('<|end|>')?.token;
    if (end === undefined) throw new Error('there is no such token');
    expect(vocabulary.endsGeneration(end)).toBe(true);
    const request = { tools: lawTools, toolChoice: 'required', generationPrompt: format.turn.start } as const;
    const [{ text = '' } = {}] = responsesOf(format);
    const options = { model, vocabulary, format, request, choose: () => 0, special: true, inject: true, end };
    const inside = { ...options, text: text.slice(0, text.indexOf('Bern') + 2) };
    expect(() => writeTokens(inside)).toThrow('the response goes on after its end');
    await model.dispose();
  });
});
