/** Strings in Python's notation: either quote opens, the same one closes, and both are read alike. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { JsonSchema, JsonValue, Tool } from '../../src/format/messages.ts';
import { writePythonString } from '../../src/format/write-values.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { generatedFormats } from '../support/generated-formats.ts';

const format = generatedFormats().find(({ name }) => name === 'lfm2-8b-a1b')?.format;
if (format === undefined) throw new RangeError('lfm2-8b-a1b');
const generationPrompt = format.turn.start;

function request(schema: JsonSchema) {
  const parameters = { type: 'object', properties: { a: schema }, required: ['a'] } as const;
  const tools: readonly Tool[] = [{ type: 'function', function: { name: 'f', parameters } }];
  return { tools, generationPrompt } as const;
}

/** In the other quotes than those that `repr` chooses. */
function otherQuotes(text: string): string {
  const [quote = ''] = writePythonString(text);
  const other = quote === '"' ? "'" : '"';
  const swapped = Array.from(text, (each) => (each === '"' ? "'" : each === "'" ? '"' : each)).join('');
  const inner = writePythonString(swapped).slice(1, -1);
  const back = Array.from(inner, (each) => (each === '"' ? "'" : each === "'" ? '"' : each)).join('');
  return (
    other +
    back.replaceAll(/(?<!\\)(?:\\\\)*["']/g, (found) =>
      found.at(-1) === other ? `${found.slice(0, -1)}\\${other}` : found,
    ) +
    other
  );
}

function callWith(value: string): string {
  return `<|tool_call_start|>[f(a=${value})]<|tool_call_end|>`;
}

/** The argument as the grammar and the parser take it; `null` if the grammar refuses the text. */
function taken(schema: JsonSchema, text: string): JsonValue {
  const { tools } = request(schema);
  const { expression } = buildGrammar(format ?? never(), { ...request(schema), toolChoice: 'required' });
  if (expression === null) throw new TypeError('calls are required');
  const matcher = createMatcher(expression);
  if (!matcher.accept(text) || !matcher.complete) return null;
  const parser = createResponseParser(format ?? never(), { tools, generationPrompt, leniency: 'strict' });
  parser.feed(text);
  const [call] = parser.finish('stop').message.tool_calls ?? [];
  return (JSON.parse(call?.function.arguments ?? 'null') as { readonly a: JsonValue } | null)?.a ?? null;
}

function never(): never {
  throw new RangeError('lfm2-8b-a1b');
}

const texts = fc.string({
  unit: fc.constantFrom('a', "'", '"', '\\', '\n', 'é', ',', ')', ']', ' '),
  maxLength: 8,
});

describe('a string in Python calls', () => {
  it('may be in either quotes, and is read from both', () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const spelled of [writePythonString(text), otherQuotes(text)]) {
          expect([spelled, taken({ type: 'string' }, callWith(spelled))]).toEqual([spelled, text]);
        }
      }),
    );
  });

  it.each<JsonSchema>([{ enum: ['Oslo', "d'Or"] }, { type: 'string', pattern: "^[A-Z][a-z']*( [A-Z]+)?$" }])(
    'may be so under %j',
    (schema) => {
      expect(taken(schema, callWith('"Oslo"'))).toBe('Oslo');
      expect(taken(schema, callWith("'Oslo'"))).toBe('Oslo');
      expect(taken(schema, callWith('"Oslo\''))).toBeNull();
      expect(taken(schema, callWith('"oslo"'))).toBeNull();
    },
  );

  it('is in its own quotes in a list', () => {
    const list = { type: 'array', items: { type: 'string' } };
    expect(taken(list, callWith(`["Oslo", 'it "is"', "it's"]`))).toEqual(['Oslo', 'it "is"', "it's"]);
  });

  it('forces neither quote', () => {
    const { expression } = buildGrammar(format ?? never(), {
      ...request({ type: 'string' }),
      toolChoice: 'required',
    });
    if (expression === null) throw new TypeError('calls are required');
    expect(createMatcher(expression).forced()).toBe('<|tool_call_start|>[f(a=');
  });
});
