/** Asking MCP servers for their tools, over their standard input and output, and files for theirs. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { splitCommand } from '../../src/cli/command-words.ts';
import { readToolSources } from '../../src/cli/generate/tool-source.ts';
import { listMcpTools } from '../../src/cli/mcp/mcp-session.ts';
import { ToolListError } from '../../src/format/errors.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-mcp-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** A server that answers each message with what `answer` (the body of a function) sends. */
function server(answer: string): string {
  const file = path.join(folder, `${Math.random().toString(36).slice(2)}.mjs`);
  fs.writeFileSync(
    file,
    `import readline from 'node:readline';
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
let shaken = false;
for await (const line of readline.createInterface({ input: process.stdin })) {
  const { id, method, params, result, error } = JSON.parse(line);
  ${answer}
}`,
  );
  return `"${process.execPath}" "${file}"`;
}

const polite = `
  if (method === 'initialize') send({ id, result: { protocolVersion: params.protocolVersion, capabilities: {} } });
  else if (method === 'notifications/initialized') shaken = true;`;

describe('a server that keeps to the protocol', () => {
  test('all pages are asked for, after the handshake; requests of its own are answered', async () => {
    const command = server(`${polite}
  else if (method === 'tools/list' && shaken) {
    console.log('chatter that is no message');
    if (params.cursor === undefined) {
      send({ id: 'own', method: 'ping' });
      send({ id: 'other', method: 'roots/list' });
      globalThis.asked = id;
    } else send({ id, result: { tools: [{ name: 'b', inputSchema: {} }] } });
  } else if (id === 'own' && result) globalThis.ponged = true;
  else if (id === 'other' && error && globalThis.ponged)
    send({ id: globalThis.asked, result: { tools: [{ name: 'a', inputSchema: {} }], nextCursor: 'more' } });`);
    const { tools, source } = await readToolSources([command]);
    expect(tools.map(({ function: tool }) => tool.name)).toEqual(['a', 'b']);
    expect(source).toBe(command);
  });
});

describe('anything else is an error that says what happened', () => {
  test.each([
    ['never answers', '', /did not answer within 700 ms/],
    ['ends', 'process.stderr.write("no key given"); process.exit(3);', /exit code 3.*no key given/],
    ['refuses', `send({ id, error: { code: -1, message: 'not today' } });`, /initialize failed.*not today/],
    ['sends no list', `${polite} else send({ id, result: {} });`, /no list of tools/],
    [
      'turns in circles',
      `${polite} else send({ id, result: { tools: [], nextCursor: 'x' } });`,
      /pages|700 ms/,
    ],
    ['floods', `for (let i = 0; i < 50; i++) process.stdout.write('x'.repeat(100_000));`, /more than/],
  ])('a server that %s', async (_name, answer, message) => {
    const limits = {
      // Only where the limit itself is tried is it short, so that a busy machine changes nothing.
      milliseconds: answer === '' || message.source.includes('700 ms') ? 700 : 20_000,
      characters: 1_000_000,
    };
    const asking = listMcpTools(server(answer), limits);
    await expect(asking).rejects.toBeInstanceOf(ToolListError);
    await expect(asking).rejects.toThrow(message);
  });

  test('a command that there is not', async () => {
    await expect(readToolSources(['no-such-program-at-all --x'])).rejects.toThrow(/cannot be started/);
    await expect(readToolSources([''])).rejects.toBeInstanceOf(ToolListError);
  });
});

test('the words of a command are those that a shell would make of it', () => {
  expect(splitCommand(`npx -y "a b" 'c"d' e\\ f "g\\"h" i'j'k ''`)).toEqual([
    'npx',
    '-y',
    'a b',
    'c"d',
    'e f',
    'g"h',
    'ijk',
    '',
  ]);
});

describe('files', () => {
  test('JSON and modules; one name in two lists is refused', async () => {
    const json = path.join(folder, 'tools.json');
    const module = path.join(folder, 'tools.mjs');
    fs.writeFileSync(json, JSON.stringify({ tools: [{ name: 'a' }] }));
    fs.writeFileSync(module, `export const tools = [{ name: 'b' }]; export default 1;`);
    const { tools } = await readToolSources([json, module]);
    expect(tools.map(({ function: tool }) => tool.name)).toEqual(['a', 'b']);
    await expect(readToolSources([json, json])).rejects.toThrow(/"a".*same name/);
  });

  test.each([
    ['missing.json', null, /no such file/],
    ['missing.mjs', null, /no such file/],
    ['broken.json', '{', /not JSON/],
    ['broken.mjs', 'throw new Error("at home")', /at home/],
    ['empty.mjs', 'export const x = 1', /neither/],
  ])('%s is refused, saying why', async (name, content, message) => {
    const file = path.join(folder, name);
    if (content !== null) fs.writeFileSync(file, content);
    await expect(readToolSources([file])).rejects.toThrow(message);
    await expect(readToolSources([file])).rejects.toMatchObject({ code: 'tool-list', source: file });
  });
});
