/** A model's own response template as evidence: whether it reads what the inferred format writes. */
import type { AnalysisWarning } from '../analysis/evidence.ts';
import type { ChatFormat } from '../format/chat-format.ts';
import { IdiolectError } from '../format/errors.ts';
import { isObject } from '../format/json-values.ts';
import type { AssistantMessage, JsonValue } from '../format/messages.ts';
import { turnLayout } from '../layout/turn-layout.ts';
import { writeResponse } from '../layout/write-response.ts';
import { parseWithResponseTemplate } from '../response-template/index.ts';
import { sampleMessage, sampleTool } from './sample-response.ts';

/** A part of a message, and what a response template makes of it. */
type Part = 'content' | 'reasoning' | 'calls';

/** Warnings for the parts of a sample response that the response template does not read as they are meant. */
export function compareWithResponseTemplate(
  format: ChatFormat,
  template: JsonValue,
): readonly AnalysisWarning[] {
  const message = sampleMessage(format);
  const { start, ends } = turnLayout(format);
  const text = writeResponse(format, message) + (ends[0]?.text ?? '');
  const { read, failure } = readWith(template, text, start.text);
  const { position } = turnLayout(format).content;
  // Some formats have no place for an answer next to calls, or put it among the thoughts.
  const isAnswered = position !== 'dropped' && position !== 'reasoning';
  const parts: readonly (readonly [Part, boolean])[] = [
    ['content', !isAnswered || read.content === message.content],
    ['reasoning', position === 'reasoning' || showsThoughts(read, message)],
    ['calls', sameCalls(read.tool_calls, message)],
  ];
  return parts
    .filter(([, isRead]) => !isRead)
    .map(([field]) => {
      const problem = failure ?? 'reads something else';
      const reason = `the model's response template, given what this format writes, ${problem}: one of the two is wrong`;
      return { field, kind: 'model', message: reason, rendered: JSON.stringify(read), written: text };
    });
}

type Read = Readonly<Record<string, JsonValue | undefined>>;

function readWith(
  template: JsonValue,
  text: string,
  prefix: string,
): { readonly read: Read; readonly failure: string | null } {
  try {
    const read = parseWithResponseTemplate(template, text, {
      prefix,
      tools: [sampleTool],
      malformed: 'event',
    });
    return { read, failure: null };
  } catch (error) {
    if (!(error instanceof IdiolectError)) throw error;
    return { read: {}, failure: `fails (${error.message})` };
  }
}

/** Response templates name the field of thoughts as they like. */
function showsThoughts(read: Read, { reasoning_content: thoughts }: AssistantMessage): boolean {
  const others = Object.entries(read).filter(([key]) => !['role', 'content', 'tool_calls'].includes(key));
  return thoughts === undefined || others.some(([, value]) => value === thoughts);
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
