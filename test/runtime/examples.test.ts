/** The examples run as they stand. */
import { execFile } from 'node:child_process';
import { format, promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { keyedChatFile, scriptedChatFile } from '../support/small-chats.ts';

// As a user runs them, but for threads: with more than one a model of this size crawls on a busy machine.
vi.mock(import('idiolect/node-llama-cpp'), async (original) => {
  const module = await original();
  // Loaded here: mocks are made before the imports above.
  const { testLlama } = await import('../support/test-models.ts');
  const llama = await testLlama();
  return { ...module, loadModel: (file: string | URL) => module.loadModel(file, { llama, threads: 1 }) };
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
  const file = await keyedChatFile([
    {
      after: '<|im_start|>user\nWill it rain in Bern this week?',
      pieces: [
        '<tool_call>',
        '\n{"name": "get_weather", "arguments": {"city": "Bern", "days": 7}}\n',
        '</tool_call>',
        '<|im_end|>',
      ],
    },
    {
      after: '<|im_start|>user\n<tool_response>\nBern: sun for 7 days\n</tool_response>',
      pieces: ['No.', '<|im_end|>'],
    },
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
  expect(stdout).toContain('✓ every value of its calls');
  expect(stdout.match(/✓ fits the schema/g)).toHaveLength(3);
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
