/** How a response is sampled: the same for all engines. */

/** Options that all engines understand. */
export interface Sampling {
  readonly temperature: number;
  readonly topK: number;
  readonly topP: number;
  readonly seed: number;
  readonly maxTokens: number;
}

/** Greedy, or with the engines' usual restrictions at another temperature. */
export function samplingOf(temperature: number, seed: number, maxTokens: number): Sampling {
  return { temperature, topK: 40, topP: 0.95, seed, maxTokens };
}
