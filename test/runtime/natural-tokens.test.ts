/**
 * Forced text is cut into tokens as the model's own tokenizer cuts it: over four vocabularies, what is
 * injected and what is sampled are together the natural tokens of the response. Markers being special
 * tokens and spelled out. All formats in the long variant.
 */
import fc from 'fast-check';
import type { LlamaModel } from 'node-llama-cpp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tinyModelFile } from '../../examples/support/small-models.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { AssistantMessage } from '../../src/format/messages.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import { GrammarCache } from '../../src/runtime/chat/grammar-cache.ts';
import { MarkerTokens } from '../../src/runtime/engine/tokens/marker-tokens.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { lawMessage, lawTools } from '../support/law-tools.ts';
import { readVocabulary, type Vocabulary } from '../support/read-vocabulary.ts';
import { sampled } from '../support/sample.ts';
import { writeTokens } from '../support/scripted-run.ts';
import { testLlama } from '../support/test-models.ts';

const long = process.env.LAWS === 'long';
const vocabularies = sampled(['llama-spm', 'llama-bpe', 'qwen2', 'gemma-4'], 4);
/** Messages for each format, vocabulary and spelling of markers. */
const samples = long ? 12 : 1;

const formats = generatedFormats().filter(({ format }) => format.calls !== null);

const grammars = new GrammarCache();

/** Calls and nothing else. */
const callMessage = lawMessage
  .filter(({ tool_calls }) => tool_calls !== undefined)
  .map(({ tool_calls = [] }) => tool_calls);

/** A response that the grammar asks for, and the request it answers; `null` where this format has no way to write it. */
function responseOf(format: ChatFormat, calls: NonNullable<AssistantMessage['tool_calls']>) {
  const tool_calls = format.calls?.parallel === true ? calls : calls.slice(0, 1);
  const request = {
    tools: lawTools,
    toolChoice: 'required',
    generationPrompt: format.turn.start,
  } as const;
  const written = writeResponse(format, { role: 'assistant', content: '', tool_calls });
  const { matcher } = grammars.get(format, request);
  const text = [written, written.trimStart()].find((each) => matcher?.allows(each) === true);
  return text === undefined ? null : { request, text };
}

describe.each(vocabularies)('%s', (name) => {
  describe.each(['one token each', 'spelled out'])('markers %s', (spelling) => {
    const special = spelling !== 'spelled out';
    let model: LlamaModel;
    let vocabulary: Vocabulary;
    beforeAll(async () => {
      const markers = special ? [...new Set(formats.flatMap(({ format }) => format.preservedTokens))] : [];
      const modelPath = await tinyModelFile({ vocabulary: name, markers });
      model = await (await testLlama()).loadModel({ modelPath, vocabOnly: true });
      vocabulary = readVocabulary(model, modelPath);
    });
    afterAll(() => model.dispose());

    const spell = (tokens: readonly number[]): string =>
      tokens.map((token) => Buffer.from(vocabulary.bytesOf(token)).toString('latin1')).join('');

    it.each(sampled(formats, 16, special ? 0 : 8))(
      'what is injected and sampled is cut as the tokenizer cuts it: $name',
      ({ format }) => {
        const markers = new MarkerTokens(vocabulary, format.preservedTokens);
        for (const calls of fc.sample(callMessage, samples)) {
          const response = responseOf(format, calls);
          if (response === null) continue;
          const natural = markers.encode(response.text);
          // A tokenizer that takes a character of the markers for a space cannot spell them out.
          if (spell(natural) !== Buffer.from(response.text).toString('latin1')) continue;
          const choose = (count: number): number => count - 1;
          const options = { model, vocabulary, format, ...response, choose, special, inject: true, natural };
          const { tokens, injected } = writeTokens(options);
          const texts = (ids: readonly number[]): string[] => ids.map((token) => spell([token]));
          expect(texts(tokens.slice(0, natural.length))).toEqual(texts(natural.slice(0, tokens.length)));
          expect(tokens.slice(0, natural.length)).toEqual(natural.slice(0, tokens.length));
          expect(spell(natural.slice(tokens.length)).trim()).toBe('');
          expect(injected).toBeGreaterThan(0);
        }
      },
    );
  });
});
