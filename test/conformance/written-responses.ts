/** How one template's format fares with responses that were written by hand from reading the template. */
import type { Analysis } from '../../src/analysis/analysis.ts';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { IdiolectError, TemplateError } from '../../src/format/errors.ts';
import type { JsonObject, JsonValue, Message, Tool } from '../../src/format/messages.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { readGenerationPrompt } from '../../src/template/prompt/generation-prompt.ts';
import { type RenderPromptOptions, renderPrompt } from '../../src/template/prompt/render-prompt.ts';

/** A call: its tool, and its arguments. */
export type WrittenCall = readonly [name: string, input: JsonObject];

/** One response, and what it says. */
export interface WrittenResponse {
  readonly id: string;
  readonly thinking: boolean | null;
  /** The prompt before it: a question, or a question, a call and its result. */
  readonly turn: 'first' | 'tool';
  readonly text: string;
  readonly expect: {
    readonly reasoning: string;
    readonly content: string;
    readonly calls: readonly WrittenCall[];
  };
}

/** Texts that the grammar of a required call accepts and refuses. */
export interface RequiredTexts {
  readonly accepts: readonly (readonly [id: string, text: string])[];
  readonly refuses: readonly (readonly [id: string, text: string])[];
}

/** The judgement of one template. */
export type Verdict = 'right' | 'warned' | 'refused' | 'wrong in silence';

/** A verdict with what is wrong. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly wrong: readonly string[];
}

const tool = (name: string, properties: JsonObject, required: readonly string[]): Tool => ({
  type: 'function',
  function: {
    name,
    description: name,
    parameters: { type: 'object', properties, required: [...required], additionalProperties: false },
  },
});

const tools: readonly Tool[] = [
  tool('get_weather', { city: { type: 'string' }, days: { type: 'integer' } }, ['city', 'days']),
  tool('now', {}, []),
  tool(
    'save',
    {
      s: { type: 'string' },
      n: { type: 'number' },
      b: { type: 'boolean' },
      z: { type: 'null' },
      l: { type: 'array' },
      o: { type: 'object' },
    },
    [],
  ),
];

/** A template's source, and the token that ends its turns. */
interface Given {
  readonly source: string;
  readonly eosToken: string;
}

/** Judges a template by its responses and, where calls can be required, by that grammar. */
export function judge(
  source: string,
  responses: readonly WrittenResponse[],
  required: RequiredTexts | null,
): Judgement {
  const given = { source, eosToken: '<EOS>' };
  try {
    const analysis = analyzeTemplate(source, { bosToken: '<BOS>', eosToken: given.eosToken });
    const wrong = [
      ...responses.flatMap((each) => misread(analysis.format, given, each)),
      ...(required === null ? [] : ungrammatical(analysis.format, given, required)),
    ];
    return { verdict: verdictOf(analysis, wrong), wrong };
  } catch (error) {
    if (error instanceof IdiolectError) return { verdict: 'refused', wrong: [error.message] };
    throw error;
  }
}

function verdictOf({ warnings }: Analysis, wrong: readonly string[]): Verdict {
  if (wrong.length === 0) return 'right';
  return warnings.length > 0 ? 'warned' : 'wrong in silence';
}

const question: Message = { role: 'user', content: 'How is the weather in Oslo?' };
const afterResult: readonly Message[] = [
  question,
  {
    role: 'assistant',
    content: '',
    tool_calls: [
      {
        id: 'call00001',
        type: 'function',
        function: { name: 'get_weather', arguments: '{"city": "Oslo", "days": 2}' },
      },
    ],
  },
  { role: 'tool', tool_call_id: 'call00001', name: 'get_weather', content: 'rain' },
];

/** What the prompt holds of the assistant's turn; after a question alone where the template refuses a result. */
function promptBefore(
  format: ChatFormat,
  { source, eosToken }: Given,
  { thinking, turn }: Pick<WrittenResponse, 'thinking' | 'turn'>,
): string {
  const options = (messages: readonly Message[]): RenderPromptOptions => ({
    messages,
    tools,
    input: format.input,
    bosToken: '<BOS>',
    eosToken,
    now: new Date(0),
    ...(thinking === null ? {} : { thinking }),
  });
  const read = (messages: readonly Message[]) => {
    const text = renderPrompt(source, options(messages));
    return readGenerationPrompt({ templateSource: source, options: options(messages), text }, format.turn);
  };
  if (turn === 'first') return read([question]);
  try {
    return read(afterResult);
  } catch (error) {
    if (error instanceof TemplateError) return read([question]);
    throw error;
  }
}

/** What a response is read as, if that is not what it says. */
function misread(format: ChatFormat, given: Given, response: WrittenResponse): readonly string[] {
  const { id, text, expect } = response;
  const generationPrompt = promptBefore(format, given, response);
  const parser = createResponseParser(format, { tools, generationPrompt });
  parser.feed(text);
  const { message } = parser.finish();
  const calls = (message.tool_calls ?? []).map((call): readonly JsonValue[] => [
    call.function.name,
    parsed(call.function.arguments),
  ]);
  const actual = [(message.reasoning_content ?? '').trim(), (message.content ?? '').trim(), calls];
  const expected = [expect.reasoning.trim(), expect.content.trim(), expect.calls];
  if (canonical(actual) === canonical(expected)) return [];
  const prompt = JSON.stringify(generationPrompt);
  return [`${id}: ${JSON.stringify(text)} after ${prompt} reads as ${JSON.stringify(actual)}`];
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

/** Texts on which the grammar of a required call errs. */
function ungrammatical(
  format: ChatFormat,
  given: Given,
  { accepts, refuses }: RequiredTexts,
): readonly string[] {
  if (format.calls === null) return ['required: the format has no calls'];
  const generationPrompt = promptBefore(format, given, { thinking: null, turn: 'first' });
  const { expression } = buildGrammar(format, { tools, toolChoice: 'required', generationPrompt });
  if (expression === null) return ['required: no grammar'];
  // Where the grammar stops taking a text; its length if it takes all of it.
  const end = (text: string) => {
    const matcher = createMatcher(expression);
    const units = Array.from(text);
    const stop = units.findIndex((unit) => !matcher.accept(unit));
    if (stop >= 0) return units.slice(0, stop).join('').length;
    return matcher.complete ? text.length : text.length - 1;
  };
  const refused = accepts
    .map(([id, text]) => ({ id, text, at: end(text) }))
    .filter(({ text, at }) => at < text.length)
    .map(
      ({ id, text, at }) => `refuses ${id} at ${JSON.stringify(text.slice(at))} of ${JSON.stringify(text)}`,
    );
  const taken = refuses
    .filter(([, text]) => end(text) === text.length)
    .map(([id, text]) => `accepts ${id}: ${JSON.stringify(text)}`);
  return [...refused, ...taken].map((line) => `required ${line}`);
}
