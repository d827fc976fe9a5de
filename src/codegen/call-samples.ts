/** Samples of a format's calls, as the format writes them, for the pictures of states. */
import type { CallPart } from '../format/chat-format.ts';
import type { ToolCall } from '../format/messages.ts';
import { writeArguments } from '../format/write-values.ts';
import type { CallsLayout } from '../layout/turn-layout.ts';
import { writeCall, writeParts } from '../layout/write-response.ts';

/** The values in pictures. */
export const samples = {
  reasoning: 'The user wants the time.',
  answer: 'Let me look.',
  name: 'get_time',
  id: 'abc123',
  arguments: { city: 'Paris' },
  /** The first argument or property, its value, and the next key. */
  key: 'city',
  value: 'Paris',
  nextKey: 'days',
} as const;

const call: ToolCall = {
  id: samples.id,
  type: 'function',
  function: { name: samples.name, arguments: JSON.stringify(samples.arguments) },
};

/** Parts of a call's skeleton with their holes filled. */
export function sampleParts(parts: readonly CallPart[]): string {
  return writeParts(parts, call, 0, false);
}

/** The arguments with their opener and closer. */
export function sampleArguments(calls: CallsLayout): string {
  return writeArguments(calls.arguments, samples.arguments);
}

/** A whole call with its markers. */
export function sampleCall(calls: CallsLayout): string {
  return writeCall(calls, call, 0);
}

/** The head without its leading literal, which belongs to the opening. */
export function sampleHead({ holes }: CallsLayout): string {
  return sampleParts(holes);
}

/** The arguments, with the rest of an envelope but without the closer of entries. */
export function sampleBeforeClosing(calls: CallsLayout): string {
  const { arguments: format, envelope, tail } = calls;
  const written = sampleArguments(calls);
  const close = format.kind === 'entries' ? format.close : '';
  const rest = envelope === null ? '' : sampleParts(tail);
  return written.slice(0, written.length - close.length) + rest;
}

/** Malformed arguments: text without quotes, or an entry that breaks off in its name. */
export function brokenArguments({ arguments: format }: CallsLayout): string {
  return format.kind === 'entries' ? `${format.open}${format.entry.open}city` : '{"city": Paris';
}
