/** How a response is sampled: the same for all engines. */
import type { PlainSampling } from '../../../src/runtime/node-llama-cpp/plain-engine.ts';

/** Options that all engines understand. */
export type Sampling = PlainSampling;

/** Greedy, or with the engines' usual restrictions at another temperature. */
export function samplingOf(temperature: number, seed: number, maxTokens: number): Sampling {
  return { temperature, topK: 40, topP: 0.95, seed, maxTokens };
}
