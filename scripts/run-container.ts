/**
 * The commands of `deploy/Dockerfile`, without a container: its entry point serves the toy, its health check succeeds,
 * and its signal ends the server, which finishes what runs.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const patienceMs = 60_000;

/** Runs them in `folder`, where the package, node-llama-cpp and `toy.gguf` are. Gives the failure, or `null`. */
export async function runContainer(folder: string): Promise<string | null> {
  const source = fs.readFileSync(path.join(folder, 'node_modules/idiolect/deploy/Dockerfile'), 'utf8');
  // No other server on this machine may have the port of the container.
  const port = String(await freePort());
  const [entry = '', ...words] = commandAfter(source, 'ENTRYPOINT');
  const health = commandAfter(source, 'CMD').map((word) => word.replace(':8080', `:${port}`));
  const given = ['toy.gguf', '--threads', '1', '--no-gpu', '--port', port];
  const server = spawn(entry, [...words, ...given], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(server, 'exit') as Promise<[code: number | null]>;
  let records = '';
  server.stdout.setEncoding('utf8').on('data', (text: string) => {
    records += text;
  });
  try {
    if (!(await isHealthy(health, folder))) return 'the health check fails';
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], max_tokens: 20 });
    const headers = { 'content-type': 'application/json' };
    const answer = fetch(`http://127.0.0.1:${port}/v1/chat/completions`, { method: 'POST', headers, body });
    if ((await answer).status !== 200) return `a chat is answered with ${(await answer).status}`;
    server.kill(/^STOPSIGNAL (\S+)$/m.exec(source)?.[1] as NodeJS.Signals);
    const [code] = await ended;
    if (code !== 0) return `it ends with ${code}`;
    return records.includes('"endpoint":"/v1/chat/completions"') ? null : `it recorded ${records}`;
  } finally {
    server.kill('SIGKILL');
  }
}

/** The command that an instruction has, as a JSON array. */
function commandAfter(source: string, instruction: string): readonly string[] {
  const [, command = '[]'] = new RegExp(`\\b${instruction} (\\[.*\\])$`, 'm').exec(source) ?? [];
  return JSON.parse(command) as readonly string[];
}

async function isHealthy([program = '', ...args]: readonly string[], cwd: string): Promise<boolean> {
  const until = Date.now() + patienceMs;
  while (Date.now() < until) {
    const [code] = await once(spawn(program, args, { cwd, stdio: 'ignore' }), 'exit');
    if (code === 0) return true;
    await wait(500);
  }
  return false;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
