/** `npm run leniency`: rewrites the table of `docs/leniency-examples.md` from the laws and their examples. */
import fs from 'node:fs';
import path from 'node:path';
import { leniencyPage } from '../test/support/leniency-page.ts';

const page = path.join(import.meta.dirname, '..', 'docs', 'leniency-examples.md');
fs.writeFileSync(page, leniencyPage(fs.readFileSync(page, 'utf8')));
