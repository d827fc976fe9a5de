/** The forward pass in JavaScript: llama.cpp's probabilities, the same in any batch and after going back. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import type { Token } from 'node-llama-cpp';
import { describe, expect, it } from 'vitest';
import { ModelFileError } from '../../../src/format/errors.ts';
import { EvaluatedPrompts } from '../../../src/testing/evaluator/evaluated-prompts.ts';
import { loadFile } from '../../../src/testing/evaluator/file-engine.ts';
import { Transformer } from '../../../src/testing/evaluator/transformer.ts';
import { readGguf } from '../../../src/testing/gguf-reader.ts';
import { stringValue, writeGguf } from '../../../src/testing/gguf-writer.ts';
import { tinyModel, toyModel } from '../../../src/testing/index.ts';
import { toyVocabulary } from '../../../src/testing/toy/vocabulary.ts';
import { testLlama } from '../../support/test-models.ts';

const tiny = tinyModel({ vocabulary: toyVocabulary('json'), chatTemplate: '{{ messages }}', seed: 7 });
const files = [
  ['qwen3, in 16-bit floats', await toyModel()],
  ['llama, in 32-bit floats', tiny],
] as const;

/** In nats: llama.cpp rounds activations and its memory to 16 bits. */
const mostDifference = 0.1;
const likely = 0.001;

const text =
  '<|im_start|>user\nHow is the weather in Bern, and what is 17 times 4?<|im_end|>\n<|im_start|>assistant\n<think>\n';

describe.each(files)('a model of %s', (_, bytes) => {
  const { tokenizer, weights } = loadFile(bytes);
  const model = new Transformer(weights);
  const prompts = () => new EvaluatedPrompts(model);
  const tokens = tokenizer.tokenize(text, true);

  it('has the probabilities that llama.cpp finds, at every place of a text', async () => {
    const file = path.join(os.tmpdir(), `idiolect-pass-${process.pid}.gguf`);
    fs.writeFileSync(file, bytes);
    const engine = await (await testLlama()).loadModel({ modelPath: file });
    const context = await engine.createContext({ contextSize: 256, threads: 1 });
    const asked = { generateNext: { probabilities: true, options: { temperature: 1, topK: 0, topP: 1 } } };
    const output = await context
      .getSequence()
      .controlledEvaluate(tokens.map((token) => [token as Token, asked] as const));
    await engine.dispose();
    fs.rmSync(file);
    const evaluated = prompts().open([0]);
    let compared = 0;
    for (const [index, token] of tokens.entries()) {
      drain(evaluated.extend([token]));
      const own = logProbabilities(evaluated.logits());
      for (const [id, probability] of output[index]?.next.probabilities ?? []) {
        if (probability < likely) continue;
        expect(Math.abs((own[id] ?? 0) - Math.log(probability))).toBeLessThan(mostDifference);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThanOrEqual(tokens.length);
  });

  it('has the very same logits in whatever parts a text comes', () => {
    const whole = prompts().open([0]);
    drain(whole.extend(tokens));
    const cuts = fc.array(fc.integer({ min: 1, max: tokens.length - 1 }), { maxLength: 8 });
    fc.assert(
      fc.property(cuts, (places) => {
        const ends = [...new Set([...places, tokens.length])].sort((a, b) => a - b);
        const parted = prompts().open([0]);
        for (const [index, end] of ends.entries())
          drain(parted.extend(tokens.slice(ends[index - 1] ?? 0, end)));
        expect(parted.logits()).toEqual(whole.logits());
      }),
      { numRuns: 20 },
    );
  });

  it('has them after going back, and with the beginning of another text', () => {
    const shared = prompts();
    const first = shared.open(tokens);
    expect(first.tokens).toEqual([]);
    drain(first.extend(tokens));
    const logits = first.logits();
    drain(first.extend(tokens.toReversed()));
    expect(first.logits()).not.toEqual(logits);
    first.cut(tokens.length - 5);
    drain(first.extend(tokens.slice(-5)));
    expect(first.logits()).toEqual(logits);
    shared.keep(first);
    const second = shared.open([...tokens.slice(0, 20), 5, 6]);
    expect(second.tokens).toEqual(tokens.slice(0, 20));
    drain(second.extend(tokens.slice(20)));
    expect(second.logits()).toEqual(logits);
    expect(shared.open(tokens).tokens).toEqual(tokens.slice(0, -1));
  });
});

it('a forward pass is refused for another architecture, and where weights are missing', () => {
  const { metadata, tensors } = readGguf(tiny);
  const other = new Map([...metadata, ['general.architecture', stringValue('mamba')]]);
  expect(() => loadFile(writeGguf(other, [...tensors.values()]))).toThrow(/architecture mamba/);
  expect(() => loadFile(writeGguf(metadata, []))).toThrow(ModelFileError);
  expect(() => loadFile(tiny.subarray(0, -100))).toThrow(/cut short/);
});

function drain(steps: Iterable<unknown>): void {
  for (const _ of steps);
}

function logProbabilities(logits: Float32Array): readonly number[] {
  const most = logits.reduce((one, other) => Math.max(one, other));
  const sum = logits.reduce((total, logit) => total + Math.exp(logit - most), 0);
  return Array.from(logits, (logit) => logit - most - Math.log(sum));
}
