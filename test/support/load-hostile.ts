/** Loads files in a process of its own, which is started anew whenever one of them ends or silences it. */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { bundledScript } from './bundled-script.ts';
import type { HostileModel } from './hostile-models.ts';
import type { LoadOutcome } from './load-process.ts';

/** What came of a hostile file; `outcome` is `killed` or `silent` where the process did not survive it. */
export interface HostileOutcome extends LoadOutcome {
  readonly name: string;
}

/** Writes each model into `folder` and loads it; a process that says nothing for `silentMs` is ended. */
export async function loadHostile(
  models: Iterable<HostileModel>,
  folder: string,
  silentMs: number,
): Promise<readonly HostileOutcome[]> {
  const outcomes: HostileOutcome[] = [];
  let loader: Loader | null = null;
  for (const model of models) {
    const place = fs.mkdtempSync(path.join(folder, 'model-'));
    for (const [name, bytes] of Object.entries(model.files)) fs.writeFileSync(path.join(place, name), bytes);
    loader ??= await startLoader();
    const outcome = await loader.load(path.join(place, Object.keys(model.files)[0] ?? ''), silentMs);
    outcomes.push({ name: model.name, ...outcome });
    if (outcome.outcome === 'killed' || outcome.outcome === 'silent') loader = null;
    fs.rmSync(place, { recursive: true });
  }
  loader?.end();
  return outcomes;
}

interface Loader {
  load(file: string, silentMs: number): Promise<LoadOutcome>;
  end(): void;
}

async function startLoader(): Promise<Loader> {
  const script = bundledScript('test/support/load-process.ts');
  const child: ChildProcess = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'ignore'] });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('the process has no pipes');
  stdin.on('error', () => undefined);
  const lines = readline.createInterface({ input: stdout });
  const over = new Promise<LoadOutcome>((resolve) => {
    child.once('exit', (code, signal) =>
      resolve({ outcome: 'killed', message: signal ?? `exit code ${code}`, cpu: 0 }),
    );
  });
  // The start counts for nothing: a busy machine takes its time.
  await new Promise((resolve) => lines.once('line', resolve));
  return {
    async load(file, silentMs) {
      const answer = new Promise<LoadOutcome>((resolve) =>
        lines.once('line', (line) => resolve(JSON.parse(line))),
      );
      let timer: NodeJS.Timeout | undefined;
      const silence = new Promise<LoadOutcome>((resolve) => {
        timer = setTimeout(() => {
          child.kill('SIGKILL');
          resolve({ outcome: 'silent', message: `nothing for ${silentMs} ms`, cpu: silentMs });
        }, silentMs);
      });
      stdin.write(`${file}\n`);
      const outcome = await Promise.race([answer, over, silence]);
      clearTimeout(timer);
      return outcome;
    },
    end: () => void child.kill(),
  };
}
