/**
 * Python's clients against our server with the toy: `npm run judge:clients`. `IDIOLECT_JUDGES_PYTHON` names a Python that
 * has them (`requirements.txt`); those that it has not are skipped. Fails where a client fails.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import readline from 'node:readline';
import { connectEngine } from '../../../src/runtime/engine/index.ts';
import { serve } from '../../../src/serve/index.ts';
import { toyEngine } from '../../../src/testing/index.ts';

const model = await connectEngine(await toyEngine());
const server = await serve(model, { port: 0, defaults: { temperature: 0, maxTokens: 300 } });
try {
  process.exitCode = await judge(server.url);
} finally {
  await server.close(AbortSignal.timeout(2000));
  await model.dispose();
}

async function judge(url: string): Promise<number> {
  const python = spawn(
    process.env.IDIOLECT_JUDGES_PYTHON ?? 'python3',
    [path.join(import.meta.dirname, 'main.py'), url, model.name],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let failed = 0;
  for await (const line of readline.createInterface({ input: python.stdout })) {
    if (!line.startsWith('[')) continue;
    const [name, outcome, detail] = JSON.parse(line) as [string, string, string];
    if (outcome === 'failed') failed += 1;
    process.stdout.write(`${outcome}  ${name}  ${detail}\n`);
  }
  return failed === 0 ? 0 : 1;
}
