/** A call's skeleton: literals and holes. */
import type { CallPart } from '../format/chat-format.ts';
import { Marker } from './marker.ts';

/** A hole of a call's skeleton. */
export type Hole = Exclude<CallPart, string>;

/** The text of a skeleton before its first hole. */
export function leadingLiteral(parts: readonly CallPart[]): Marker {
  return new Marker(parts.slice(0, firstHole(parts)).join(''));
}

/** The skeleton from its first hole on; empty if there is none. */
export function fromFirstHole(parts: readonly CallPart[]): readonly CallPart[] {
  return parts.slice(firstHole(parts));
}

function firstHole(parts: readonly CallPart[]): number {
  const at = parts.findIndex((part) => typeof part !== 'string');
  return at === -1 ? parts.length : at;
}

/** The text of a skeleton without its holes. */
export function literalsOf(parts: readonly CallPart[]): string {
  return parts.filter((part) => typeof part === 'string').join('');
}

/** A head without the id after the name, and without the literal before it; `null` if it has none there. */
export function withoutId(head: readonly CallPart[]): readonly CallPart[] | null {
  const at = head.findIndex((part) => typeof part !== 'string' && part.hole === 'id');
  const before = typeof head[at - 1] === 'string' ? at - 1 : at;
  return before < 1 ? null : [...head.slice(0, before), ...head.slice(at + 1)];
}

/** Merges adjacent literals. */
export function mergeLiterals(parts: readonly CallPart[]): readonly CallPart[] {
  const merged: CallPart[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (typeof part === 'string' && typeof last === 'string') merged[merged.length - 1] = last + part;
    else if (part !== '') merged.push(part);
  }
  return merged;
}
