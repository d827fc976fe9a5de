/**
 * llama.cpp's own server tests against our server: `npx tsx --conditions=idiolect:source scripts/llama-server-tests/main.ts
 * [folder]`. Without a folder (`tools/server/tests` of a llama.cpp) the tests come out of node-llama-cpp's bundle. Needs
 * Python 3 with pytest, requests and aiohttp; `PYTHON` names another than `python3`. Fails where a test passes or does
 * not pass against `not-passing.ts`.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { listBundledFolder, readBundledFile } from '../../examples/support/llama-bundle.ts';
import { filesTried, reasonFor } from './not-passing.ts';
import { startStandIn } from './stand-in.ts';

/** Modules that the tests import, and that Debian does not have under this name or without more. */
const modules = {
  // Models are not fetched.
  'wget.py': '',
  // One process: nothing to lock.
  'filelock.py': 'import contextlib\n\ndef FileLock(path):\n    return contextlib.nullcontext()\n',
  'openai.py':
    'import pytest\n\ndef OpenAI(**options):\n    pytest.skip("needs the package openai for Python")\n',
  'results.py': `import json, os

def pytest_runtest_logreport(report):
    if report.when != "call" and report.outcome == "passed":
        return
    with open(os.environ["IDIOLECT_RESULTS"], "a") as file:
        file.write(json.dumps([report.nodeid, report.outcome, str(report.longrepr)[-600:]]) + "\\n")
`,
} as const;

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-llama-tests-'));
try {
  process.exitCode = await main(process.argv[2]);
} finally {
  fs.rmSync(work, { recursive: true, force: true });
}

async function main(given: string | undefined): Promise<number> {
  const folder = given === undefined ? await unpackTests() : path.resolve(given);
  const stubs = path.join(work, 'modules');
  fs.mkdirSync(stubs);
  for (const [name, text] of Object.entries(modules)) fs.writeFileSync(path.join(stubs, name), text);
  const socket = path.join(work, 'stand-in');
  const chatTemplate = String(await readBundledFile('models/templates/Qwen-Qwen3-0.6B.jinja'));
  const end = await startStandIn({ chatTemplate, socket });
  const results = path.join(work, 'results');
  const environment = {
    PYTHONPATH: `${stubs}:${folder}`,
    PYTHONDONTWRITEBYTECODE: '1',
    LLAMA_SERVER_BIN_PATH: path.join(import.meta.dirname, 'launcher.mjs'),
    IDIOLECT_STAND_IN: socket,
    IDIOLECT_RESULTS: results,
    PORT: process.env.PORT ?? '18380',
  };
  try {
    await runPytest(folder, environment);
  } finally {
    await end();
  }
  return report(fs.readFileSync(results, 'utf8').trim().split('\n').map(readResult));
}

/** The tests of the bundle, and the templates that they name, laid out as there. */
async function unpackTests(): Promise<string> {
  for (const folder of ['tools/server/tests', 'tools/server/tests/unit', 'models/templates']) {
    fs.mkdirSync(path.join(work, folder), { recursive: true });
    for (const name of await listBundledFolder(folder))
      fs.writeFileSync(path.join(work, folder, name), await readBundledFile(`${folder}/${name}`));
  }
  return path.join(work, 'tools/server/tests');
}

function runPytest(folder: string, environment: Record<string, string>): Promise<void> {
  const files = filesTried.map((name) => `unit/${name}.py`);
  const options = ['-m', 'pytest', '-q', '--tb=no', '-p', 'no:cacheprovider', '-p', 'results'];
  const python = spawn(process.env.PYTHON ?? 'python3', [...options, '-m', 'not slow', ...files], {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    python.on('error', reject);
    python.on('close', () => resolve());
  });
}

interface Result {
  readonly test: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly detail: string;
}

function readResult(line: string): Result {
  const [test, outcome, detail] = JSON.parse(line) as [string, Result['outcome'], string];
  return { test: test.replace(/^unit\//, ''), outcome, detail };
}

/** Tells of all, and of those that are not as the list says: the exit code. */
function report(results: readonly Result[]): number {
  const passed = results.filter(({ outcome }) => outcome === 'passed');
  const rest = results.filter(({ outcome }) => outcome !== 'passed');
  for (const reason of new Set(rest.map(({ test }) => reasonFor(test)))) {
    process.stdout.write(`${reason ?? 'no reason is given'}\n`);
    for (const { test } of rest) if (reasonFor(test) === reason) process.stdout.write(`  ${test}\n`);
  }
  const unexplained = rest.filter(({ test }) => reasonFor(test) === null);
  const better = passed.filter(({ test }) => reasonFor(test) !== null);
  for (const { test, detail } of unexplained)
    process.stdout.write(`not as listed: ${test} fails\n${detail}\n`);
  for (const { test } of better) process.stdout.write(`not as listed: ${test} passes\n`);
  process.stdout.write(`${passed.length} of ${results.length} tests pass\n`);
  return unexplained.length + better.length === 0 ? 0 : 1;
}
