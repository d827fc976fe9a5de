/** A call in a notation: the format's own, JSON as in APIs, or one of those that other formats have. */
import { callNotations, notationFormat } from '../../../src/format/call-notations.ts';
import type { ChatFormat } from '../../../src/format/chat-format.ts';
import type { JsonObject, Tool } from '../../../src/format/messages.ts';
import { writeResponse } from '../../../src/layout/write-response.ts';
import { normalizeTools } from '../../../src/tools/tools.ts';
import { callId } from '../law-tools.ts';

/** Values of each type, bounded and free, required and optional, and a tool without arguments. */
export const spelledTools: readonly Tool[] = normalizeTools([
  {
    name: 'plan_trip',
    parameters: {
      type: 'object',
      properties: {
        place: { type: 'string' },
        days: { type: 'integer', minimum: 1, maximum: 14 },
        unit: { type: 'string', enum: ['celsius', 'kelvin'] },
        price: { type: 'number' },
        exact: { type: 'boolean' },
        tags: { type: 'array', items: { type: 'string' } },
        options: {
          type: 'object',
          properties: { open: { type: 'boolean' }, level: { type: 'integer' } },
          required: ['open'],
          additionalProperties: false,
        },
      },
      required: ['place', 'days'],
      additionalProperties: false,
    },
  },
  { name: 'list_files', parameters: { type: 'object', properties: {}, additionalProperties: false } },
]);

/** A call to be written. */
export interface PlainCall {
  readonly name: string;
  readonly input: JsonObject;
}

/** Writes a call. */
export type Spelling = (call: PlainCall, format: ChatFormat) => string;

function written(format: ChatFormat, { name, input }: PlainCall): string {
  const text = writeResponse(format, {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: callId(0), type: 'function', function: { name, arguments: JSON.stringify(input) } }],
  });
  // Thoughts that are empty are no part of the call.
  const empty = format.reasoning?.empty ?? '';
  return text.startsWith(empty) ? text.slice(empty.length) : text;
}

/** The notations by name. */
export const spellings: Readonly<Record<string, Spelling>> = {
  own: (call, format) => written(format, call),
  json: ({ name, input }) => `{"name": "${name}", "arguments": ${spaced(input)}}`,
  compact: ({ name, input }) => JSON.stringify({ name, parameters: input }),
  indented: ({ name, input }) => JSON.stringify({ name, arguments: input }, null, 2),
  'as in APIs': ({ name, input }) =>
    `{"type": "function", "function": {"name": "${name}", "arguments": ${spaced(input)}}}`,
  'name as function': ({ name, input }) => `{"function": "${name}", "arguments": ${spaced(input)}}`,
  'list of calls': ({ name, input }) =>
    `{"tool_calls": [{"function": {"name": "${name}", "arguments": ${spaced(input)}}}]}`,
  'arguments first': ({ name, input }) => `{"arguments": ${spaced(input)}, "name": "${name}"}`,
  ...Object.fromEntries(
    (Object.keys(callNotations) as (keyof typeof callNotations)[]).map((notation) => [
      notation,
      (call: PlainCall) => written(notationFormat(notation), call),
    ]),
  ),
};

/** JSON as Python writes it. */
function spaced(value: JsonObject): string {
  return JSON.stringify(value, null, 1)
    .replace(/\n\s*(?=[}\]])|(?<=[{[])\n\s*/g, '')
    .replace(/\n\s*/g, ' ');
}
