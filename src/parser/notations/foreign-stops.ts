/** Where calls in a notation that is not the format's may begin in text. */
import { listKey, nameKeys } from '../leniency/call-keys.ts';
import type { State } from '../reader.ts';
import type { Transition } from '../state-tables.ts';
import { unmistakableOpeners } from './notation.ts';

/** The first keys of such calls. */
const firstKeys = [...nameKeys, 'arguments', 'parameters', 'type', 'id', listKey];

/** Where such calls may begin in text: at the format's own openers, at braces, and at notations that prose never has. */
export function foreignStops(stops: readonly Transition<State>[]): readonly Transition<State>[] {
  return [...bareCallStops(stops), ...notationStops(stops)];
}

/** Where calls in such a notation may begin in thoughts that nothing closes. */
export function foreignStopsInThoughts(stops: readonly Transition<State>[]): readonly Transition<State>[] {
  const others = notationStops(stops.filter(({ role, ambiguous }) => role === 'call' && ambiguous));
  return others.map(({ speculative: _, ...stop }) => ({ ...stop, nameFollows: ['"', '>'], ambiguous: true }));
}

/** At the beginning of a line, the openers of notations that the format does not have itself. */
function notationStops(stops: readonly Transition<State>[]): readonly Transition<State>[] {
  const [first] = stops;
  if (first === undefined) return [];
  const others = [...unmistakableOpeners].filter(
    (open) => !stops.some(({ marker }) => marker.includes(open)),
  );
  return others.map((open) => ({
    marker: `\n${open}`,
    next: first.next,
    role: 'call',
    speculative: true,
    repairs: 'notation',
  }));
}

/** At the format's own openers, and at braces. */
function bareCallStops(stops: readonly Transition<State>[]): readonly Transition<State>[] {
  const openers = stops.filter(({ role, peek, ambiguous, speculative, repairs }) => {
    return role === 'call' && !peek && !ambiguous && !speculative && repairs === undefined;
  });
  const tags = openers.flatMap(({ marker, next }) => {
    const tag = /^\s*(?:<[^<>\s]+>|\[[^[\]\s]+\])/.exec(marker)?.[0];
    return tag === undefined ? [] : [{ marker: tag, next }];
  });
  const [first] = tags;
  if (first === undefined) return [];
  const gap = /^\s*/.exec(first.marker)?.[0] ?? '';
  const braces = firstKeys.map((key) => ({ marker: `${gap}{"${key}"`, next: first.next }));
  const all = [...tags, ...braces];
  return all.map((each) => ({ ...each, role: 'call', speculative: true, repairs: 'bare-calls' }));
}
