/** What a server may ask, of whatever form: it gets an answer, or a typed error. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { IdiolectError } from '../../src/index.ts';
import { type SamplingParams, samplingHandler } from '../../src/mcp/index.ts';
import { connectEngine } from '../../src/runtime/engine/index.ts';
import { scriptedEngine } from '../../src/testing/index.ts';

const model = await connectEngine(scriptedEngine({ turns: [{ script: 'Yes.' }] }));
const ask = samplingHandler(model, { maxTokens: 8 });

const field = fc.option(fc.jsonValue({ maxDepth: 1 }), { nil: undefined });
const type = fc.constantFrom('text', 'image', 'audio', 'resource', 'tool_use', 'tool_result', 7);
const call = { id: field, name: field, input: field, toolUseId: field, content: field };
const block = fc.record({ type, text: field, data: field, mimeType: field, ...call });
const role = fc.constantFrom('user', 'assistant', 'system', null);
const message = fc.record({ role, content: fc.oneof(block, fc.array(block), field) });
const tool = fc.record({ name: field, description: field, inputSchema: field });
const params = fc.record({
  messages: fc.oneof(fc.array(message, { maxLength: 3 }), field),
  systemPrompt: field,
  maxTokens: field,
  temperature: field,
  stopSequences: field,
  tools: fc.oneof(fc.array(fc.oneof(tool, field), { maxLength: 2 }), field),
  toolChoice: field,
});

it('is answered, or refused with a reason', async () => {
  await fc.assert(
    fc.asyncProperty(params, async (asked) => {
      const outcome = await ask({ params: asked as unknown as SamplingParams }).catch((error) => error);
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(IdiolectError);
    }),
  );
});

it('has a limit that is a number', async () => {
  const messages = [{ role: 'user', content: { type: 'text', text: 'Well?' } }];
  for (const maxTokens of [{ toString: 0 }, '5', [3], true]) {
    const params = { messages, maxTokens } as unknown as SamplingParams;
    await expect(ask({ params })).rejects.toBeInstanceOf(IdiolectError);
  }
});

it('may have null where nothing is meant', async () => {
  const nothing = {
    systemPrompt: null,
    temperature: null,
    stopSequences: null,
    tools: null,
    toolChoice: null,
  };
  const messages = [{ role: 'user', content: { type: 'text', text: 'Well?' } }];
  const asked = { messages, maxTokens: 8, ...nothing } as unknown as SamplingParams;
  expect(await ask({ params: asked })).toMatchObject({ content: { text: 'Yes.' } });
});
