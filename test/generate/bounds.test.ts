/** Each bound of schemas from which types are made: at it, one below and one above. */
import { expect, it } from 'vitest';
import type { JsonSchema } from '../../src/format/messages.ts';
import { schemaForTypes } from '../../src/generate/schema-for-types.ts';

it.each([
  [63, true],
  [64, true],
  [65, false],
])(
  'types are made down to the 64th schema within another, and may be anything below: %i',
  (depth, isTyped) => {
    let inner: JsonSchema = { type: 'string' };
    for (let at = 1; at < depth; at += 1) inner = { type: 'array', items: inner };
    const parameters = { type: 'object', properties: { a: inner } } as const;
    const types = schemaForTypes([{ type: 'function', function: { name: 'f', parameters } }]);
    expect(JSON.stringify(types).includes('"string"')).toBe(isTyped);
  },
);
