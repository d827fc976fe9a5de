/** Schemas whose grammar and whose check of values have to judge alike. */
import fc from 'fast-check';
import { judgements } from '../json-schema/judgements.ts';
import { anyValue } from '../json-schema/schema-tools.ts';
import { seededRandom } from '../support/sample-grammar.ts';
import { type FuzzTarget, numberOf, typed } from './fuzz-target.ts';
import { schema, schemaOf } from './tool-targets.ts';

const valuesPerSchema = 24;
const strangers = fc.sample(anyValue, { numRuns: 500, seed: 1 });

/** See the top of this file. Which values are judged depends on the schema alone. */
export const values: FuzzTarget = {
  seeds: schema.seeds,
  near: schema.near,
  attempt: async (input) => {
    const given = schemaOf(input);
    if (given === null) return;
    const random = seededRandom(numberOf(input));
    await typed(() => {
      for (const judged of judgements(given, strangers, random, valuesPerSchema))
        if (judged.accepted !== judged.valid) throw new Error(JSON.stringify(judged));
    });
  },
};
