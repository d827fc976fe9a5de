/**
 * Damaged responses in the formats of both corpora: nothing throws, nothing is lost, a call that was
 * announced is completed or reported, and the cut does not matter.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { AnalysisError } from '../../src/format/errors.ts';
import type { AssistantMessage } from '../../src/format/messages.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import type { ResponseEvent } from '../../src/parser/events.ts';
import { allTemplates } from '../support/corpora.ts';
import { lawMessage, lawTools } from '../support/law-tools.ts';
import { parsePieces } from '../support/parse-pieces.ts';
import { sampled } from '../support/sample.ts';
import { mutate, seededRandom } from '../support/sample-grammar.ts';

const long = process.env.LAWS === 'long';
/** Texts over the formats of the run together. */
const texts = long ? 1_000_000 : 2500;
const seed = Number(process.env.SEED);
/** Messages per format that are written and then damaged. */
const messagesPerFormat = long ? 300 : 10;

/** The distinct formats of the templates that the run tries, by the first template that has them. */
async function distinctFormats(): Promise<ReadonlyMap<string, ChatFormat>> {
  const formats = new Map<string, { id: string; format: ChatFormat }>();
  for (const { id, source } of sampled(await allTemplates(), 6)) {
    const format = formatOf(source);
    if (format === null) continue;
    const { templateSha256: _sha, capabilities: _capabilities, ...rest } = format;
    const key = JSON.stringify(rest);
    if (!formats.has(key)) formats.set(key, { id, format });
  }
  return new Map(Array.from(formats.values(), ({ id, format }) => [id, format]));
}

/** `null` for a template that is none of a chat. */
function formatOf(source: string): ChatFormat | null {
  try {
    return analyzeTemplate(source).format;
  } catch (error) {
    if (error instanceof AnalysisError) return null;
    throw error;
  }
}

/** What the format writes for a message, without what it cannot show. */
function written(format: ChatFormat, message: AssistantMessage): string {
  const { reasoning_content: thoughts, tool_calls: calls = [], ...rest } = message;
  const shown = format.calls === null ? [] : calls.slice(0, format.calls.parallel ? 3 : 1);
  return writeResponse(format, {
    ...rest,
    ...(format.reasoning === null || thoughts === undefined ? {} : { reasoning_content: thoughts }),
    ...(shown.length === 0 ? {} : { tool_calls: shown }),
  });
}

const noise = [
  '<',
  '>',
  '{',
  '}',
  '[',
  ']',
  '"',
  "'",
  '\\',
  '\n',
  '\r\n',
  ',',
  ' ',
  'x',
  '</',
  '😀',
  '\ud83d',
  '\0',
];

/** The format's own markers, whole. */
function markersOf({ turn, reasoning, content, calls }: ChatFormat): readonly string[] {
  const parts =
    calls?.arguments.kind === 'entries' ? [calls.arguments.entry.open, calls.arguments.entry.key] : [];
  const literals = [
    ...[turn.start, ...turn.ends, reasoning?.start, reasoning?.end, content.open, content.close],
    ...[calls?.section.open, calls?.section.close, calls?.call.open, calls?.call.close, calls?.separator],
    ...parts,
  ];
  return literals.flatMap((literal = '') => (literal.trim() === '' ? [] : [literal]));
}

/** What is wrong with what is said of the arguments of calls; `null`: nothing. */
function inputFault(events: readonly ResponseEvent[]): string | null {
  let input = '';
  for (const event of events) {
    if (event.type === 'tool-input-start') input = '';
    if (event.type === 'tool-input-delta') input += event.delta;
    if (event.type === 'malformed' && event.brokenCall && event.brokenCall.input !== input) {
      return `the deltas of a broken call say ${input}`;
    }
    if (event.type !== 'tool-call') continue;
    if (event.input !== input) return `the deltas of a call say ${input}`;
    if (JSON.stringify(JSON.parse(input)) !== JSON.stringify(event.arguments))
      return `${input} is other JSON`;
  }
  return null;
}

/** Whether a delta is the text; in a later region, a line break may keep it apart from the one before. */
function isWritten(delta: string, written: string, id: string): boolean {
  return delta === written || (!id.endsWith('-0') && delta === `\n${written}`);
}

/** What is wrong with the events of one text; `null`: nothing. */
function fault(events: readonly ResponseEvent[], text: string): string | null {
  let reached = 0;
  let open: string | null = null;
  for (const event of events) {
    if (event.start !== reached) return `${event.type} begins at ${event.start} instead of ${reached}`;
    reached = event.end;
    const said = 'delta' in event && event.type !== 'tool-input-delta' ? event.delta : null;
    if (said !== null && !isWritten(said, text.slice(event.start, event.end), 'id' in event ? event.id : ''))
      return `${event.type} changes the text`;
    if (event.type === 'malformed' && event.raw !== text.slice(event.start, event.end)) return 'raw differs';
    if (event.type === 'tool-input-start') open = event.id;
    if (event.type === 'tool-call' || (event.type === 'malformed' && event.toolCallId === open)) open = null;
  }
  if (open !== null) return `the call ${open} has no end`;
  return reached === text.length ? null : `the text beyond ${reached} is lost`;
}

const formats = await distinctFormats();

it(`${texts} damaged responses in ${formats.size} formats are read alike, whole and in pieces`, {
  timeout: long ? 6 * 3_600_000 : 120_000,
}, () => {
  const perFormat = Math.ceil(texts / formats.size);
  for (const [index, [id, format]] of [...formats].entries()) {
    const responses = fc
      .sample(lawMessage, { numRuns: messagesPerFormat, seed: seed + index })
      .map((message) => written(format, message));
    const pieces = [...noise, ...markersOf(format), ...markersOf(format)];
    for (let round = 0; round < perFormat; round++) {
      const random = seededRandom(seed + index * perFormat + round);
      let text = responses[round % responses.length] ?? '';
      for (let count = Math.floor(random() * 4); count >= 0; count--) text = mutate(text, random, pieces);
      const options = { tools: lawTools, markers: true, parallelToolCalls: round % 5 !== 0 };
      const whole = parsePieces(format, text, [], options);
      const cuts = Array.from({ length: 1 + (round % 7) }, () => Math.floor(random() * text.length));
      const cut = parsePieces(format, text, cuts, options);
      const wrong = fault(whole.events, text) ?? inputFault(whole.events);
      const same = JSON.stringify(cut) === JSON.stringify(whole);
      if (wrong !== null || !same) expect({ id, round, text, wrong, cuts, ...cut }).toEqual(whole);
    }
  }
});
