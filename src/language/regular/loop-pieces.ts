/** The iterations of a loop (`loops.ts`) in units of so many characters, which are divided into pieces. */
import type { Automaton, AutomatonState } from './automaton.ts';
import { type CycleLengths, cycleLengths } from './loops.ts';

/**
 * A loop and its unit. A unit is full when its pieces are, and a piece as soon as one more cycle may not fit: so there
 * is only one way to divide a text.
 */
export interface CountedLoop {
  readonly entry: number;
  readonly cycle: CycleLengths;
  /** Characters of a piece. */
  readonly piece: number;
  /** Pieces of a unit. */
  readonly pieces: number;
}

/** A piece has so many times the characters of the longest cycle: up to a sixth of it is lost. */
const cyclesPerPiece = 6;

/** `null` if a unit is too short for the longest cycle. */
export function loopInUnits(
  automaton: Automaton,
  entries: readonly number[],
  entry: number,
  unit: number,
): CountedLoop | null {
  const cycle = cycleLengths(automaton, entries, entry);
  if (unit < cycle.max) return null;
  const pieces = cycle.max === 1 ? 1 : Math.max(1, Math.floor(unit / (cyclesPerPiece * cycle.max)));
  return { entry, cycle, piece: Math.floor(unit / pieces), pieces };
}

/** Whether some iterations do not fill a piece. */
export function hasPartialPieces({ cycle, piece }: CountedLoop): boolean {
  return cycle.min <= piece - cycle.max;
}

/** Whether some iterations do not fill a unit. */
export function hasPartialUnits(loop: CountedLoop): boolean {
  return loop.pieces > 1 || hasPartialPieces(loop);
}

/** The fewest characters that fill a unit. */
export function leastUnit({ cycle, piece, pieces }: CountedLoop): number {
  return pieces * (piece - cycle.max + 1);
}

/** The texts that fill a piece of `loop` or, if not `isFull`, those of at least one iteration that do not. */
export function pieceAutomaton(
  automaton: Automaton,
  entries: readonly number[],
  { entry, cycle, piece }: CountedLoop,
  isFull: boolean,
): Automaton {
  const most = piece - cycle.max;
  const returns = returnsTo(automaton, entries, entry);
  const numbers = new Map<string, number>();
  const places: { readonly state: number; readonly count: number }[] = [];
  const numberOf = (state: number, count: number): number => {
    const key = `${state} ${count}`;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, places.length);
    return places.push({ state, count }) - 1;
  };
  numberOf(entry, 0);
  const states: AutomatonState[] = [];
  for (const { state, count } of places) {
    const isAtEntry = state === entry && count > 0;
    const isFilled = isAtEntry && count > most;
    const edges = isFilled ? [] : (automaton.states[state]?.edges ?? []);
    const fits = (target: number) => isFull || count + 1 + (returns.get(target) ?? 0) <= most;
    states.push({
      accepts: isFull ? isFilled : isAtEntry,
      edges: edges
        .filter(([, target]) => entries[target] === entry && fits(target))
        .map(([set, target]) => [set, numberOf(target, count + 1)]),
    });
  }
  return { states };
}

/** For each state of a loop, the characters of the shortest way to its entry. */
function returnsTo(
  { states }: Automaton,
  entries: readonly number[],
  entry: number,
): ReadonlyMap<number, number> {
  const known = new Map([[entry, 0]]);
  const shortest = (state: number): number => {
    const found = known.get(state);
    if (found !== undefined) return found;
    const inside = (states[state]?.edges ?? []).filter(([, target]) => entries[target] === entry);
    const length = 1 + Math.min(...inside.map(([, target]) => shortest(target)));
    known.set(state, length);
    return length;
  };
  entries.forEach((each, state) => {
    if (each === entry) shortest(state);
  });
  return known;
}
