/** Writes trained weights into the package: `tsx scripts/toy/export.ts run/weights.f16`. */
import fs from 'node:fs';
import { toyFile } from '../../src/testing/toy/toy-model.ts';

const [source = 'weights.f16'] = process.argv.slice(2);
const weights = fs.readFileSync(source);
const { length } = toyFile('json', weights); // throws where the weights are of another size
const module = `/** The toy's weights, 16-bit floats in base64. Written by scripts/toy/export.ts; the card says how they came about. */
export const weights: string =
  '${weights.toString('base64')}';
`;
fs.writeFileSync(new URL('../../src/testing/toy/weights.ts', import.meta.url), module);
console.log(`${weights.length} bytes of weights, a model file of ${length} bytes`);
