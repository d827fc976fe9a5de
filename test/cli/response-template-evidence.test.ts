/** A model's response template next to the format of its chat template. */
import { expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { compareWithResponseTemplate } from '../../src/cli/response-template-evidence.ts';
import { toResponseTemplate } from '../../src/response-template/from-format/to-response-template.ts';
import { llamaTemplate, llamaTemplates } from '../support/corpora.ts';
import { sampled } from '../support/sample.ts';

it('agrees where it was made from that format', async () => {
  let compared = 0;
  for (const { name, source } of sampled(await llamaTemplates(), 6)) {
    const { format } = analyzeTemplate(source, { eosToken: '</s>' });
    const { template, unsupported } = toResponseTemplate(format);
    if (template === null || unsupported.length > 0) continue;
    compared += 1;
    expect([name, compareWithResponseTemplate(format, JSON.parse(JSON.stringify(template)))]).toEqual([
      name,
      [],
    ]);
  }
  expect(compared).toBeGreaterThan(4);
});

it('is told to contradict the format where it is another model’s', async () => {
  const formatOf = async (name: string) => analyzeTemplate((await llamaTemplate(name)).source).format;
  const other = toResponseTemplate(await formatOf('google-gemma-4-31B-it')).template;
  const told = compareWithResponseTemplate(
    await formatOf('Qwen-Qwen3-0.6B'),
    JSON.parse(JSON.stringify(other)),
  );
  expect(told.map(({ field, kind }) => `${kind} ${field}`)).toEqual([
    'model content',
    'model reasoning',
    'model calls',
  ]);
});
