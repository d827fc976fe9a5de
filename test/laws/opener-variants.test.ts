/**
 * Openers of calls in other white space, in every format: a call that is read is enforced or validated, and a value that
 * its schema forbids never leaves, whatever the opener is.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { callsText, openerVariants } from '../../scripts/judge-models/insisting/other-spellings.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { InsistingWriter } from '../support/insisting-writer.ts';
import { sampled } from '../support/sample.ts';
import { spelledTools } from '../support/spellings/spelled-call.ts';

const formats = generatedFormats().filter(({ format }) => format.calls !== null);
let variants = 0;
let read = 0;

describe.each(sampled(formats, 4))('$name', ({ format }) => {
  it('hands out no call that is neither enforced nor validated', () => {
    const writer = new InsistingWriter();
    for (const days of [3, 40]) {
      for (const { text } of openerVariants(
        format,
        callsText(format, [['plan_trip', { place: 'Bern', days }]]),
      )) {
        const { message } = writer.write(format, text, [1], { tools: spelledTools });
        const handed = (message.tool_calls ?? []).map(({ function: called, assurance }) => {
          return { text, assurance, days: JSON.parse(called.arguments).days };
        });
        // The schema allows 14 days.
        for (const call of handed)
          expect(call).toEqual({
            text,
            assurance: expect.any(String),
            days: days === 3 ? 3 : expect.not.toBeOneOf([40]),
          });
        variants += 1;
        read += handed.length;
      }
    }
  });
});

afterAll(() => {
  // The variants with a forbidden value are refused within it.
  expect(read).toBeGreaterThan(variants / 10);
});
