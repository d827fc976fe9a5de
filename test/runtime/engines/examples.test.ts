/** The examples run as they stand. */
import { format } from 'node:util';
import { expect, it, vi } from 'vitest';
import { testLlama } from '../../support/engines.ts';
import { scriptedChatFile } from '../../support/small-chats.ts';

// As a user runs them, but for threads: with more than one a model of this size crawls on a busy machine.
vi.mock(import('idiolect/node-llama-cpp'), async (original) => {
  const module = await original();
  const llama = await testLlama();
  return { ...module, loadModel: (file: string) => module.loadModel(file, { llama, threads: 1 }) };
});

it('examples/tool-call.ts streams text and gets a typed call', async () => {
  const request = {
    messages: [{ role: 'user', content: 'How warm is it in Bern?' }],
    tools: [
      {
        name: 'get_weather',
        description: 'The weather in a city.',
        parameters: {
          type: 'object',
          properties: { city: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
          required: ['city', 'unit'],
          additionalProperties: false,
        },
      },
    ],
  } as const;
  const file = await scriptedChatFile([
    {
      request,
      pieces: [
        'Let me see.\n',
        '<tool_call>',
        '\n{"name": "get_weather", "arguments": {"city": "Bern", "unit": "celsius"}}\n',
        '</tool_call>',
        '<|im_end|>',
      ],
    },
  ]);
  let output = '';
  const keep = (text: unknown): boolean => {
    output += String(text);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(keep);
  vi.spyOn(console, 'log').mockImplementation((...values) => keep(`${format(...values)}\n`));
  vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', 'tool-call.ts', file]);
  await import('../../../examples/tool-call.ts');
  vi.restoreAllMocks();
  expect(output).toContain('Let me see.');
  expect(output).toContain("get_weather { city: 'Bern', unit: 'celsius' }");
});
