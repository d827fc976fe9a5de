/** Lists and objects in formats whose strings have no quotes: where the template writes Python's words, in either notation. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat, EntryArguments } from '../../src/format/chat-format.ts';
import type { JsonValue, Tool } from '../../src/format/messages.ts';
import { writeJson, writePython } from '../../src/format/write-values.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import { generatedFormats } from '../support/generated-formats.ts';

const parameters = {
  type: 'object',
  properties: {
    a: { type: 'array', items: { type: ['string', 'boolean', 'null'] } },
    o: { type: 'object', properties: { k: { type: 'array', items: { type: 'string' } } }, required: ['k'] },
  },
  required: ['a', 'o'],
  additionalProperties: false,
} as const;
const tools: readonly Tool[] = [{ type: 'function', function: { name: 'f', parameters } }];

const texts = fc.string({
  unit: fc.constantFrom('a', "'", '"', '\\', '\n', 'é', ',', ']', ' '),
  maxLength: 6,
});
const values = fc.record({
  a: fc.array(fc.oneof(texts, fc.boolean(), fc.constant(null)), { minLength: 1, maxLength: 3 }),
  o: fc.record({ k: fc.array(texts, { minLength: 1, maxLength: 2 }) }),
});

describe.each(mixedFormats())('$name', ({ format }) => {
  it('reads and allows both notations', () => {
    const style = entriesOf(format)?.style;
    if (style === undefined) throw new TypeError('its arguments are entries');
    fc.assert(
      fc.property(values, fc.boolean(), fc.boolean(), (given, ...isPython) => {
        const spell = (value: JsonValue, python: boolean) =>
          python ? writePython(value) : writeJson(value, style);
        const [a, o] = [spell(given.a, isPython[0]), spell(given.o, isPython[1])];
        expect([a, o, taken(format, a, o)]).toEqual([a, o, given]);
      }),
      { numRuns: process.env.LAWS === 'long' ? 300 : 12 },
    );
  });
});

/** The argument as the grammar and the parser take them; `null` if the grammar refuses the text. */
function taken(format: ChatFormat, a: string, o: string): unknown {
  const generationPrompt = format.turn.start;
  const { expression } = buildGrammar(format, { tools, generationPrompt, toolChoice: 'required' });
  if (expression === null) throw new TypeError('calls are required');
  const text = callWith(format, a, o);
  const matcher = createMatcher(expression);
  if (!matcher.accept(text) || !matcher.complete) return null;
  const parser = createResponseParser(format, { tools, generationPrompt, leniency: 'strict' });
  parser.feed(text);
  const [call] = parser.finish('stop').message.tool_calls ?? [];
  return JSON.parse(call?.function.arguments ?? 'null');
}

/** The call that the format writes, with its values spelled like this. */
function callWith(format: ChatFormat, a: string, o: string): string {
  const [list, object] = [['in a'], { k: ['in o'] }];
  const call = {
    type: 'function',
    function: { name: 'f', arguments: JSON.stringify({ a: list, o: object }) },
  } as const;
  const written = writeResponse(format, {
    role: 'assistant',
    content: '',
    tool_calls: [{ id: '', ...call }],
  });
  const style = entriesOf(format)?.style;
  const spellings = (value: JsonValue) => [
    writePython(value),
    ...(style === undefined ? [] : [writeJson(value, style)]),
  ];
  const replace = (text: string, value: JsonValue, by: string) =>
    spellings(value).reduce((all, spelled) => all.replace(spelled, () => by), text);
  return replace(replace(written, list, a), object, o);
}

function mixedFormats(): readonly { readonly name: string; readonly format: ChatFormat }[] {
  return generatedFormats().filter(({ format }) => {
    const frames = entriesOf(format)?.frames;
    return frames?.string.codec === 'raw' && frames.boolean.codec === 'python';
  });
}

function entriesOf({ calls }: ChatFormat): EntryArguments | null {
  return calls?.arguments.kind === 'entries' ? calls.arguments : null;
}
