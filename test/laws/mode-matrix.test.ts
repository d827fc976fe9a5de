/**
 * A sample of `npm run matrix`: every mode with every state of thinking keeps its promise or is refused
 * with a typed error. All ten formats in the long variant.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  cells,
  type MatrixModel,
  matrixTemplates,
  openMatrixModel,
  tryCell,
} from '../support/mode-matrix.ts';
import { sampled } from '../support/sample.ts';

const long = process.env.LAWS === 'long';
const formats = long ? matrixTemplates : (['Qwen-Qwen3-0.6B', 'openai-gpt-oss-120b'] as const);

describe.each(formats)('%s', (name) => {
  let model: MatrixModel;
  beforeAll(async () => {
    model = await openMatrixModel(name);
  });
  afterAll(() => model.dispose());

  // Prime to the two sizes of the matrix, so that a sample goes through all modes and states.
  it.each(sampled(cells, 7))('$mode, thinking $thinking, parallel $parallel', async (cell) => {
    const { outcome, reason } = await tryCell(model, cell, 2);
    // Qwen3's template can do everything; the others may refuse.
    const kept = name === 'Qwen-Qwen3-0.6B' ? ['holds'] : ['holds', 'refused'];
    expect(kept, reason).toContain(outcome);
  });
});
