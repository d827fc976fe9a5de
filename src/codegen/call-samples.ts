/** Samples of a format's calls, for the pictures of states: written as the format writes them. */
import type { CallPart, CallsFormat } from '../format/chat-format.ts';
import { writeArguments } from '../format/write-response.ts';
import { fromFirstHole, leadingLiteral } from './marker-text.ts';

/** What pictures are filled with. */
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

/** Parts of a call's skeleton, their holes filled. */
export function sampleParts(parts: readonly CallPart[]): string {
  return parts.map(samplePart).join('');
}

function samplePart(part: CallPart): string {
  if (typeof part === 'string') return part;
  switch (part.hole) {
    case 'name':
      return samples.name;
    case 'id':
      return samples.id;
    case 'index':
      return String(part.base);
    case 'composed-id':
      return sampleParts(part.parts);
  }
}

/** The arguments, and what opens and closes all of them. */
export function sampleArguments(calls: CallsFormat): string {
  return writeArguments(calls.arguments, samples.arguments);
}

/** A whole call, its markers included. */
export function sampleCall(calls: CallsFormat): string {
  const { call, head, tail } = calls;
  return call.open + sampleParts(head) + sampleArguments(calls) + sampleParts(tail) + call.close;
}

/** The head after its leading literal, which is part of the opening. */
export function sampleHead({ head }: CallsFormat): string {
  return sampleParts(fromFirstHole(head));
}

/** What opens the section and a call, up to the first hole of its head. */
export function openingText({ section, call, head }: CallsFormat): string {
  return section.open + call.open + leadingLiteral(head);
}

/** The arguments: with the rest of an envelope, which is read with them, and without what ends entries. */
export function sampleBeforeClosing(calls: CallsFormat): string {
  const { arguments: format, envelope, tail } = calls;
  const written = sampleArguments(calls);
  const close = format.kind === 'entries' ? format.close : '';
  const rest = envelope === null ? '' : sampleParts(tail);
  return written.slice(0, written.length - close.length) + rest;
}

/** A text without quotes, or an argument that breaks off within its name. */
export function brokenArguments({ arguments: format }: CallsFormat): string {
  return format.kind === 'entries' ? `${format.open}${format.entry.open}city` : '{"city": Paris';
}
