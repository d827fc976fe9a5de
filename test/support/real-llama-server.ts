/** llama.cpp's own `llama-server`, where `IDIOLECT_LLAMA_SERVER` names its executable. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The executable; `undefined` where none is named. */
export const llamaServerFile = process.env.IDIOLECT_LLAMA_SERVER;

/** A server that runs in a process of its own. */
export interface RealServer {
  readonly url: string;
  /** Ends it at once, whatever it is doing. */
  kill(): Promise<void>;
}

const longestStartMs = 120_000;

/** Serves the model in `file` with `slots` responses at a time, each with `contextSize` tokens. */
export async function startLlamaServer(
  file: string,
  { slots, contextSize }: { readonly slots: number; readonly contextSize: number },
): Promise<RealServer> {
  if (llamaServerFile === undefined) throw new Error('IDIOLECT_LLAMA_SERVER names no executable');
  const port = await freePort();
  const options = ['--port', port, '-np', slots, '-c', slots * contextSize, '-t', 1, '-ngl', 0];
  const given = ['-m', file, '--host', '127.0.0.1', '--no-warmup', ...options].map(String);
  const server = spawn(llamaServerFile, given, { stdio: ['ignore', 'ignore', 'pipe'] });
  const words: string[] = [];
  server.stderr.on('data', (data: Buffer) => {
    words.push(String(data));
    words.splice(0, words.length - 20);
  });
  const url = `http://127.0.0.1:${port}`;
  const kill = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
  };
  try {
    await untilHealthy(url, server);
  } catch (error) {
    await kill();
    throw new Error(`${String(error)}\n${words.join('')}`);
  }
  return { url, kill };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
}

async function untilHealthy(url: string, server: ChildProcess): Promise<void> {
  const end = performance.now() + longestStartMs;
  for (;;) {
    const answer = await fetch(`${url}/health`).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.ok === true) return;
    if (server.exitCode !== null) throw new Error(`it ended with ${server.exitCode}`);
    if (performance.now() > end) throw new Error('it does not get ready');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
