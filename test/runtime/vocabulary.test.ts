/** Laws of tokens over all vocabularies that generate text. */

import fc from 'fast-check';
import type { Token } from 'node-llama-cpp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tinyModelFile } from '../../examples/support/small-models.ts';
import { interpretedModule } from '../../src/codegen/create-response-parser.ts';
import { finish } from '../../src/language/expression/steps.ts';
import { renderOpenTurn } from '../../src/runtime/chat/open-turn.ts';
import { encodePrompt } from '../../src/runtime/engine/tokens/prompt-tokens.ts';
import { readVocabulary, type Vocabulary } from '../support/read-vocabulary.ts';
import { sampled } from '../support/sample.ts';
import { plain } from '../support/sample-formats.ts';
import { bundledVocabulary, testLlama } from '../support/test-models.ts';

const all = [
  'aquila',
  'baichuan',
  'command-r',
  'deepseek-coder',
  'deepseek-llm',
  'falcon',
  'gemma-4',
  'gpt-2',
  'gpt-neox',
  'llama-bpe',
  'llama-spm',
  'mpt',
  'phi-3',
  'qwen2',
  'qwen35',
  'refact',
  'starcoder',
];
const long = process.env.LAWS === 'long';
const names = sampled(all, 6);
const runs = long ? 1000 : 40;
/** Every so many tokens are compared; a prime, so that no pattern of ids is missed. */
const stride = long ? 1 : 11;
/** So many special tokens' texts stand in one prompt. */
const batch = long ? 1 : 16;

/**
 * What llama.cpp's detokenizer and grammar make of a token of a byte-level vocabulary that is spelled with
 * characters that spell no byte: for `☕`, `[UNK_BYTE_0xe29895☕]`. Hugging Face's decoder takes such a token
 * for what it says, and so do we. No tokenizer makes them, so no model was ever trained to write one; if it
 * did, llama.cpp's grammar would be the stricter one.
 */
function noteWithoutSpelling(text: string): string {
  const notes = Array.from(text, (letter) => `[UNK_BYTE_0x${Buffer.from(letter).toString('hex')}${letter}]`);
  return notes.join('');
}

/** A template with a marker before and after every text, so that texts meet trusted neighbours. */
const template =
  "{% for m in messages %}<{{ m.role }}>{{ m.content }}>|{{ m.content | tojson }}{% endfor %}{{ tools | tojson if tools else '' }}";

describe.each(names)('%s', (name) => {
  let vocabulary: Vocabulary;
  let loaded: Awaited<ReturnType<typeof bundledVocabulary>>;
  beforeAll(async () => {
    loaded = await bundledVocabulary(name);
    vocabulary = loaded.vocabulary;
  });
  afterAll(() => loaded.model.dispose());

  const promptOf = (content: string, toolName = 'f'): readonly number[] => {
    const tools = [
      { type: 'function', function: { name: toolName, parameters: { enum: [content] } } },
    ] as const;
    const prompt = finish(
      renderOpenTurn(
        template,
        { messages: [{ role: 'user', content }], tools },
        { format: plain, reader: interpretedModule(plain) },
      ),
    );
    return finish(encodePrompt(prompt, vocabulary, plain)).tokens;
  };
  const specialsIn = (tokens: readonly number[]): number[] =>
    tokens.filter((token) => vocabulary.isSpecial(token));
  const textOf = (tokens: readonly number[]): string => {
    const bytes = tokens.flatMap((token) => [...vocabulary.bytesOf(token)]);
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes));
  };

  it('tokens have the bytes that the engine writes for them', () => {
    let compared = 0;
    const misspelled: number[] = [];
    for (let id = 0; id < vocabulary.size; id += stride) {
      const written = loaded.model.detokenize([id as Token], true);
      // The engine drops a leading space of a lone token, and shows half characters as U+FFFD.
      if (written === '' || written.includes('\ufffd')) continue;
      compared += 1;
      const ours = textOf([id]);
      if (ours !== written && ours !== ` ${written}`) {
        expect([id, noteWithoutSpelling(ours)]).toEqual([id, written]);
        misspelled.push(id);
      }
    }
    for (const id of misspelled) expect(vocabulary.encodePlain(textOf([id]))).not.toContain(id);
    expect(compared).toBeGreaterThan(vocabulary.size / stride / 2);
  });

  it('no special token of a user becomes one in the prompt', () => {
    const before = specialsIn(promptOf('x'));
    const texts = [...vocabulary.specials.keys()];
    for (let start = 0; start < texts.length; start += batch) {
      const text = texts.slice(start, start + batch).join('b a');
      expect([text, specialsIn(promptOf(`a${text}b`, text))]).toEqual([text, before]);
    }
  });

  it('no special token forms where texts of a user meet each other and the template', () => {
    const texts = [...vocabulary.specials.keys()];
    const piece = fc
      .constantFrom(...texts)
      .chain((text) =>
        fc
          .tuple(fc.nat(text.length), fc.nat(text.length))
          .map(([from, to]) => text.slice(Math.min(from, to), Math.max(from, to))),
      );
    const before = specialsIn(promptOf('x'));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        expect(specialsIn(promptOf(pieces.join('')))).toEqual(before);
      }),
      { numRuns: runs },
    );
  });

  it('a prompt has the tokens of its whole text, the first time and again', () => {
    const texts = [...vocabulary.specials.keys(), ' ', '\n', '\n\n', '  a', 'é', '🙂', '{"a": ', '<', '|>'];
    const text = fc.array(fc.oneof(fc.constantFrom(...texts), fc.lorem({ maxCount: 3 })), { maxLength: 8 });
    const { bos, shouldPrependBosToken } = loaded.model.tokens;
    fc.assert(
      fc.property(text, (pieces) => {
        const whole = loaded.model.tokenize(pieces.join(''), true);
        const begun = shouldPrependBosToken && bos !== null && whole[0] !== bos ? [bos, ...whole] : whole;
        expect(vocabulary.encodePrompt([{ text: pieces.join(''), special: true }])).toEqual(begun);
        expect(vocabulary.encodePrompt([{ text: pieces.join(''), special: true }])).toEqual(begun);
      }),
      { numRuns: runs },
    );
  });

  it('plain text comes back from its tokens, without a special one', () => {
    const texts = [...vocabulary.specials.keys(), ' ', '\n', '  a', 'é', '🙂', '{"a": ', '\t', '▁'];
    const text = fc.array(fc.oneof(fc.constantFrom(...texts), fc.string({ unit: 'grapheme' })), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(text, (pieces) => {
        const joined = pieces
          .join('')
          .replaceAll('\0', '')
          .replace(/[\ud800-\udfff]/gu, '');
        const tokens = vocabulary.encodePlain(joined);
        expect(specialsIn(tokens)).toEqual([]);
        expect(textOf(tokens)).toBe(joined);
      }),
      { numRuns: runs },
    );
  });
});

it('a control token of one character is text where a user writes it', async () => {
  const [sign, word] = ['\u{272A}', 'beginning'];
  const modelPath = await tinyModelFile({ vocabulary: 'llama-spm', controls: [sign, word] });
  const model = await (await testLlama()).loadModel({ modelPath, vocabOnly: true });
  const vocabulary = readVocabulary(model, modelPath);
  const source = `${sign}{% for m in messages %}{{ m.content }}${sign}{% endfor %}`;
  const promptOf = (content: string) =>
    finish(
      encodePrompt(
        finish(
          renderOpenTurn(
            source,
            { messages: [{ role: 'user', content }] },
            { format: plain, reader: interpretedModule(plain) },
          ),
        ),
        vocabulary,
        plain,
      ),
    );
  const specialsOf = (content: string) =>
    promptOf(content).tokens.filter((token) => vocabulary.isControl(token));
  for (const content of [sign, `${sign}${sign} a`, `a ${sign}`, word, `${word}${sign}${word}`]) {
    const { text, tokens } = promptOf(content);
    expect(text).toBe(`${sign}${content}${sign}`);
    expect(model.detokenize([...tokens] as Token[], true)).toContain(content);
    expect(specialsOf(content)).toEqual(specialsOf('x'));
  }
  await model.dispose();
});
