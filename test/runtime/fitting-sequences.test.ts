/** Law: as many sequences as a quarter of the free memory holds, from two to eight, of the processor's and the card's. */
import fc from 'fast-check';
import type { LlamaModel } from 'node-llama-cpp';
import { expect, test } from 'vitest';
import { fittingSequences } from '../../src/runtime/node-llama-cpp/open-context.ts';

/** Bytes of a context: for all sequences together, and for each. */
interface Needs {
  readonly base: number;
  readonly each: number;
}

interface Machine {
  readonly ram: Needs;
  readonly vram: Needs;
  readonly free: { readonly ram: number; readonly vram: number };
}

/** What of a model is asked. */
function modelOn({ ram, vram, free }: Machine): LlamaModel {
  const needed = ({ base, each }: Needs, sequences: number) => base + each * sequences;
  const asked = {
    gpuLayers: 3,
    fileInsights: {
      estimateContextResourceRequirementsV2: async ({ sequences }: { readonly sequences: number }) => ({
        cpuRam: needed(ram, sequences),
        gpuVram: needed(vram, sequences),
      }),
    },
    llama: {
      getRamState: async () => ({ free: free.ram }),
      getVramState: async () => ({ free: free.vram }),
    },
  };
  return asked as unknown as LlamaModel;
}

const bytes = fc.integer({ min: 0, max: 1_000_000 });
const needs = fc.record({ base: bytes, each: fc.integer({ min: 0, max: 100_000 }) });
// Less than any container's limit, so that only these count.
const machines = fc.record({ ram: needs, vram: needs, free: fc.record({ ram: bytes, vram: bytes }) });

test('what fits is taken, and no more', async () => {
  await fc.assert(
    fc.asyncProperty(machines, async (machine) => {
      const found = await fittingSequences(modelOn(machine), { contextSize: 2048 });
      const fits = (sequences: number): boolean =>
        (['ram', 'vram'] as const).every((kind) => {
          const { base, each } = machine[kind];
          return each === 0 || base + each * sequences <= machine.free[kind] / 4;
        });
      const most = [8, 7, 6, 5, 4, 3].find(fits) ?? 2;
      expect(found).toBe(most);
    }),
  );
});
