/** vLLM's structural tags of demanded calls next to our grammars: whether the two allow a text in common. */
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { JsonObject, Tool } from '../../src/format/messages.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import { createGbnfMatcher } from '../../src/language/gbnf/gbnf-expression.ts';
import { turnLayout } from '../../src/layout/turn-layout.ts';
import { writeCalls, writeResponse } from '../../src/layout/write-response.ts';
import { markersOf, readFamilies } from './draw-responses.ts';
import { askPython } from './python.ts';
import type { Comparison } from './references.ts';

const parameters = {
  type: 'object',
  properties: {
    n: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    b: { type: 'boolean' },
    s: { type: 'string' },
    o: {
      type: 'object',
      properties: { k: { type: 'string' } },
      required: ['k'],
      additionalProperties: false,
    },
  },
  required: ['n', 'b', 's', 'o'],
  additionalProperties: false,
} as const;
// vLLM enforces schemas of strict tools only.
const strict = { name: 'f', description: 'd', strict: true, parameters };
const tools: readonly Tool[] = [{ type: 'function', function: strict }];
const values: readonly JsonObject[] = [
  { n: 3, b: true, s: 'x y', o: { k: 'v' } },
  { n: null, b: false, s: 'Zürich', o: { k: '' } },
];

interface TagAnswer {
  readonly id: number;
  readonly allowed?: readonly boolean[] | null;
  readonly error?: string;
}

/** One comparison for each family whose parser has a structural tag. */
export async function compareTags(): Promise<readonly Comparison[]> {
  const families = (await readFamilies()).filter(
    ({ format, vllm }) => format.calls !== null && vllm[0] !== null,
  );
  const cases = families.map(({ format, template, vllm }, id) => {
    const texts = values.flatMap((args) => writtenCalls(format, args).flatMap(spellings));
    return { id, format, template, parser: vllm[0], tools, markers: markersOf(format), texts };
  });
  const answers = new Map(
    askPython<TagAnswer>(
      'tags.py',
      cases.map(({ format: _, ...each }) => each),
    ).map((each) => [each.id, each]),
  );
  return cases.flatMap(({ id, format, template, texts }): readonly Comparison[] => {
    const { allowed, error } = answers.get(id) ?? {};
    if (allowed === null || error !== undefined || allowed === undefined) return [];
    const { grammar } = buildGrammar(format, { tools, toolChoice: 'required' });
    // Theirs begins after the thoughts.
    const { empty = '', emptyWithCalls = empty, start: open = '', end = '' } = format.reasoning ?? {};
    const before = ['', empty, emptyWithCalls, open + end].flatMap((each) => [
      each,
      `${each}\n`,
      `${each}\n\n`,
    ]);
    const ours = texts.map((text) =>
      before.some((each) => {
        const matcher = createGbnfMatcher(grammar ?? '');
        return matcher.accept(each + text) && matcher.complete;
      }),
    );
    const shared = texts.filter((_, index) => ours[index] && allowed[index]);
    return [
      {
        mode: 'a text in common',
        verdict: shared.length > 0 ? 'agree' : 'understood differently',
        subject: template,
        text: shared[0] ?? texts[0] ?? '',
        ours: ours.map(Number).join(''),
        theirs: allowed.map(Number).join(''),
      },
    ];
  });
}

/** A call by itself, also with the end of a section of several; and in a response without thoughts. */
function writtenCalls(format: ChatFormat, args: JsonObject): readonly string[] {
  const { calls } = turnLayout(format);
  if (calls === null) return [];
  const called = { name: 'f', arguments: JSON.stringify(args) };
  const tool_calls = [{ id: 'functions.f:0', type: 'function', function: called }] as const;
  const call = writeCalls(calls, tool_calls).trim();
  const close = format.calls?.section.close.trim() ?? '';
  const { empty = '' } = format.reasoning ?? {};
  const response = writeResponse(format, { role: 'assistant', content: null, tool_calls });
  const rest = response.startsWith(empty) ? response.slice(empty.length) : response;
  return [...new Set([call, call.endsWith(close) ? call : call + close, rest.trim()])];
}

/** A call, also with Python's words as JSON's, compact, and with line breaks before it. */
function spellings(text: string): readonly string[] {
  const json = text.replaceAll('True', 'true').replaceAll('False', 'false').replaceAll('None', 'null');
  const all = [text, json, json.replaceAll("'", '"')];
  const layouts = all.flatMap((each) => [each, each.replaceAll('": ', '":').replaceAll(', "', ',"')]);
  return [...new Set(layouts.flatMap((each) => [each, `\n${each}`, `\n\n${each}`]))];
}
