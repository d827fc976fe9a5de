/** What `loadModel` does ahead of the first request changes no answer, and fails for nobody. */
import { createHash } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { tinyModelFile } from '../../../examples/support/small-models.ts';
import { responseModule } from '../../../generated/qwen-qwen3-0.6b/index.ts';
import { TemplateError } from '../../../src/errors.ts';
import { indexTokens } from '../../../src/grammar/token-index.ts';
import { type LoadModelOptions, loadModel } from '../../../src/runtime/engines/node-llama-cpp/index.ts';
import { parseTemplate } from '../../../src/template/template.ts';
import { testLlama } from '../../support/engines.ts';
import { chatTemplate, vocabulary } from '../../support/small-chats.ts';

vi.mock('../../../src/grammar/token-index.ts', { spy: true });
vi.mock('../../../src/template/template.ts', { spy: true });

const messages = [{ role: 'user', content: 'How warm is it in Bern?' }] as const;
const tool = { name: 'look_up', inputSchema: { type: 'object', properties: { word: { enum: ['a', 'b'] } } } };
const request = { messages, tools: [tool], toolChoice: 'required', thinking: false, maxTokens: 40 } as const;

async function open(options: LoadModelOptions) {
  const controls = ['<|im_start|>', '<|im_end|>'];
  const file = await tinyModelFile({ vocabulary, markers: ['<tool_call>'], controls, chatTemplate });
  return loadModel(file, { llama: await testLlama(), threads: 1, contextSize: 1024, ...options });
}

describe('a model with a generated module', () => {
  it('has read its template and sorted its vocabulary when it is loaded, once', async () => {
    const model = await open({ modules: [responseModule] });
    const parsed = vi.mocked(parseTemplate).mock.calls.length;
    expect(indexTokens).toHaveBeenCalledTimes(1);
    const { tool_calls: calls } = await model.chat(request).message;
    expect(calls).toHaveLength(1);
    expect(indexTokens).toHaveBeenCalledTimes(1);
    expect(parseTemplate).toHaveBeenCalledTimes(parsed);
    await model.dispose();
  });

  it('answers as one that did nothing ahead', async () => {
    const ahead = await open({ modules: [responseModule] });
    const plain = await open({ modules: [responseModule], requireTools: false });
    expect(await ahead.chat(request).message).toEqual(await plain.chat(request).message);
    await Promise.all([ahead.dispose(), plain.dispose()]);
  });

  it('whose template refuses everything is loaded, and refuses the chat', async () => {
    const source = "{{ raise_exception('not today') }}";
    const templateSha256 = createHash('sha256').update(source).digest('hex');
    const model = await open({ chatTemplate: source, modules: [{ ...responseModule, templateSha256 }] });
    await expect(model.chat({ messages }).message).rejects.toBeInstanceOf(TemplateError);
    await model.dispose();
  });
});
