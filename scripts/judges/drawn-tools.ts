/** The tools of drawn responses. */
import type { JsonObject, Tool } from '../../src/format/messages.ts';

const object = (properties: JsonObject, required: readonly string[] = []) => ({
  type: 'object' as const,
  properties,
  required,
});
const tool = (name: string, parameters: JsonObject): Tool => ({
  type: 'function',
  function: { name, description: 'd', parameters },
});
const string = { type: 'string' };

/** The tools on offer. */
export const tools: readonly Tool[] = [
  tool('get_weather', object({ city: string, days: { type: 'integer' } }, ['city'])),
  tool(
    'set_all',
    object({
      s: string,
      n: { type: 'number' },
      i: { type: 'integer' },
      b: { type: 'boolean' },
      a: { type: 'array', items: { type: 'integer' } },
      o: object({ k: string, v: { type: 'array', items: string } }),
      z: { type: ['string', 'null'] },
    }),
  ),
  tool('ping', object({})),
  tool('write_file', object({ path: string, content: string }, ['path', 'content'])),
];
