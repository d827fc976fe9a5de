/**
 * Law: whatever a model insists on, in every mode, its response ends as a message, of which calls and answers fit their
 * schemas, or with one of our own errors.
 */
import { describe, expect, it } from 'vitest';
import { adversarialModes, attack } from '../../scripts/judge-models/insisting/adversarial-run.ts';
import { generatedTemplates } from '../../scripts/judge-models/insisting/chat-templates.ts';
import type { Connect } from '../../scripts/judge-models/insisting/insisting-model.ts';
import { sampled } from '../support/sample.ts';
import { connectTransformers } from '../support/transformers/scripted-transformers.ts';

const texts = 6;
const seed = Number(process.env.SEED);

const engines: readonly (readonly [string, Connect | undefined])[] = [
  ['in this process', undefined],
  ['on transformers.js', connectTransformers],
];

describe.each(sampled(await generatedTemplates(), 43))('$name', (template) => {
  it.each(engines)('ends every response, and hands out nothing invalid, %s', async (_, connect) => {
    let attempts = 0;
    for await (const { mode, text, outcome, response } of attack(template, seed, texts, connect)) {
      const what = `${mode}, ${text.kind}: ${response.thrown ?? JSON.stringify(response)}`;
      expect(['complete', 'cut', 'refused', 'withheld', 'typed error'], what).toContain(outcome);
      attempts += 1;
    }
    expect(attempts).toBe(texts * Object.keys(adversarialModes).length);
  });
});
