/** The states of a parser, which are printed as a module or interpreted. */
import { Marker } from '../layout/marker.ts';
import type { ParserDefinition } from '../parser/define-parser.ts';
import type { NamedState, NamedTransition, StateName } from '../parser/named-states.ts';

export type { StateName } from '../parser/named-states.ts';

/** A marker, and where it leads. */
export type MarkerChoice = NamedTransition;

/** A sample text, and the part of it that a state reads. */
export interface Picture {
  readonly before: string;
  readonly here: string;
  readonly after: string;
}

/** One state, named for the reader's position. */
export interface StateSpec {
  /** A TypeScript identifier. */
  readonly name: StateName;
  /** The position, in words: `In the answer.` */
  readonly title: string;
  readonly picture: Picture;
  readonly step: NamedState;
}

/** A parser's definition, with its states in reading order. */
export interface ParserProgram extends Omit<ParserDefinition, 'markers' | 'states'> {
  readonly states: readonly StateSpec[];
}

/** The state in malformed text of a call. */
export const malformed: StateName = 'inMalformed';

/** Choices that all lead to the same state under the same conditions, without blank ones. */
export function choicesOf(
  name: string,
  markers: readonly (Marker | string)[],
  next: StateName,
  conditions: Omit<MarkerChoice, 'name' | 'marker' | 'next'> = {},
): readonly MarkerChoice[] {
  return markers
    .map((each) => (typeof each === 'string' ? new Marker(each) : each))
    .filter(({ isBlank }) => !isBlank)
    .map(({ text: marker }) => ({ name, marker, next, ...conditions }));
}

/**
 * Drops choices that can never be taken, because an earlier one has the same marker and the same conditions, or none.
 */
export function distinct(choices: readonly MarkerChoice[]): readonly MarkerChoice[] {
  const seen = new Set<string>();
  return choices.filter(({ name: _name, next: _next, peek: _peek, ambiguous: _ambiguous, ...choice }) => {
    const { marker, role, blockEnd: _blockEnd, ...conditions } = choice;
    const calls = role === 'call';
    const text = marker.trim();
    const key = JSON.stringify([text, calls, conditions]);
    if (seen.has(key) || seen.has(always(text, calls)) || seen.has(always(text, false))) return false;
    seen.add(key);
    if (Object.keys(conditions).length === 0) seen.add(always(text, calls));
    return true;
  });
}

/** The marker as a key; `calls`: it counts only while calls are allowed. */
function always(text: string, calls: boolean): string {
  return `${calls ? 'calls' : 'all'} ${text}`;
}
