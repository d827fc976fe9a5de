/** The tokenizer in JavaScript makes of every text the tokens that llama.cpp makes of it. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import type { LlamaModel } from 'node-llama-cpp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ModelFileError } from '../../../src/format/errors.ts';
import type { EngineTokenizer } from '../../../src/runtime/engine/engine.ts';
import { fileTokenizer } from '../../../src/testing/evaluator/file-tokenizer.ts';
import { readGgufMetadata } from '../../../src/testing/gguf-reader.ts';
import { stringValue } from '../../../src/testing/gguf-writer.ts';
import { toyModel } from '../../../src/testing/index.ts';
import { toyControls, toyMarkers, toyMerges } from '../../../src/testing/toy/tokens.ts';
import { toyVocabulary } from '../../../src/testing/toy/vocabulary.ts';
import { testLlama } from '../../support/test-models.ts';

const file = path.join(os.tmpdir(), `idiolect-tokens-${process.pid}.gguf`);
const specials = [...toyControls, ...toyMarkers];
let llama: LlamaModel;
let tokenizer: EngineTokenizer;

beforeAll(async () => {
  const bytes = await toyModel('channels');
  fs.writeFileSync(file, bytes);
  llama = await (await testLlama()).loadModel({ modelPath: file, vocabOnly: true });
  tokenizer = fileTokenizer(readGgufMetadata(bytes));
});
afterAll(async () => {
  await llama.dispose();
  fs.rmSync(file);
});

const words = toyMerges().map((pair) => pair.join(''));
const parts = fc.oneof(
  fc.constantFrom(...words),
  fc.constantFrom(...specials),
  fc.constantFrom(...specials).map((text) => text.slice(0, -1)),
  fc.constantFrom(' ', '  ', '\n', '\r\n', '\t', '. ', '(', '|', '，', '。', '\u00a0', '\u3000', '\u0000'),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
);
const texts = fc.array(parts, { maxLength: 12 }).map((each) => each.join('').toWellFormed());

describe('a text has the tokens that llama.cpp gives it', () => {
  it.each([true, false])('special tokens count: %s', (special) => {
    const seen = { special: 0, ordinary: 0 };
    fc.assert(
      fc.property(texts, (text) => {
        const tokens = tokenizer.tokenize(text, special);
        expect(tokens).toEqual([...llama.tokenize(text, special)]);
        for (const token of tokens) seen[tokenizer.typeOf(token) === 'normal' ? 'ordinary' : 'special'] += 1;
      }),
      { numRuns: 600 },
    );
    expect(Math.min(seen.special, seen.ordinary)).toBeGreaterThan(200);
  });
});

it('the tokenizer has the types and ends that llama.cpp has', () => {
  for (const [token, text] of tokenizer.texts.entries()) {
    const attributes = llama.getTokenAttributes(token as never);
    const type = attributes.control ? 'control' : attributes.userDefined ? 'user-defined' : 'normal';
    expect([text, tokenizer.typeOf(token)]).toEqual([text, type]);
    expect([text, tokenizer.endsGeneration(token)]).toEqual([text, llama.isEogToken(token as never)]);
  }
  expect(tokenizer.bosToken).toBe(llama.tokens.bosString);
  expect(tokenizer.eosToken).toBe(llama.tokens.eosString);
});

it('a tokenizer is refused for a file whose tokens are made otherwise', () => {
  const { metadata } = toyVocabulary('json');
  const other = new Map([...metadata, ['tokenizer.ggml.pre', stringValue('qwen2')]]);
  expect(() => fileTokenizer(other)).toThrow(ModelFileError);
  expect(() => fileTokenizer(other)).toThrow(/gpt2, qwen2/);
});
