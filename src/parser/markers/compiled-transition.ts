/** Choices whose markers are split where white space is flexible. */
import type { Transition } from '../state-tables.ts';

/** A choice with its marker split into parts. */
export interface CompiledTransition<Ref> extends Transition<Ref> {
  /** White space at the start of the marker, which it claims from the text before it. */
  readonly leadingSpace: string;
  /** The marker without white space at its edges, split where white space is flexible; empty for an empty marker. */
  readonly parts: readonly string[];
  /** White space at the end of the marker, claimed if present. */
  readonly trailingSpace: string;
  /** The marker begins with a word character, after white space. */
  readonly wordStart: boolean;
  /** The marker ends with a word character and may occur in prose, so no word character may follow it. */
  readonly wordEnd: boolean;
}

/** Where white space is flexible in a marker; in one that opens a call, also after its first tag. */
const gaps = /(?<![ \t])[ \t]*[\r\n]\s*|(?<=>)(?=<)/;
const gapsOfOpeners = /(?<![ \t])[ \t]*[\r\n]\s*|(?<=>)(?=<)|(?<=^<[^<>\s]+>)(?=\S)/;

/**
 * Splits a marker: `\n<tool_call>\n<function=` has the leading space `\n` and the parts `<tool_call>` and
 * `<function=`. Two adjacent markers in angle brackets are split too, and what opens a call after its first tag.
 */
export function compileTransition<Ref>(choice: Transition<Ref>): CompiledTransition<Ref> {
  const trimmed = choice.marker.trim();
  const start = choice.marker.indexOf(trimmed);
  const leadingSpace = trimmed === '' ? '' : choice.marker.slice(0, start);
  const trailingSpace = trimmed === '' ? choice.marker : choice.marker.slice(start + trimmed.length);
  const parts = trimmed === '' ? [] : trimmed.split(choice.role === 'call' ? gapsOfOpeners : gaps);
  const wordStart = leadingSpace !== '' && /^\w/.test(trimmed);
  // Every field, in one order: engines read a field slowly where objects of many shapes have it.
  const compiled = {
    marker: choice.marker,
    next: choice.next,
    peek: choice.peek,
    ambiguous: choice.ambiguous,
    speculative: choice.speculative,
    role: choice.role,
    nameFollows: choice.nameFollows,
    anyNameFollows: choice.anyNameFollows,
    afterNumber: choice.afterNumber,
    followedBy: choice.followedBy,
    onlyAsSpecialToken: choice.onlyAsSpecialToken,
    envelopeFollows: choice.envelopeFollows,
    onlyAtEnd: choice.onlyAtEnd,
    blockEnd: choice.blockEnd,
    ownLine: choice.ownLine,
    repairs: choice.repairs,
    passes: choice.passes,
    unlessMentioned: choice.unlessMentioned,
    afterOwnMarker: choice.afterOwnMarker,
    leadingSpace,
    parts,
    trailingSpace,
    wordStart,
    wordEnd: trailingSpace !== '' && /\w$/.test(trimmed) && !opensThoughts(choice, trimmed),
  } satisfies { readonly [Field in keyof CompiledTransition<Ref>]-?: unknown };
  return compiled as CompiledTransition<Ref>;
}

/**
 * Whether a marker that opens thoughts is more than a word, such as `<|channel>thought\n`. It does not occur in
 * prose, so text directly after it is a thought and does not continue the word.
 */
function opensThoughts({ role }: Transition<unknown>, trimmed: string): boolean {
  return role === 'thought' && !/^\w/.test(trimmed);
}
