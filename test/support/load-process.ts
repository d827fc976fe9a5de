/** A process that says `ready`, loads the model files named on its standard input, one a line, and writes what came of each. */
import readline from 'node:readline';
import { IdiolectError } from '../../src/format/errors.ts';
import { loadModel } from '../../src/runtime/node-llama-cpp/index.ts';

/** What came of one file. */
export interface LoadOutcome {
  /** The error's code; `loaded`, or `untyped` for an error that is not ours. */
  readonly outcome: string;
  readonly message: string;
  /** CPU time in milliseconds. */
  readonly cpu: number;
}

async function load(file: string): Promise<Pick<LoadOutcome, 'outcome' | 'message'>> {
  try {
    const model = await loadModel(file, { gpu: false, requireTools: false, threads: 1, contextSize: 64 });
    await model.dispose();
    return { outcome: 'loaded', message: '' };
  } catch (error) {
    if (error instanceof IdiolectError) return { outcome: error.code, message: error.message };
    return { outcome: 'untyped', message: error instanceof Error ? String(error.stack) : String(error) };
  }
}

process.stdout.write('ready\n');
for await (const file of readline.createInterface({ input: process.stdin })) {
  const before = process.cpuUsage();
  const found = await load(file);
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(`${JSON.stringify({ ...found, cpu: Math.round((user + system) / 1000) })}\n`);
}
process.exit(0);
