/** The states of a parser, printed as a module or interpreted, and the marker choices that lead between them. */
import { Marker } from '../layout/marker.ts';
import type { ParserDefinition } from '../parser/define-parser.ts';
import type { NamedState, NamedTransition, StateName } from '../parser/named-states.ts';

export type { StateName } from '../parser/named-states.ts';

/** A marker, and where it leads: a `Transition` by name, whose fields `state-tables.ts` describes. */
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

/** Fields that say what a choice does; the others are conditions under which it counts. */
const effects: ReadonlySet<string> = new Set<keyof MarkerChoice>([
  'name',
  'marker',
  'next',
  'role',
  'peek',
  'ambiguous',
  'blockEnd',
]);

/**
 * Drops choices that never count, because an earlier one has the same marker and counts whenever they do. A call
 * that repairs something is dropped if one of these precedes it:
 *
 *     <tool_call>, a call, the same repair     the same
 *     <tool_call>, a call                      counts whenever calls are allowed
 *     <tool_call>                              counts always
 */
export function distinct(choices: readonly MarkerChoice[]): readonly MarkerChoice[] {
  const seen = new Set<string>();
  return choices.filter((choice) => {
    const text = choice.marker.trim();
    const isCall = choice.role === 'call';
    const conditions = Object.entries(choice).filter(([field]) => !effects.has(field));
    const keyOf = (call: boolean, others: readonly unknown[]) => JSON.stringify([text, call, others]);
    const key = keyOf(isCall, conditions);
    const isHidden = [key, keyOf(isCall, []), keyOf(false, [])].some((each) => seen.has(each));
    seen.add(key);
    return !isHidden;
  });
}
