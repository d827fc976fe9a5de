/** How many sequences the memory of this machine has room for. */
import type { LlamaModel } from 'node-llama-cpp';

/** More conversations than this go on from kept prompts. */
const mostFitting = 8;
/** As many as without a look at the memory. */
const least = 2;
/** The part of free memory that the sequences may take: other programs need some, too. */
const share = 1 / 4;

/** As many sequences as a quarter of the free memory holds, from two to eight. */
export async function fittingSequences(
  model: LlamaModel,
  options: { readonly contextSize: number; readonly batchSize?: number },
): Promise<number> {
  const estimate = (sequences: number) =>
    model.fileInsights.estimateContextResourceRequirementsV2({
      ...options,
      sequences,
      modelGpuLayers: model.gpuLayers,
    });
  const [one, two, ram, vram] = [
    await estimate(1),
    await estimate(2),
    await model.llama.getRamState(),
    await model.llama.getVramState(),
  ];
  // Of a container; 0 or far too much without one.
  const limit = process.constrainedMemory();
  const room = (free: number, first: number, second: number): number => {
    const each = second - first;
    return each <= 0 ? mostFitting : Math.floor((free * share - first + each) / each);
  };
  const fitting = Math.min(
    mostFitting,
    room(limit > 0 ? Math.min(ram.free, limit) : ram.free, one.cpuRam, two.cpuRam),
    room(vram.free, one.gpuVram, two.gpuVram),
  );
  return Math.max(least, fitting);
}
