/** Templates that want to keep an analysis busy, at sizes that grow: its work grows with them, and has an end. */
import { describe, expect, test } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { IdiolectError, TemplateLimitError } from '../../src/format/errors.ts';
import { countedWork } from '../support/counted-work.ts';
import { hostileChats, hostileTemplates } from '../support/hostile-templates.ts';
import { sampled } from '../support/sample.ts';

const long = process.env.LAWS === 'long';
const sizes = long ? [1, 4, 16, 64] : [1, 4];
const chat =
  '{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}';

/** UTF-16 units of text that an analysis looks at; its errors are typed. */
function workOf(source: string): number {
  return countedWork(() => {
    try {
      analyzeTemplate(source);
    } catch (error) {
      if (!(error instanceof IdiolectError)) throw error;
    }
  });
}

describe('the work of an analysis grows with the size', () => {
  test.each(sampled(Object.entries(hostileChats), 6))('no faster: %s', (_, templateOf) => {
    const work = sizes.map((size) => workOf(templateOf(size)));
    for (const [index, units] of work.entries()) {
      // Four times the size; some answers are only given, or asked for again, at one of them.
      const before = work[index - 1];
      if (before !== undefined) expect(units).toBeLessThan(6 * before + 4_000_000);
    }
  });
});

test.each(sampled(Object.entries(hostileTemplates), 20))(
  'the analysis of a hostile template comes to an end: %s',
  (_, templateOf) => {
    for (const size of long ? [1, 10, 100] : [100])
      expect(workOf(`${templateOf(size)}${chat}`)).toBeLessThan(300_000_000);
  },
);

describe('all renders together', () => {
  const source = `{% for i in range(500) %}{% set x = i %}{% endfor %}${chat}`;
  test('have one budget', () => {
    expect(() => analyzeTemplate(source, { budget: 20_000 })).toThrow(TemplateLimitError);
    expect(() => analyzeTemplate(source, { budget: 20_000 })).toThrow(
      '20000 steps in all its renders together',
    );
    expect(analyzeTemplate(source).warnings).toEqual(analyzeTemplate(source, { budget: 4_000_000 }).warnings);
  });
});
