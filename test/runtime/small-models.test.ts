/** The small models that all other engine tests stand on: they load, and the scripted one keeps to its script. */
import type { LlamaModel, Token } from 'node-llama-cpp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadVocabulary, tinyModelFile } from '../../examples/support/small-models.ts';
import { ModelFileError, UnsupportedOptionError } from '../../src/format/errors.ts';
import { decodeInt32s, decodeStrings, readGgufMetadata } from '../../src/testing/gguf-reader.ts';
import type { RawArray } from '../../src/testing/gguf-types.ts';
import { tokenTexts, vocabularyOf, writeGguf } from '../../src/testing/index.ts';
import { scriptedModel } from '../support/scripted/scripted-model.ts';
import { scriptedModelFile, testLlama } from '../support/test-models.ts';

const markers = ['<tool_call>', '</tool_call>', '<think>'];
const controls = ['<|im_end|>'];

describe('tiny model', () => {
  let model: LlamaModel;
  beforeAll(async () => {
    const file = await tinyModelFile({
      vocabulary: 'llama-spm',
      markers,
      controls,
      chatTemplate: 'the template',
    });
    model = await (await testLlama()).loadModel({ modelPath: file });
  });
  afterAll(() => model.dispose());

  it('has its chat template', () => {
    expect(Object.entries(model.fileInfo.metadata.tokenizer)).toContainEqual([
      'chat_template',
      'the template',
    ]);
  });

  it.each([...markers, ...controls])('has %s as one special token', (marker) => {
    const [token, ...rest] = model
      .tokenize(`${marker}`, true)
      .filter((each) => model.detokenize([each], true) !== '');
    expect(rest).toEqual([]);
    expect(model.detokenize([token as Token], true)).toBe(marker);
  });

  it('ends generation at a control token that says so', () => {
    expect(model.isEogToken(model.tokenize('<|im_end|>', true).at(-1))).toBe(true);
  });

  it('writes the same noise for the same seed', async () => {
    const noise = async (): Promise<Token[]> => {
      const context = await model.createContext({ contextSize: 256, threads: 1 });
      const tokens: Token[] = [];
      for await (const token of context
        .getSequence()
        .evaluate(model.tokenize('hi'), { temperature: 1, seed: 5 })) {
        tokens.push(token);
        if (tokens.length === 20) break;
      }
      await context.dispose();
      return tokens;
    };
    const first = await noise();
    expect(new Set(first).size).toBeGreaterThan(5);
    expect(await noise()).toEqual(first);
  });
});

describe('scripted model', () => {
  it.each([0, 0.8, 1.5])('writes its script at temperature %s', async (temperature) => {
    const llama = await testLlama();
    const tokenizer = await llama.loadModel({
      modelPath: await tinyModelFile({ vocabulary: 'llama-spm', markers, controls }),
    });
    const prompt = tokenizer.tokenize('Once upon a time', true);
    const script = [
      ...tokenizer.tokenize('<think>It is\n a test</think>\n<tool_call>{"a": 1}</tool_call>', true),
    ];
    await tokenizer.dispose();
    const model = await llama.loadModel({
      modelPath: await scriptedModelFile({
        vocabulary: 'llama-spm',
        markers,
        controls,
        script,
        promptLength: prompt.length,
      }),
    });
    const context = await model.createContext({ contextSize: 256, threads: 1 });
    const written: Token[] = [];
    for await (const token of context.getSequence().evaluate(prompt, { temperature, topK: 0, topP: 1 })) {
      written.push(token);
      if (written.length === script.length) break;
    }
    await model.dispose();
    expect(written).toEqual(script);
  });
});

describe('gguf files', () => {
  it('are read back as they were written', async () => {
    const vocabulary = await loadVocabulary({ vocabulary: 'llama-spm', markers });
    const file = scriptedModel({ vocabulary, script: [5, 6, 7], promptLength: 1, contextLength: 64 });
    const again = vocabularyOf(file);
    expect([...again.metadata.keys()]).toEqual([...vocabulary.metadata.keys()]);
    expect(tokenTexts(again)).toEqual(tokenTexts(vocabulary));
    expect(tokenTexts(again)).toEqual(expect.arrayContaining(markers));
  });

  it('hold lists of texts and of numbers, and booleans', () => {
    const texts = ['', 'naïve', '日本'];
    const written = writeGguf(
      new Map([
        ['texts', { type: 9, subType: 8, value: texts }],
        ['numbers', { type: 9, subType: 5, value: [-1, 0, 7] }],
        ['yes', { type: 7, value: true }],
        ['last', { type: 4, value: 5 }],
      ]),
      [],
    );
    const read = readGgufMetadata(written);
    const list = (key: string): RawArray => read.get(key)?.value as RawArray;
    expect(decodeStrings(list('texts'))).toEqual(texts);
    expect([...decodeInt32s(list('numbers'))]).toEqual([-1, 0, 7]);
    expect([...list('yes').bytes]).toEqual([1]);
    expect([...list('last').bytes]).toEqual([5, 0, 0, 0]);
  });

  it('refuse a list with an item that does not fit', () => {
    const mixed = new Map([['a', { type: 9, subType: 8, value: ['text', 4] }]]);
    expect(() => writeGguf(mixed, [])).toThrow(UnsupportedOptionError);
  });

  it('refuse a value that does not fit its type', () => {
    expect(() => writeGguf(new Map([['a', { type: 4, value: 'text' }]]), [])).toThrow(UnsupportedOptionError);
  });

  it('that are cut short are refused', async () => {
    const vocabulary = await loadVocabulary({ vocabulary: 'llama-spm' });
    const file = scriptedModel({ vocabulary, script: [5], promptLength: 1, contextLength: 64 });
    expect(() => vocabularyOf(file.subarray(0, 1000))).toThrow(ModelFileError);
  });
});
