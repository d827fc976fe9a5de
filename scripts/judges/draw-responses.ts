/** Responses that our writer writes and our grammars derive, for every family that a reference knows. */
import fs from 'node:fs';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { IdiolectError } from '../../src/format/errors.ts';
import { parseObject } from '../../src/format/json-values.ts';
import type { AssistantMessage, Tool } from '../../src/format/messages.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import type { GrammarOptions } from '../../src/grammar/grammar-options.ts';
import type { Grammar } from '../../src/language/expression/expression.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import { allTemplates } from '../../test/support/corpora.ts';
import { sampleGrammar, seededRandom } from '../../test/support/sample-grammar.ts';
import { drawnMessages, hardMessages } from './draw-messages.ts';
import { tools } from './drawn-tools.ts';
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

/** A family with the format of its template. */
interface ReadFamily extends Family {
  readonly format: ChatFormat;
}

/** The families in `families.json`. */
export async function readFamilies(): Promise<readonly ReadFamily[]> {
  const families: readonly Family[] = JSON.parse(
    fs.readFileSync(new URL('./families.json', import.meta.url), 'utf8'),
  );
  const sources = new Map(
    (await allTemplates()).map(({ id, source }) => [id.replace(/\.jinja$/, ''), source]),
  );
  return families.map((family) => {
    const source = sources.get(family.template);
    if (source === undefined) throw new RangeError(`no template ${family.template}`);
    return { ...family, format: analyzeTemplate(source).format };
  });
}

/** How many responses are drawn, in addition to those with hard values. */
export interface Amount {
  readonly seed: number;
  /** For each family; every fourth is derived from our grammar. */
  readonly drawn: number;
}

/** All responses of the families. */
export async function drawResponses({ seed, drawn: count }: Amount): Promise<readonly DrawnResponse[]> {
  const drawn: DrawnResponse[] = [];
  for (const [index, { format, ...family }] of (await readFamilies()).entries()) {
    const all = [...hardMessages(), ...drawnMessages(seed * 1000 + index, count)];
    for (const [at, [name, message]] of all.entries()) {
      if (!canWrite(format, message)) continue;
      const written = writtenResponse(format, message);
      drawn.push(responseOf(family, format, { name, id: drawn.length, ...written }));
      const derived = at % 4 === 0 ? derivedResponse(format, message, written, seed + at) : null;
      if (derived !== null)
        drawn.push(responseOf(family, format, { name: `derived ${name}`, id: drawn.length, ...derived }));
    }
  }
  return drawn;
}

/** Whether the format has a place for everything in a message. */
function canWrite({ calls, reasoning, content }: ChatFormat, message: AssistantMessage): boolean {
  const count = message.tool_calls?.length ?? 0;
  const hasContent = (message.content?.length ?? 0) > 0;
  if (reasoning === null && message.reasoning_content !== undefined) return false;
  if (count > 0 && (calls === null || (count > 1 && !calls.parallel))) return false;
  if (
    calls?.arguments.kind === 'entries' &&
    calls.arguments.frames.null.codec === 'absent' &&
    hasNull(message)
  )
    return false;
  const takesBoth = content.position === 'before-calls' || content.position === 'after-calls';
  return count === 0 || !hasContent || takesBoth;
}

function hasNull({ tool_calls: calls = [] }: AssistantMessage): boolean {
  return calls.some(({ function: called }) =>
    Object.values(parseObject(called.arguments) ?? {}).includes(null),
  );
}

/** A response and what it means, after what a prompt has opened. */
interface MeantResponse {
  readonly added: string;
  readonly text: string;
  readonly thinks: boolean;
  readonly written: Reading;
  /** Its text and thoughts are whatever the grammar allows: only its calls are judged. */
  readonly derived?: true;
}

function writtenResponse(format: ChatFormat, message: AssistantMessage): MeantResponse {
  const thinks = message.reasoning_content !== undefined;
  const found = afterPrompt(format, writeResponse(format, message), thinks);
  return { ...found, thinks, written: readingOf(message) };
}

/**
 * The call of a message in any spelling that our grammar of a required call allows, with the values as constants of its
 * schema; `null` without a call.
 */
function derivedResponse(
  format: ChatFormat,
  message: AssistantMessage,
  { added, thinks, written }: MeantResponse,
  seed: number,
): MeantResponse | null {
  const [call] = message.tool_calls ?? [];
  if (call === undefined) return null;
  const { name, arguments: input } = call.function;
  const values = Object.entries(parseObject(input) ?? {});
  const parameters = {
    type: 'object',
    properties: Object.fromEntries(values.map(([key, value]) => [key, { const: value }])),
    required: values.map(([key]) => key),
    additionalProperties: false,
  };
  const expression = grammarOf(format, {
    tools: [{ type: 'function', function: { name, parameters } }],
    toolChoice: 'required',
    parallelToolCalls: false,
    generationPrompt: format.turn.start + added,
  });
  if (expression === null) return null;
  const text = sampleGrammar(expression, seededRandom(seed), 10);
  return { added, text, thinks, derived: true, written: { ...written, calls: [[name, input]] } };
}

/** Some formats cannot write some values. */
function grammarOf(format: ChatFormat, options: GrammarOptions): Grammar | null {
  try {
    return buildGrammar(format, options).expression;
  } catch (error) {
    if (error instanceof IdiolectError) return null;
    throw error;
  }
}

function responseOf(
  family: Family,
  format: ChatFormat,
  {
    added,
    text,
    thinks,
    written,
    derived,
    ...named
  }: MeantResponse & { readonly name: string; readonly id: number },
): DrawnResponse {
  const prompt = format.turn.start + added;
  const read = (pieces: readonly string[]): Reading => {
    const parser = createResponseParser(format, { tools, generationPrompt: prompt });
    for (const piece of pieces) parser.feed(piece);
    return readingOf(parser.finish('stop').message);
  };
  const whole = read([text]);
  const threes = Array.from({ length: Math.ceil(text.length / 3) }, (_, at) =>
    text.slice(at * 3, at * 3 + 3),
  );
  const opener = format.reasoning?.start.trim() ?? '';
  return {
    ...family,
    ...named,
    tools,
    prompt,
    text,
    markers: markersOf(format),
    thinks,
    open: opener !== '' && added.trimEnd().endsWith(opener),
    written: derived === true ? { ...whole, calls: written.calls } : written,
    ours: { whole, streamed: read(threes) },
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

/** Markers of a format that are single tokens. */
export function markersOf({
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
