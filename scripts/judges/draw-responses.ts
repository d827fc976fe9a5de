/** Responses that the writer writes, with values that notations trip over, for every family that a reference knows. */
import fs from 'node:fs';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { AssistantMessage, JsonObject, Tool } from '../../src/format/messages.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import { allTemplates } from '../../test/support/corpora.ts';
import type { Reading } from './reading.ts';

/** The parsers of a reference for one template: of calls, and of thoughts. */
type ParserNames = readonly [calls: string | null, thoughts: string | null];

interface Family {
  readonly template: string;
  readonly vllm: ParserNames;
  readonly sglang: ParserNames;
}

/** A response, how it was written, and how we read it. */
export interface DrawnResponse extends Family {
  readonly id: number;
  readonly name: string;
  readonly tools: readonly Tool[];
  /** What the prompt ends with: the turn's start, and what it opens. */
  readonly prompt: string;
  readonly text: string;
  /** Markers that are single tokens in the model's vocabulary. */
  readonly markers: readonly string[];
  readonly thinks: boolean;
  /** The prompt has opened the thoughts. */
  readonly open: boolean;
  readonly written: Reading;
  readonly ours: { readonly whole: Reading; readonly streamed: Reading };
}

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

const hardTexts = [
  'Oslo',
  'Zürich 日本 🙂',
  'say "hi" and \'bye\'',
  'C:\\dir\\new',
  'line 1\nline 2\n\n  indented\n',
  '\n  x',
  ' a ',
  'def f(x):\n    return {"a": [x, \'b\']}  # <b> & {c}\n',
  '<div class="a">&amp; <b>x</b></div>',
  '{"k": [1, 2, {"x": null}]}',
  '12345',
  'true',
  'null',
  '',
  '}{][',
  'a, b=c; d: e',
  'a\tb',
  '</x>',
  '```js\nx\n```',
  "it's",
  '\\n',
  '%d %s',
  '1e5',
  '-',
  '0',
  'None',
  'a|b',
  '$x',
  '#1',
  '=',
  ':',
  '@',
  "''",
  '""',
  '\\',
  '/',
  '[1]',
  '(a)',
];
const hardObjects: readonly JsonObject[] = [
  { n: 1.5, i: -3 },
  { n: 1e-7, i: 0 },
  { b: true, s: 'x' },
  { b: false },
  { a: [1, 2, 3] },
  { a: [], o: {} },
  { o: { k: 'v "q"', v: ['a', 'b\n'] } },
  { z: null, s: 'x' },
  { i: 1234567890123 },
  { n: -0.5 },
  { s: 'x', n: 2.25, i: 4, b: true, a: [5], o: { k: 'y', v: [] } },
  { o: { k: '', v: ['', ' '] } },
  { a: [-1, 0] },
];

type Call = NonNullable<AssistantMessage['tool_calls']>[0];

function messages(): readonly (readonly [name: string, message: AssistantMessage])[] {
  let count = 0;
  const call = (name: string, args: JsonObject): Call => ({
    id: `abcdefg${10 + (count++ % 80)}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  });
  const weather = (city: string, days = 3) => call('get_weather', { city, days });
  const answer = (content: string, calls: readonly Call[] = [], thoughts?: string): AssistantMessage => ({
    role: 'assistant',
    content,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(thoughts === undefined ? {} : { reasoning_content: thoughts }),
  });
  const texts = [
    'Hello!',
    'It is **sunny**.\n\n- 20 °C',
    'In JSON: {"a": 1} and [x] <b>y</b>.',
    'Two\nlines.',
  ];
  const thoughts = ['Hm.', 'First.\n\nThen {"x": 1}.', 'I need <b>it</b>.'];
  return [
    ...texts.map((text): [string, AssistantMessage] => ['text', answer(text)]),
    ...thoughts.map((thought): [string, AssistantMessage] => [
      'thoughts, text',
      answer('Done.', [], thought),
    ]),
    ...hardTexts.map((text, at): [string, AssistantMessage] => [`text ${at}`, answer('', [weather(text)])]),
    ...hardTexts
      .slice(4, 12)
      .map((content, at): [string, AssistantMessage] => [
        `file ${at}`,
        answer('', [call('write_file', { path: 'a.txt', content })]),
      ]),
    ...hardObjects.map((args, at): [string, AssistantMessage] => [
      `values ${at}`,
      answer('', [call('set_all', args)]),
    ]),
    ['no arguments', answer('', [call('ping', {})])],
    ['two', answer('', [weather('Oslo'), weather('Rome', 2)])],
    [
      'three',
      answer('', [weather('Oslo'), call('ping', {}), call('write_file', { path: 'x', content: 'y\nz' })]),
    ],
    ['two without arguments', answer('', [call('ping', {}), call('ping', {})])],
    ['text, call', answer('Let me check.', [weather('Oslo')])],
    ['text, two', answer('Let me\ncheck.', [weather('Oslo'), weather('Bern', 2)])],
    ['thoughts, call', answer('', [weather('Oslo')], 'I need the weather.')],
    ['thoughts, text, call', answer('Checking.', [weather('Oslo')], 'I need it.')],
    ['thoughts, two', answer('', [weather('Oslo'), weather('Bern', 2)], 'Two\nlines')],
  ];
}

/** All responses of the families in `families.json`. */
export async function drawResponses(): Promise<readonly DrawnResponse[]> {
  const families: readonly Family[] = JSON.parse(
    fs.readFileSync(new URL('./families.json', import.meta.url), 'utf8'),
  );
  const sources = new Map(
    (await allTemplates()).map(({ id, source }) => [id.replace(/\.jinja$/, ''), source]),
  );
  const drawn: DrawnResponse[] = [];
  for (const family of families) {
    const source = sources.get(family.template);
    if (source === undefined) throw new RangeError(`no template ${family.template}`);
    const { format } = analyzeTemplate(source);
    for (const [name, message] of messages()) {
      const response = drawResponse(family, format, name, message, drawn.length);
      if (response !== null) drawn.push(response);
    }
  }
  return drawn;
}

function drawResponse(
  family: Family,
  format: ChatFormat,
  name: string,
  message: AssistantMessage,
  id: number,
): DrawnResponse | null {
  const { calls, reasoning, content, turn } = format;
  const count = message.tool_calls?.length ?? 0;
  const hasContent = (message.content?.length ?? 0) > 0;
  if (reasoning === null && message.reasoning_content !== undefined) return null;
  if (count > 0 && (calls === null || (count > 1 && !calls.parallel))) return null;
  if (count > 0 && hasContent && content.position !== 'before-calls' && content.position !== 'after-calls')
    return null;
  const thinks = message.reasoning_content !== undefined;
  const { added, text } = afterPrompt(format, writeResponse(format, message), thinks);
  const prompt = turn.start + added;
  const read = (pieces: readonly string[]): Reading => {
    const parser = createResponseParser(format, { tools, generationPrompt: prompt });
    for (const piece of pieces) parser.feed(piece);
    return readingOf(parser.finish('stop').message);
  };
  const opener = reasoning?.start.trim() ?? '';
  return {
    ...family,
    id,
    name,
    tools,
    prompt,
    text,
    markers: markersOf(format),
    thinks,
    open: opener !== '' && added.trimEnd().endsWith(opener),
    written: readingOf(message),
    ours: {
      whole: read([text]),
      streamed: read(
        Array.from({ length: Math.ceil(text.length / 3) }, (_, at) => text.slice(at * 3, at * 3 + 3)),
      ),
    },
  };
}

/** The response after the prompt that leads to it; a prompt may have closed the thoughts already. */
function afterPrompt({ turn, reasoning }: ChatFormat, written: string, thinks: boolean) {
  const { on, off, unset } = turn.prompt;
  const prompts = thinks ? [on, unset] : [off, unset, on];
  const added = prompts.find((each) => written.startsWith(each));
  if (added !== undefined) return { added, text: written.slice(added.length) };
  const empty = reasoning?.empty ?? '';
  if (!thinks && empty !== '' && written.startsWith(empty))
    return { added: off, text: written.slice(empty.length) };
  return { added: '', text: written };
}

function readingOf({ content, reasoning_content: reasoning, tool_calls: calls }: AssistantMessage): Reading {
  return {
    reasoning: reasoning ?? '',
    content: typeof content === 'string' ? content : '',
    calls: (calls ?? []).map(({ function: called }) => [called.name, called.arguments]),
  };
}

/** What vocabularies usually have as single tokens, and what in the format looks like one. */
const usual = [
  '<think>',
  '</think>',
  '<tool_call>',
  '</tool_call>',
  '<|im_start|>',
  '<|im_end|>',
  '<|python_tag|>',
];
const looksLikeToken = /<[^<>\s="{}]+>|\[\/?[A-Z_]+\]/g;

function markersOf({
  preservedTokens,
  stops,
  turn,
  reasoning,
  content,
  calls,
}: ChatFormat): readonly string[] {
  const { arguments: _, ...skeleton } = calls ?? { arguments: null };
  const text = JSON.stringify([preservedTokens, stops, turn, reasoning, content, skeleton]);
  return [...new Set([...(text.match(looksLikeToken) ?? []), ...usual])].filter(
    (each) => !each.includes('\\'),
  );
}
