/** `idiolect chat`: its tools, its view, and the command itself on a tiny model of random weights. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeTinyModel } from '../../examples/demo/make-model.ts';
import { tinyModelFile } from '../../examples/support/small-models.ts';
import { calculate } from '../../src/cli/chat/calculate.ts';
import { registerChat } from '../../src/cli/chat/chat.ts';
import { chatTools, currentTime, similarZones } from '../../src/cli/chat/chat-tools.ts';
import { createChatView } from '../../src/cli/chat/chat-view.ts';
import { promptStatus } from '../../src/cli/chat/prompt-status.ts';
import { ServerError, ToolError, ToolsUnsupportedError } from '../../src/format/errors.ts';
import { connectEngine } from '../../src/runtime/engine/index.ts';
import { toyEngine } from '../../src/testing/index.ts';
import { bundledScript } from '../support/bundled-script.ts';
import { serveModel } from '../support/model-server.ts';
import { runCommand } from './run-command.ts';

describe('the calculator', () => {
  const { expression } = fc.letrec<{ expression: string }>((tie) => ({
    expression: fc.oneof(
      { maxDepth: 4 },
      fc.nat(99).map(String),
      fc
        .tuple(tie('expression'), fc.constantFrom('+', '-', '*'), tie('expression'))
        .map(([a, sign, b]) => `(${a} ${sign} ${b})`),
      tie('expression').map((inner) => `-${inner}`.replaceAll('--', '- -')),
    ),
  }));

  test('says what JavaScript says of the same expression', () => {
    fc.assert(
      fc.property(expression, (text) => {
        // Made here of digits and signs alone.
        expect(calculate(text)).toBe(new Function(`return ${text}`)());
      }),
    );
  });

  test.each([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['2 ^ 3 ^ 2', 512],
    ['-2 ^ 2', -4],
    ['7 % 4 - 1', 2],
    ['.5 * 1e3', 500],
  ])('%s is %d', (text, value) => expect(calculate(text)).toBe(value));

  test.each([
    '',
    '1 +',
    '(1',
    '1)',
    '1 / 0',
    'process.exit()',
    '1 2',
    '.',
    '('.repeat(900),
    '-'.repeat(900),
    '1'.repeat(2000),
  ])('refuses %j', (text) => expect(() => calculate(text)).toThrow(ToolError));
});

test('the clock knows zones, and says so of those that there are not', () => {
  const moment = new Date('2026-01-02T03:04:05Z');
  expect(currentTime(moment, 'Asia/Tokyo')).toEqual({
    time: '12:04',
    date: expect.stringMatching(/^Friday,? 2 January 2026$/),
    zone: 'GMT+9',
  });
  expect(() => currentTime(moment, 'Nowhere/None')).toThrow(ToolError);
});

test('the clock takes a city for the zone that is named after it', () => {
  const moment = new Date('2026-01-02T03:04:05Z');
  const zones = Intl.supportedValuesOf('timeZone').filter((zone) => zone.includes('/'));
  for (const zone of zones) {
    const city = zone.slice(zone.lastIndexOf('/') + 1);
    // Where two zones have the name of one city, none is taken.
    if (zones.filter((each) => each.endsWith(`/${city}`)).length > 1) continue;
    expect(currentTime(moment, city.replaceAll('_', ' ').toUpperCase())).toEqual(currentTime(moment, zone));
  }
  expect(() => currentTime(moment, 'Bern')).toThrow('there is no time zone "Bern"');
});

test('the zones that the clock names instead exist, and are alike', () => {
  const zones = new Set(Intl.supportedValuesOf('timeZone'));
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom('Europe/', 'Asia/', 'Europe/Bern', 'Bern', 'America/New York'),
  );
  fc.assert(
    fc.property(text, (asked) => {
      const similar = similarZones(asked);
      expect(similar).toHaveLength(3);
      expect(similar.filter((zone) => !zones.has(zone))).toEqual([]);
    }),
  );
  expect(similarZones('Europe/Bern')).toContain('Europe/Berlin');
  expect(similarZones('America/New York')[0]).toBe('America/New_York');
  for (const { description = '' } of chatTools.flatMap(({ parameters }) =>
    Object.values<{ description?: string }>(parameters.properties),
  ))
    for (const [name] of description.matchAll(/[A-Z][a-z]+\/[A-Z][a-z]+/g)) expect(zones).toContain(name);
});

test('how much of a prompt is read stands on a line that is erased', () => {
  const shownBy = (isTTY: boolean): string => {
    let screen = '';
    const write = (text: string): boolean => {
      screen += text;
      return true;
    };
    const status = promptStatus({ isTTY, write } as unknown as NodeJS.WriteStream);
    for (const evaluated of [0, 128, 256]) status.show({ evaluated, total: 256 });
    status.clear();
    return screen;
  };
  const lines = stripVTControlCharacters(shownBy(true)).split('\r');
  expect(lines).toEqual(['reading 0 of 256 tokens …', 'reading 128 of 256 tokens …', '']);
  expect(shownBy(false)).toBe('');
});

test('dice stay within their bounds', () => {
  const roll = chatTools.find(({ name }) => name === 'roll_dice');
  const context = { toolCallId: 'x', signal: new AbortController().signal };
  const execute = roll?.execute as (input: object, given: typeof context) => readonly number[];
  const dice = execute({ count: 20, sides: 2 }, context);
  expect(dice).toHaveLength(20);
  expect(dice.every((die) => die === 1 || die === 2)).toBe(true);
});

test('calls and results stand on lines of their own', () => {
  let screen = '';
  const view = createChatView((text) => {
    screen += stripVTControlCharacters(text);
  });
  const at = { start: 0, end: 0 };
  view.show({ type: 'text-start', id: 't', ...at });
  view.show({ type: 'text-delta', id: 't', delta: 'Let me see.', ...at });
  view.show({ type: 'tool-input-start', id: 'c', toolName: 'f', ...at });
  view.show({ type: 'tool-input-delta', id: 'c', delta: '{"a":1}', ...at });
  view.show({ type: 'tool-input-end', id: 'c', ...at });
  view.show({ type: 'tool-result', toolCallId: 'c', toolName: 'f', output: 1, content: 'one\ntwo' });
  view.show({ type: 'tool-error', toolCallId: 'c', toolName: 'f', error: null, content: 'x'.repeat(2000) });
  view.show({ type: 'finish', reason: 'length', ...at });
  const lines = screen.split('\n');
  expect(lines.slice(0, 3)).toEqual(['Let me see.', '→ f {"a":1}', '← f one two']);
  expect(lines[3]?.length).toBeLessThan(600);
  expect(lines[4]).toMatch(/cut short/);
});

test('a run that ends in thoughts alone is told apart from one that answers', () => {
  const usage = { promptTokens: 1, cachedTokens: 0, completionTokens: 2, injectedTokens: 0 };
  const tokens = { ...usage, reasoningTokens: 1, textTokens: 1, callTokens: 0 };
  const shown = (text: string): string => {
    let screen = '';
    const view = createChatView((written) => {
      screen += stripVTControlCharacters(written);
    });
    const at = { start: 0, end: 0 };
    view.show({ type: 'reasoning-delta', id: 'r', delta: 'Hm.', ...at });
    view.show({ type: 'text-delta', id: 't', delta: text, ...at });
    view.show({ type: 'finish', reason: 'stop', ...at });
    view.show({ type: 'run-finish', steps: 1, reason: 'answer', usage: tokens });
    return screen;
  };
  expect(shown('\n')).toContain('it ended without an answer');
  expect(shown('Hi.')).not.toContain('it ended without an answer');
});

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Chat {
  readonly process: ChildProcessWithoutNullStreams;
  readonly output: () => string;
  readonly errors: () => string;
  readonly ended: Promise<number | null>;
}

/** A server with a calculator, as a module. */
const mcpServer = `
import { createInterface } from 'node:readline';
const tools = [{ name: 'calculate', description: 'Adds.', inputSchema: { type: 'object', properties: {} } }];
const results = {
  initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'a', version: '1' } },
  'tools/list': { tools },
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
});
`;

function startChat(...args: readonly string[]): Chat {
  const command = [bundledScript('src/cli/main.ts'), 'chat', ...args];
  const child = spawn(process.execPath, command, { cwd: root, env: { ...process.env, NO_COLOR: '1' } });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
  return { process: child, output: () => output, errors: () => errors, ended };
}

async function until(holds: () => boolean): Promise<void> {
  const limit = Date.now() + 100_000;
  while (!holds()) {
    if (Date.now() > limit) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('the command', () => {
  let model = '';
  beforeAll(async () => {
    model = await makeTinyModel();
  });
  const drawn = ['--seed', '3', '--temperature', '1'];
  const calm = ['--no-gpu', '--threads', '1', ...drawn];

  test('one line in, one answer out; the same question and seed give the same answer', async () => {
    const chat = startChat(model, ...calm, '--max-tokens', '12');
    chat.process.stdin.end('Hello\n\n/what\n/new\nHello\n/quit\nnever asked\n');
    expect({ code: await chat.ended, errors: chat.errors() }).toMatchObject({ code: 0 });
    expect(chat.errors()).toMatch(/tools: current_time, calculate, roll_dice/);
    expect(chat.errors()).toMatch(/there are \/new and \/quit/);
    const answers = chat.output().split('(cut short: the limit of tokens is reached)\n');
    expect(answers).toHaveLength(3);
    expect(answers[0]).toBe(answers[1]);
    expect(answers[0]?.length).toBeGreaterThan(10);
  }, 120_000);

  test('a server is talked to like a model, with the key of the environment', async () => {
    const server = await serveModel(model, 'llama-server');
    process.env.IDIOLECT_API_KEY = 'sesame';
    try {
      const chat = startChat(server.url, ...drawn, '--max-tokens', '6');
      chat.process.stdin.end('Hello\n');
      expect({ code: await chat.ended, errors: chat.errors() }).toMatchObject({ code: 0 });
      expect(chat.errors()).toMatch(/tools: current_time, calculate, roll_dice/);
      expect(chat.output()).toContain('(cut short: the limit of tokens is reached)');
      expect(server.requests.map(({ authorization }) => authorization)).not.toContain(undefined);
    } finally {
      delete process.env.IDIOLECT_API_KEY;
      await server.close();
    }
    await expect(runCommand(registerChat, 'chat', server.url)).rejects.toBeInstanceOf(ServerError);
    const short = server.url.replace('http://', '');
    await expect(runCommand(registerChat, 'chat', short)).rejects.toThrow(/is the server running\?/);
  }, 120_000);

  test('a tool of an MCP server takes the place of an own one with its name', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-'));
    const script = path.join(folder, 'server.mjs');
    fs.writeFileSync(script, mcpServer);
    const chat = startChat(
      model,
      ...drawn,
      '--max-tokens',
      '6',
      '--mcp',
      `"${process.execPath}" "${script}"`,
    );
    chat.process.stdin.end('Hello\n');
    expect({ code: await chat.ended, errors: chat.errors() }).toMatchObject({ code: 0 });
    expect(chat.errors()).toMatch(/tools: current_time, roll_dice, calculate/);
    fs.rmSync(folder, { recursive: true });
  }, 120_000);

  test.each([
    [['--server', 'vllm'], /^--server: is for a model on a server, and .*gguf is no address/],
    [['--vision'], /^--vision: is for a model on a server/],
    [['--no-tools', '--mcp', 'server'], /^--mcp: offers tools, and --no-tools offers none/],
  ])('an option that would have no effect is refused: %j', async (options, message) => {
    await expect(runCommand(registerChat, 'chat', model, ...options)).rejects.toThrow(message);
  });

  test.each([
    ['--threads', '2'],
    ['--lora', 'style.gguf'],
    ['--gpu-layers', '0'],
    ['--batch-size', '64'],
    ['--no-gpu'],
    ['--no-mmap'],
  ])('an option of models in this process is refused at an address: %s', async (...options) => {
    const refused = new RegExp(`^${options[0]}: is for a model that is loaded here, and http://127.0.0.1:9 `);
    await expect(runCommand(registerChat, 'chat', 'http://127.0.0.1:9', ...options)).rejects.toThrow(refused);
  });

  test('an address in place of the kind of a server is refused, and the place for it is said', async () => {
    const chat = startChat(model, '--server', 'http://localhost:8080');
    expect(await chat.ended).not.toBe(0);
    expect(chat.errors()).toContain('llama-server, vllm, sglang. An address is given in place of the model.');
  });

  test('whoever stops reading ends it: the answers are needed, what is said next to them is not', async () => {
    const heard = startChat(model, ...calm, '--max-tokens', '4');
    heard.process.stderr.destroy();
    heard.process.stdin.end('Hello\n');
    expect(await heard.ended).toBe(0);
    expect(heard.output()).not.toBe('');

    const unheard = startChat(model, ...calm);
    unheard.process.stdout.destroy();
    unheard.process.stdin.write('Hello\n');
    expect({ code: await unheard.ended, errors: unheard.errors() }).toMatchObject({ code: 0 });
    expect(unheard.errors()).not.toContain('    at ');
  }, 120_000);

  test('a model that cannot call tools is refused unless that is allowed; an interruption stops its answer', async () => {
    const plain = await tinyModelFile({
      vocabulary: 'llama-spm',
      controls: ['<|im_end|>'],
      chatTemplate:
        '{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|im_end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}',
      name: 'plain',
    });
    await expect(runCommand(registerChat, 'chat', plain)).rejects.toBeInstanceOf(ToolsUnsupportedError);
    const chat = startChat(plain, ...calm, '--no-require-tools', '--context-size', '8192');
    chat.process.stdin.write('Hello\n');
    await until(() => chat.output().length > 20 || chat.errors().includes('error'));
    chat.process.kill('SIGINT');
    await until(() => chat.errors().includes('stopped'));
    chat.process.stdin.end('/quit\n');
    expect(await chat.ended).toBe(0);
    expect(chat.errors()).toContain('no tools');
  }, 120_000);
});

test('the toy puts the results of the tools into words', async () => {
  const toy = await connectEngine(await toyEngine());
  const noon = new Date('2026-11-27T11:09:00Z');
  const tools = chatTools.map((tool) =>
    tool.name === 'current_time' ? { ...tool, execute: () => currentTime(noon, 'Zurich') } : tool,
  );
  const ask = async (content: string): Promise<string> => {
    const { message } = toy.runTools({ messages: [{ role: 'user', content }], tools, temperature: 0 });
    return (await message).content ?? '';
  };
  // What `idiolect toy` proposes.
  expect(await ask('What is 12 * 30?')).toContain('360');
  expect(await ask('What time is it in Zurich?')).toContain('12:09');
  await toy.dispose();
});
