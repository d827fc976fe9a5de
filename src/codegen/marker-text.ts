/** The texts of markers: trimming, splitting, and whether a text is rare enough in prose to be a marker. */
import type { CallPart, ChatFormat } from '../format/chat-format.ts';

/** Shorter markers are too common in prose to count by themselves. */
export const significantLength = 4;

/** Whether a literal is only white space. */
export function isBlank(literal: string): boolean {
  return literal.trim() === '';
}

/** Texts without the blank ones. */
export function notBlank(literals: readonly string[]): readonly string[] {
  return literals.filter((literal) => !isBlank(literal));
}

/** The texts, trimmed; without duplicates and blank ones. */
export function distinctCores(literals: readonly string[]): readonly string[] {
  return [...new Set(notBlank(literals).map((text) => text.trim()))];
}

/** The first word of a literal: `{"name":` of `{"name": "`. */
export function firstWord(literal: string): string {
  return literal.trim().split(/\s/)[0] ?? '';
}

/**
 * The pieces of a literal between its line breaks, each with the white space after it, the first also with the white
 * space before it: `<a>\n`, `<b>`.
 */
export function pieces(literal: string): readonly string[] {
  if (isBlank(literal)) return [];
  const text = literal.trimStart();
  const [first = '', ...others] = text.match(/[^\r\n]*?\S[^\r\n]*?(?:[ \t]*[\r\n]\s*|$)/g) ?? [text];
  return [literal.slice(0, literal.length - text.length) + first, ...others];
}

/** The beginning of a literal, up to a restart of the turn, which the states between turns read. */
export function withoutRestart({ turn }: ChatFormat, literal: string): string {
  const start = turn.start.trim();
  if (!turn.restart || start === '') return literal;
  const at = literal.indexOf(start);
  return at === -1 ? literal : literal.slice(0, at);
}

/** Whether a marker is rare enough in prose to count without a look at what follows. */
export function isSignificant(marker: string): boolean {
  const text = marker.trim();
  return text.length >= significantLength && /[^\w\s]/.test(text);
}

/** The text of a skeleton before its first hole. */
export function leadingLiteral(parts: readonly CallPart[]): string {
  return parts.slice(0, firstHole(parts)).join('');
}

/** The skeleton from its first hole on; empty if there is none. */
export function fromFirstHole(parts: readonly CallPart[]): readonly CallPart[] {
  return parts.slice(firstHole(parts));
}

function firstHole(parts: readonly CallPart[]): number {
  const at = parts.findIndex((part) => typeof part !== 'string');
  return at === -1 ? parts.length : at;
}
