/** A server that closes ends, whatever its connections do; what is being written is written to its end. */
import { once } from 'node:events';
import net from 'node:net';
import { describe, expect, it } from 'vitest';
import { serve } from '../../src/serve/index.ts';
import { cert, key } from '../support/tls-identity.ts';
import { heldModel } from './held-model.ts';

/** What clients have sent when the server closes. */
const beginnings: Readonly<Record<string, string>> = {
  nothing: '',
  'half a line': 'POST /v1/chat',
  'half a header': 'POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le',
  'a request, answered, on a connection that stays': 'GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
};

describe.each(['http', 'https'] as const)('a server of %s ends', (scheme) => {
  it.each(Object.entries(beginnings))('where a client has sent %s', async (_, sent) => {
    const server = await serve(heldModel(1), { port: 0, ...(scheme === 'https' && { tls: { cert, key } }) });
    const socket = net.connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    // In plain text, also where the server expects a handshake.
    socket.write(sent);
    if (sent.endsWith('\r\n\r\n')) await once(socket, scheme === 'http' ? 'data' : 'close');
    const closed = socket.destroyed ? null : once(socket, 'close');
    await server.close();
    await closed;
    expect(socket.destroyed).toBe(true);
  });
});

it('a response that is being written comes to its end, and then its connection does', async () => {
  const model = heldModel(3);
  const server = await serve(model, { port: 0 });
  // Its head comes with its first word.
  const response = fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'held', stream: true, messages: [{ role: 'user', content: 'Write.' }] }),
  });
  await model.until('begun', 1);
  const closed = server.close();
  for (let word = 0; word < 3; word += 1) await model.step();
  expect(await (await response).text()).toMatch(/data: \[DONE\]\s*$/);
  await closed;
});
