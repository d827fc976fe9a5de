/** The examples run as they stand. */
import { execFile } from 'node:child_process';
import { format, promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { scriptedChatFile } from '../support/small-chats.ts';

// As a user runs them, but for threads: with more than one a model of this size crawls on a busy machine.
vi.mock(import('idiolect/node-llama-cpp'), async (original) => {
  const module = await original();
  // Loaded here: mocks are made before the imports above.
  const { testLlama } = await import('../support/test-models.ts');
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
  const output = await outputOf('tool-call', file);
  expect(output).toContain('Let me see.');
  expect(output).toContain("get_weather { city: 'Bern', unit: 'celsius' }");
});

it('examples/run-tools.ts carries out the call and gets the answer', async () => {
  const user = { role: 'user', content: 'Will it rain in Bern this week?' } as const;
  const args = '{"city": "Bern", "days": 7}';
  const call = {
    id: 'call00001',
    type: 'function',
    function: { name: 'get_weather', arguments: args },
  } as const;
  const parameters = z.strictObject({ city: z.string(), days: z.int().min(1).max(7) });
  const tools = [{ name: 'get_weather', description: 'The weather in a city.', parameters }];
  const told = { role: 'tool', tool_call_id: call.id, content: 'Bern: sun for 7 days' } as const;
  const called = { role: 'assistant', content: null, tool_calls: [call] } as const;
  const file = await scriptedChatFile([
    {
      request: { messages: [user], tools },
      pieces: [
        '<tool_call>',
        `\n{"name": "get_weather", "arguments": ${args}}\n`,
        '</tool_call>',
        '<|im_end|>',
      ],
    },
    { request: { messages: [user, called, told], tools }, pieces: ['No.', '<|im_end|>'] },
  ]);
  const output = await outputOf('run-tools', file);
  expect(output).toContain('calls for Bern 7\nis told Bern: sun for 7 days\nNo.');
});

it('npm run demo calls a tool, tells its result, and makes enforced calls', async () => {
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'demo'], {
    env: { ...process.env, NO_COLOR: '1' },
  });
  expect(stdout).toContain('calls get_weather {"city": "Bern"}');
  const [, degrees = 'none'] = /result .*"degrees":(\d+)/.exec(stdout) ?? [];
  expect(stdout).toMatch(new RegExp(`text It is \\w+ in Bern, ${degrees} degrees`));
  expect(stdout).toContain('✓ what it called with');
  expect(stdout.match(/✓ valid for its schema/g)).toHaveLength(3);
});

/** What an example writes. */
async function outputOf(example: string, file: string): Promise<string> {
  let output = '';
  const keep = (text: unknown): boolean => {
    output += String(text);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(keep);
  vi.spyOn(console, 'log').mockImplementation((...values) => keep(`${format(...values)}\n`));
  vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', `${example}.ts`, file]);
  await import(`../../examples/${example}.ts`);
  vi.restoreAllMocks();
  return output;
}
