import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject, Tool } from '../../src/format/messages.ts';
import { promptTools } from '../../src/tools/prompt-tools.ts';
import { normalizeTools } from '../../src/tools/tools.ts';

it('a prompt tells no dialect, no strictness and no bounds of JavaScript', () => {
  const parameters = z.strictObject({ days: z.int(), hours: z.array(z.int().max(24)) });
  const tools = normalizeTools([{ name: 'forecast', parameters }]);
  const [tool] = promptTools(
    tools.map((each) => ({ ...each, function: { ...each.function, strict: true } })),
  );
  expect(tool).toEqual({
    type: 'function',
    function: {
      name: 'forecast',
      parameters: {
        type: 'object',
        properties: {
          days: { type: 'integer' },
          hours: { type: 'array', items: { type: 'integer', maximum: 24 } },
        },
        required: ['days', 'hours'],
        additionalProperties: false,
      },
    },
  });
});

it('values in a schema are not keywords', () => {
  const parameters: JsonObject = {
    type: 'object',
    properties: { limit: { const: { maximum: Number.MAX_SAFE_INTEGER } } },
  };
  const tool: Tool = { type: 'function', function: { name: 'a', parameters } };
  expect(promptTools([tool])[0]).toBe(tool);
});

it('a tool without any of them stays the same object', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('title', 'maximum', 'items'), fc.integer()), (parameters) => {
      const tool: Tool = { type: 'function', function: { name: 'a', parameters } };
      expect(promptTools([tool])[0]).toBe(tool);
    }),
  );
});
