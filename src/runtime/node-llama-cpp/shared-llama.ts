/** node-llama-cpp's engine: one per process and kind of hardware, because each has its own threads and GPU memory. */
import { getLlama, getModuleVersion, type Llama, LlamaLogLevel } from 'node-llama-cpp';
import { EngineError } from '../../format/errors.ts';
import type { GpuBackend } from './load-model-options.ts';

const engines = new Map<GpuBackend, Promise<Llama>>();

/** The engine, opened on first use. Throws `EngineError`; the next call tries again. */
export function sharedLlama(gpu: GpuBackend): Promise<Llama> {
  const known = engines.get(gpu);
  if (known !== undefined) return known;
  const opened = open(gpu);
  engines.set(gpu, opened);
  opened.catch(() => engines.delete(gpu));
  return opened;
}

async function open(gpu: GpuBackend): Promise<Llama> {
  try {
    return await getLlama({ gpu, build: 'never', logLevel: LlamaLogLevel.error, progressLogs: false });
  } catch (cause) {
    const named = gpu === 'auto' || gpu === false ? null : gpu;
    throw new EngineError({ reason: `${cause}${flagAdvice()}`, gpu: named, cause });
  }
}

/** It tries its builds in a process that gets this one's flags, and cannot start with one of them. */
function flagAdvice(): string {
  const flag = process.execArgv.find((each) => each.startsWith('--input-type'));
  return flag === undefined ? '' : `; it does not run under ${flag}: put the program into a file`;
}

/** The version of an engine, as text. */
export async function versionOf({ llamaCppRelease: { repo, release } }: Llama): Promise<string> {
  return `node-llama-cpp ${await getModuleVersion()}, ${repo} ${release}`;
}
