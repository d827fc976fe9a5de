/**
 * `npm run judge:quotations -- [quotations] [marred] [bodies] [thoughts] [values] [cuts] [--only name] [--partitions 20] [--details]`:
 * texts about calls, damaged calls and stray thoughts in all generated formats, and what the parser makes of them.
 */
import { parseArgs } from 'node:util';
import { judgedFormats } from './judged-format.ts';
import { parts } from './parts.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: '' },
    partitions: { type: 'string', default: '20' },
    details: { type: 'boolean', default: false },
  },
});

const formats = judgedFormats().filter(({ name }) => name.includes(values.only));
console.log(`${formats.length} formats`);
let missed = 0;
for (const name of positionals.length === 0 ? Object.keys(parts) : positionals) {
  const part = parts[name];
  if (part === undefined) throw new RangeError(`no part is called ${name}: ${Object.keys(parts).join(', ')}`);
  for (const { label, runs, counts, goals, examples } of part(formats, Number(values.partitions))) {
    const figures = Object.entries(counts).map(([what, count]) => {
      const most = goals[what];
      if (most === undefined) return `${what} ${count}`;
      const limit = Math.floor(most * runs);
      if (count > limit) missed += 1;
      return `${what} ${count} (at most ${limit}${count > limit ? ': MISSED' : ''})`;
    });
    console.log(`${label}: ${runs}; ${figures.join(', ')}`);
    if (values.details) for (const example of examples) console.log(`    ${example.slice(0, 900)}`);
  }
}
process.exit(missed === 0 ? 0 : 1);
