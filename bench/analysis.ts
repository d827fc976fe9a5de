/**
 * What one analysis costs, over both corpora: run with
 * `npx tsx --conditions=idiolect:source bench/analysis.ts`.
 */
import { analyzeTemplate } from '../src/analysis/analyze-template.ts';
import { IdiolectError } from '../src/errors.ts';
import { allTemplates } from '../test/support/corpora.ts';

/** Milliseconds of processor time that one analysis takes. */
function cost(source: string): number {
  const before = process.cpuUsage();
  try {
    analyzeTemplate(source);
  } catch (error) {
    if (!(error instanceof IdiolectError)) throw error;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const templates = await allTemplates();
for (const round of ['cold', 'warm']) {
  const costs = templates.map(({ id, source }) => ({ id, ms: cost(source) })).sort((a, b) => a.ms - b.ms);
  const at = (share: number) => costs[Math.min(costs.length - 1, Math.floor(costs.length * share))];
  const worst = costs.at(-1);
  console.log(
    `${round}: median ${at(0.5)?.ms.toFixed(1)} ms, 90 % under ${at(0.9)?.ms.toFixed(1)} ms, ` +
      `worst ${worst?.ms.toFixed(0)} ms (${worst?.id}), ${templates.length} templates`,
  );
}
