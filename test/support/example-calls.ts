/** Tools for examples, and what a parser reads of a text that comes unit by unit. */
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { JsonObject, Tool } from '../../src/format/messages.ts';
import { everyPosition, parsePieces } from './parse-pieces.ts';

/** A tool with these parameters. */
export function tool(name: string, properties: JsonObject = {}, required: string[] = []): Tool {
  return { type: 'function', function: { name, parameters: { type: 'object', properties, required } } };
}

/** A parameter of each type, and a tool whose name goes on where another one's ends. */
export const exampleTools: readonly Tool[] = [
  tool('f', {
    s: { type: 'string' },
    n: { type: 'integer' },
    o: { type: ['string', 'null'] },
    u: { anyOf: [{ type: 'number' }, { type: 'string' }] },
    l: { type: 'array', items: { type: 'string' } },
    d: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer' } } },
  }),
  tool('forecast'),
];

/** The message, parsed unit by unit. */
export function read(format: ChatFormat, text: string, options = {}) {
  return parsePieces(format, text, everyPosition(text), { tools: exampleTools, ...options }).message;
}

/** Names and arguments of its calls. */
export function inputs(format: ChatFormat, text: string, options = {}) {
  const calls = read(format, text, options).tool_calls ?? [];
  return calls.map((call) => [call.function.name, JSON.parse(call.function.arguments)]);
}
