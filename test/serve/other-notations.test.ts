/**
 * Models on a server that call in notations of their own, in front of the three APIs: what leaves is valid, whatever the
 * model insists on, and however the server is told of grammars.
 */
import { Ajv } from 'ajv';
import { afterAll, describe, expect, it } from 'vitest';
import { generatedTemplates } from '../../scripts/judge-models/insisting/chat-templates.ts';
import { InsistingEngine } from '../../scripts/judge-models/insisting/insisting-model.ts';
import { Spelling } from '../../scripts/judge-models/insisting/spelling.ts';
import { vocabularyOf } from '../../src/runtime/engine/tokens/vocabulary.ts';
import { askServer } from '../support/covering/served-apis.ts';
import { connectEngineServer } from '../support/engine-server.ts';
import { sampled } from '../support/sample.ts';
import { spelledTools, spellings } from '../support/spellings/spelled-call.ts';

const names = [
  'qwen-qwen2.5-7b-instruct',
  'qwen3-coder',
  'meta-llama-llama-3.1-8b-instruct',
  'deepseek-ai-deepseek-v3.2',
];
const templates = (await generatedTemplates()).filter(({ name }) => names.includes(name));
const kinds = ['llama-server', 'vllm', 'sglang'] as const;
const apis = ['chat completions', 'responses', 'messages'] as const;
const all = templates.flatMap((template) => kinds.map((kind) => ({ name: template.name, template, kind })));

const ajv = new Ajv({ strict: false });
const validators = new Map(
  spelledTools.map(({ function: { name, parameters } }) => [name, ajv.compile(parameters ?? true)]),
);

/** The schema allows 14 days. */
const wrong = { name: 'plan_trip', input: { place: 'Bern', days: 40 } };

let handedOut = 0;

describe.each(sampled(all, 6))('$name on $kind', ({ template, kind }) => {
  it('hands out no invalid call', async () => {
    const engine = new InsistingEngine(template);
    const spelling = new Spelling(vocabularyOf(engine.tokenizer), template.format);
    const model = await connectEngineServer(engine, kind);
    const request = {
      messages: [{ role: 'user', content: 'How long?' }],
      tools: spelledTools,
      toolChoice: 'auto',
      temperature: 0,
      maxTokens: 600,
    } as const;
    for (const [index, [notation, spell]] of Object.entries(spellings).entries()) {
      const api = apis[index % apis.length] ?? 'messages';
      engine.insistOn(spelling.encodeTurn(spell(wrong, template.format)));
      const { whole, streamed } = await askServer(model, api, request);
      for (const handed of [whole, streamed]) {
        const calls = typeof handed === 'string' ? [] : handed.calls;
        const invalid = calls.filter(({ name, input }) => !isValid(name, input));
        expect([notation, api, typeof handed, invalid]).toEqual([notation, api, 'object', []]);
        handedOut += calls.length;
      }
    }
  });
});

function isValid(name: string, input: string): boolean {
  return validators.get(name)?.(JSON.parse(input)) === true;
}

afterAll(() => {
  // Most are enforced, and not only refused.
  expect(handedOut).toBeGreaterThan(25);
});
