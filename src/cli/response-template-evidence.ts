/**
 * What a model's own files say of how its responses are read, as evidence for or against the inferred format: a response
 * template, or the older response schema.
 */
import type { AnalysisWarning, Evidence } from '../analysis/evidence.ts';
import type { ChatFormat } from '../format/chat-format.ts';
import { IdiolectError, PatternError, ResponseTemplateError } from '../format/errors.ts';
import { isObject } from '../format/json-values.ts';
import type { AssistantMessage, JsonValue } from '../format/messages.ts';
import { turnLayout } from '../layout/turn-layout.ts';
import { writeResponse } from '../layout/write-response.ts';
import { parseWithResponseTemplate } from '../response-template/index.ts';
import { parseWithResponseSchema } from '../response-template/response-schema.ts';
import { namesThoughts } from '../template/prompt/names-thoughts.ts';
import { sampleMessage, sampleTool } from './sample-response.ts';

/** How a model's files say that its responses are read. */
export interface ResponseReader {
  readonly kind: 'template' | 'schema';
  /** The template or the schema. */
  readonly value: JsonValue;
}

/** A part of a message, and what a response template makes of it. */
type Part = 'content' | 'reasoning' | 'calls';

/** What a response template says of a format. */
interface ReaderFindings {
  /** The parts of a sample response that it reads as they are meant. */
  readonly evidence: readonly Evidence[];
  /** The other parts, and those that the format lacks. */
  readonly warnings: readonly AnalysisWarning[];
}

/** The response template or the response schema of a parsed `tokenizer_config.json`; transformers prefers the former. */
export function readerOfConfig(config: JsonValue): ResponseReader | null {
  if (!isObject(config)) return null;
  const { response_template: template, response_schema: schema } = config;
  if (template !== undefined && template !== null) return { kind: 'template', value: template };
  return schema === undefined || schema === null ? null : { kind: 'schema', value: schema };
}

/** Has the reader read a sample response that the format writes. */
export function compareWithReader(format: ChatFormat, reader: ResponseReader): ReaderFindings {
  const message = sampleMessage(format);
  const { start, ends, content } = turnLayout(format);
  const written = writeResponse(format, message);
  const text = written + (ends[0]?.text ?? '');
  // A schema may be made for a response without the marker that ends it.
  const texts = reader.kind === 'schema' && text !== written ? [text, written] : [text];
  const attempts = texts.map((each) => ({ text: each, ...readWith(reader, each, start.text) }));
  const judged = attempts.map((attempt) => ({ ...attempt, parts: judge(attempt.read, message, content) }));
  const [best] = [...judged].sort((a, b) => right(b.parts) - right(a.parts));
  if (best === undefined) return { evidence: [], warnings: [] };
  if (best.unread) return { evidence: [], warnings: [unreadReader(reader, best.failure)] };
  const unread = best.parts.filter(({ isRead }) => !isRead);
  // A failure is told once.
  const contradictions = (best.failure === null ? unread : unread.slice(-1)).map(({ part }) =>
    contradiction(part, reader, best),
  );
  return {
    evidence: best.parts
      .filter(({ isRead, isShown }) => isRead && isShown)
      .map(({ part }) => support(part, reader, best)),
    warnings: [...contradictions, ...missingParts(format, reader)],
  };
}

type Read = Readonly<Record<string, JsonValue | undefined>>;

interface Attempt {
  readonly text: string;
  readonly read: Read;
  /** Why nothing was read. */
  readonly failure: string | null;
  /** The reader itself cannot be read. */
  readonly unread: boolean;
}

function readWith({ kind, value }: ResponseReader, text: string, prefix: string): Omit<Attempt, 'text'> {
  try {
    const options = { prefix, tools: [sampleTool], malformed: 'event' } as const;
    const read =
      kind === 'schema'
        ? parseWithResponseSchema(value, text)
        : parseWithResponseTemplate(value, text, options);
    return { read, failure: null, unread: false };
  } catch (error) {
    if (!(error instanceof IdiolectError)) throw error;
    const unread = error instanceof ResponseTemplateError || error instanceof PatternError;
    return { read: {}, failure: error.message, unread };
  }
}

interface JudgedPart {
  readonly part: Part;
  /** Whether the sample has it. */
  readonly isShown: boolean;
  readonly isRead: boolean;
}

function judge(
  read: Read,
  message: AssistantMessage,
  { position }: ReturnType<typeof turnLayout>['content'],
): readonly JudgedPart[] {
  // Some formats have no place for an answer next to calls, or put it among the thoughts.
  const isAnswered = position !== 'dropped' && position !== 'reasoning';
  const thoughts = message.reasoning_content !== undefined && position !== 'reasoning';
  const calls = (message.tool_calls ?? []).length > 0;
  return [
    { part: 'content', isShown: isAnswered, isRead: !isAnswered || sameText(read.content, message.content) },
    { part: 'reasoning', isShown: thoughts, isRead: !thoughts || showsThoughts(read, message) },
    { part: 'calls', isShown: calls, isRead: sameCalls(read.tool_calls, message) },
  ];
}

function right(parts: readonly JudgedPart[]): number {
  return parts.filter(({ isRead }) => isRead).length;
}

const nameOf = ({ kind }: ResponseReader): string => `the model's response ${kind}`;

function support(part: Part, reader: ResponseReader, { read }: Attempt): Evidence {
  const reason = `${nameOf(reader)} reads this part of what the format writes as it is meant`;
  const slice = JSON.stringify(read).slice(0, 200);
  return { field: part, probe: `response-${reader.kind}`, slice, reason, basis: 'model' };
}

function contradiction(
  part: Part,
  reader: ResponseReader,
  { read, text, failure }: Attempt,
): AnalysisWarning {
  const problem = failure === null ? 'reads something else' : `fails (${failure})`;
  const message = `${nameOf(reader)}, given what this format writes, ${problem}: one of the two is wrong`;
  return { field: part, kind: 'model', message, rendered: JSON.stringify(read), written: text };
}

function unreadReader(reader: ResponseReader, failure: string | null): AnalysisWarning {
  const message = `${nameOf(reader)} could not be compared with the format: ${failure}`;
  return { field: 'labels', kind: 'model', message };
}

/** Parts that the reader has a place for, and the format has not. */
function missingParts(format: ChatFormat, reader: ResponseReader): readonly AnalysisWarning[] {
  const tree = reader.kind === 'schema' ? 'properties' : 'fields';
  const fields = isObject(reader.value) ? reader.value[tree] : {};
  const names = Object.keys(isObject(fields) ? fields : {});
  const missing: readonly (readonly [Part, boolean])[] = [
    ['reasoning', format.reasoning === null && names.some((name) => namesThoughts.test(name))],
    ['calls', format.calls === null && names.includes('tool_calls')],
  ];
  return missing
    .filter(([, isMissing]) => isMissing)
    .map(([field]) => {
      const message = `${nameOf(reader)} finds ${field} in responses, and the chat template shows none`;
      return { field, kind: 'model', message };
    });
}

/** White space at the edges is no contradiction: readers strip it or not. */
function sameText(read: JsonValue | undefined, meant: unknown): boolean {
  return typeof read === 'string' && typeof meant === 'string' && read.trim() === meant.trim();
}

/** Response templates name the field of thoughts as they like. */
function showsThoughts(read: Read, { reasoning_content: thoughts }: AssistantMessage): boolean {
  const others = Object.entries(read).filter(([key]) => !['role', 'content', 'tool_calls'].includes(key));
  return thoughts === undefined || others.some(([, value]) => sameText(value, thoughts));
}

function sameCalls(read: JsonValue | undefined, { tool_calls: made = [] }: AssistantMessage): boolean {
  const calls = Array.isArray(read) ? read : [];
  const spelled = calls.map((call: JsonValue) => {
    const called = isObject(call) && isObject(call.function) ? call.function : null;
    const input = called?.arguments ?? null;
    return [called?.name ?? null, typeof input === 'string' ? JSON.parse(input) : input];
  });
  const meant = made.map((call) => [call.function.name, JSON.parse(call.function.arguments)]);
  return JSON.stringify(spelled) === JSON.stringify(meant);
}
