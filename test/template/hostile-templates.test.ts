/**
 * Templates that want to cost more than they may, at three sizes: what they cost is charged. The judge counts the text
 * that a render looks at, so a built-in that charges less than it reads is found out on any machine.
 */
import { describe, expect, test } from 'vitest';
import { IdiolectError, TemplateLimitError } from '../../src/format/errors.ts';
import { parseTemplate, WorkBudget } from '../../src/template/template.ts';
import { countedWork } from '../support/counted-work.ts';
import { hostileTemplates } from '../support/hostile-templates.ts';
import { sampled } from '../support/sample.ts';

const sizes = [1, 10, 100];
/** A hundredth of the default: what holds for it holds for more, and takes no second. */
const limits = { steps: 50_000, output: 1 << 18 };
const messages = [{ role: 'user', content: '<|a|> 🙂' }];
/** UTF-16 units that one step may look at; reading a text from end to end costs a step for every sixteen. */
const unitsPerStep = 40;
/** Each unit of source is looked at a few times; a bracket is a token, whose type has up to 18 letters. */
const unitsPerSource = 90;

interface Cost {
  readonly steps: number;
  readonly units: number;
  readonly source: number;
  /** `null` where the render came to its end. */
  readonly error: unknown;
}

function costOf(source: string): Cost {
  const budget = new WorkBudget(Number.MAX_SAFE_INTEGER);
  let error: unknown = null;
  const units = countedWork(
    () => {
      try {
        parseTemplate(source, { limits, budget }).renderSpans({ messages });
      } catch (cause) {
        error = cause;
      }
    },
    { keys: true },
  );
  return { steps: Number.MAX_SAFE_INTEGER - budget.left, units, source: source.length, error };
}

/** Of a template that is drawn, one size is. */
const drawn = Object.entries(hostileTemplates).map(([name, templateOf], at) => ({
  ...{ name, templateOf },
  sizes: sampled(sizes, sizes.length, Math.floor(at / 6)),
}));

describe.each(sampled(drawn, 6))('$name', ({ templateOf, sizes: some }) => {
  test.each(some)('stays within its limits at size %i', (size) => {
    const { steps, units, source, error } = costOf(templateOf(size));
    if (error !== null) expect(error).toBeInstanceOf(IdiolectError);
    expect(String(error).length).toBeLessThan(12_000);
    expect(units).toBeLessThan(unitsPerStep * steps + unitsPerSource * source + 100_000);
    // The step that goes over the limit is one text, and so no longer than texts may be.
    expect(steps).toBeLessThan(limits.steps + limits.output);
  });
});

test('there are enough of them', () => {
  expect(Object.keys(hostileTemplates).length).toBeGreaterThanOrEqual(60);
});

test('a source that is too long is not parsed', () => {
  const source = 'a'.repeat((1 << 21) + 1);
  const parse = () => parseTemplate(source);
  expect(parse).toThrow(TemplateLimitError);
  expect(parse).toThrow('more than 2097152 characters of source');
  expect(parseTemplate(source, { limits: { source: 1 << 22 } }).render({})).toBe(source);
});
