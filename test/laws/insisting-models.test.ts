/**
 * Law: whatever a model insists on, in every mode, its response ends as a message, of which calls and answers fit their
 * schemas, or with one of our own errors.
 */
import { describe, expect, it } from 'vitest';
import { adversarialModes, attack } from '../../scripts/judge-models/insisting/adversarial-run.ts';
import { generatedTemplates } from '../../scripts/judge-models/insisting/chat-templates.ts';
import { sampled } from '../support/sample.ts';

const texts = 6;
const seed = Number(process.env.SEED);

describe.each(sampled(await generatedTemplates(), 43))('$name', (template) => {
  it('ends every response, and hands out nothing invalid', async () => {
    let attempts = 0;
    for await (const { mode, text, outcome, response } of attack(template, seed, texts)) {
      const what = `${mode}, ${text.kind}: ${response.thrown ?? JSON.stringify(response)}`;
      expect(['complete', 'cut', 'refused', 'withheld', 'typed error'], what).toContain(outcome);
      attempts += 1;
    }
    expect(attempts).toBe(texts * Object.keys(adversarialModes).length);
  });
});
