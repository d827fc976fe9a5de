/**
 * Random weights, real sampling: under `required` every response is a call that parses and fits its
 * schema, in every format, with forced text injected and without, thinking allowed and cut short.
 */
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { demoTools } from '../../examples/support/demo-tools.ts';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { type ChatModel, loadModel } from '../../src/runtime/node-llama-cpp/index.ts';
import { sampled } from '../support/sample.ts';
import { smallVocabulary, tinyModelFile } from '../support/small-vocabulary.ts';
import { spineTemplates } from '../support/spine-templates.ts';
import { testLlama } from '../support/test-models.ts';

/** 204 runs over the 17 formats in the long variant. */
const runs = process.env.LAWS === 'long' ? 12 : 2;

const templates = sampled(await spineTemplates(), 3).map(({ name, source }) => ({
  name,
  source,
  format: analyzeTemplate(source).format,
}));
const ajv = new Ajv({ strict: false });
const validators = new Map(
  demoTools.map(({ function: { name, parameters } }) => [name, ajv.compile(parameters ?? true)]),
);

describe.each(templates)('$name', ({ source, format }) => {
  const withModel = async (use: (model: ChatModel) => Promise<void>): Promise<void> => {
    const file = await tinyModelFile({
      vocabulary: smallVocabulary,
      markers: format.preservedTokens,
      controls: format.stops,
      chatTemplate: source,
    });
    // Calls can be written also where a template leaves it to the system message to describe the tools.
    const options = { threads: 1, contextSize: 4096, requireTools: false };
    const model = await loadModel(file, { llama: await testLlama(), ...options });
    await use(model).finally(() => model.dispose());
  };

  it(`${runs} of ${runs} sampled calls parse and validate`, () =>
    withModel(async (model) => {
      for (let seed = 1; seed <= runs; seed++) {
        const stream = model.chat({
          messages: [{ role: 'user', content: 'Do something.' }],
          tools: demoTools,
          toolChoice: 'required',
          parallelToolCalls: false,
          temperature: 1,
          seed,
          maxTokens: 2000,
          thinkingBudget: 12,
          injectForcedText: seed % 4 !== 0,
        });
        const message = await stream.message;
        expect(message.malformed, `seed ${seed}`).toBeUndefined();
        expect(message.tool_calls, `seed ${seed}`).toHaveLength(1);
        for (const { function: called } of message.tool_calls ?? []) {
          const validate = validators.get(called.name);
          const isValid = validate?.(JSON.parse(called.arguments));
          expect(isValid, `${seed}: ${called.name} ${called.arguments}`).toBe(true);
        }
      }
    }));
});
