/**
 * Grammars that an engine is not asked to read: llama.cpp takes half a second for the 12,000 rules of a thousand tools,
 * and nobody gets a token meanwhile. Biases made of masks enforce them alone.
 */
import type { GrammarAt } from '../engine.ts';

/** The engine reads so much in some twenty milliseconds. */
const maxSize = 20_000;

/** Whether biases leave only what the grammar allows, wherever it applies. */
export function isLarge({ size = 0 }: GrammarAt): boolean {
  return size > maxSize;
}
