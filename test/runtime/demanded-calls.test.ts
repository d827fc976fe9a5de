/** A model that has written what is demanded may end there, though the grammar would let more come. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ChatModel, loadModel } from '../../src/runtime/node-llama-cpp/index.ts';
import { type ToyFormat, toyModel } from '../../src/testing/index.ts';
import { testLlama } from '../support/test-models.ts';

const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const tools = [{ type: 'function', function: { name: 'get_weather', parameters: city } }] as const;
const messages = [{ role: 'user', content: 'How is the weather in Bern?' }] as const;

async function openToy(format: ToyFormat): Promise<ChatModel> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-'));
  const file = path.join(folder, 'toy.gguf');
  fs.writeFileSync(file, await toyModel(format));
  const model = await loadModel(file, { llama: await testLlama(), threads: 1, contextSize: 1024 });
  onTestFinished(async () => {
    await model.dispose();
    fs.rmSync(folder, { recursive: true });
  });
  return model;
}

describe.each(['json', 'tags', 'channels'] as const)('a model that writes one call (%s)', (format) => {
  it('writes one where a call is demanded, injected or sampled', async () => {
    const model = await openToy(format);
    for (const injectForcedText of [true, false]) {
      const request = { messages, tools, toolChoice: 'required', temperature: 0, maxTokens: 200 } as const;
      const chat = model.chat({ ...request, injectForcedText });
      let reason = '';
      for await (const event of chat) if (event.type === 'finish') reason = event.reason;
      const { tool_calls: calls } = await chat.message;
      expect([reason, calls?.map((call) => call.function.name)]).toEqual(['tool-calls', ['get_weather']]);
    }
  });
});
