/** `argumentValidator`: what a schema says, and then what its library says. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import { argumentValidator } from '../../src/grammar/argument-validator.ts';
import { defineTool } from '../../src/tools/tools.ts';
import * as samples from '../support/sample-formats.ts';

const parameters = z.strictObject({ days: z.int().refine((days) => days % 2 === 0, 'days come in pairs') });
const plain = { name: 'plan', parameters } as const;
const wrapped = { type: 'function', function: plain } as const;
const executed = defineTool({ ...plain, description: 'Plans.', execute: () => '' });
const lists = {
  plain: [plain],
  wrapped: [wrapped],
  executed: [executed],
  'tools of a client': { tools: [plain] },
};

it.each(Object.entries(lists))(
  'asks the library of a schema about what its JSON Schema takes (%s)',
  (_, tools) => {
    const validate = argumentValidator(tools);
    expect(validate('plan', { days: 2 })).toEqual([]);
    expect(validate('plan', { days: 3 })).toEqual([expect.stringContaining('days come in pairs')]);
    expect(validate('plan', { days: 'two' })).toEqual([expect.stringContaining('/days')]);
    expect(validate('other', { days: 2 })).toEqual([expect.stringContaining('"other"')]);
  },
);

it('makes a call that the library refuses malformed', () => {
  const validate = argumentValidator([plain]);
  const parse = (days: number) => {
    const parser = createResponseParser(samples.jsonInTags, { tools: [plain], validate });
    parser.feed(`<use>\n{"name": "plan", "arguments": {"days": ${days}}}\n</use>`);
    return parser.finish().message;
  };
  expect(parse(2).tool_calls).toMatchObject([{ assurance: 'validated' }]);
  expect(parse(3).tool_calls).toBeUndefined();
  expect(parse(3).malformed).toMatchObject([
    { brokenCall: { toolName: 'plan', problems: [expect.stringContaining('days come in pairs')] } },
  ]);
});
