/** The weights in the package as a file, from which `train.py --resume` goes on: `tsx scripts/toy/import.ts weights.f16`. */
import fs from 'node:fs';
import { weights } from '../../src/testing/toy/weights.ts';

fs.writeFileSync(process.argv[2] ?? 'weights.f16', Buffer.from(weights, 'base64'));
