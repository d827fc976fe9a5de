/** The names of the states in a call's opening, head and closing. */
import type { CallPart } from '../format/chat-format.ts';
import { Marker } from '../layout/marker.ts';
import type { Hole } from '../layout/skeleton.ts';
import type { CallsLayout } from '../layout/turn-layout.ts';
import type { StateName } from './states.ts';

/** For each kind of hole: its state, the title of that, and the name of the marker that ends it. */
export const holeStates = {
  name: { state: 'inToolName', title: "In the tool's name.", end: 'nameEnd' },
  id: { state: 'inCallId', title: "In the call's id.", end: 'idEnd' },
  index: { state: 'inCallNumber', title: 'In the number of the call.', end: 'numberEnd' },
  'composed-id': {
    state: 'inComposedId',
    title: "In the call's id, which holds the tool's name.",
    end: 'idEnd',
  },
} as const;

/** The state after `read` links of the opening: between them, in the first hole of the head, or in the call's JSON. */
export function openingState(
  { opening, sectionLength, envelope, head }: CallsLayout,
  read: number,
): StateName {
  if (read < opening.length) {
    if (read === 0) return 'beforeCalls';
    return read <= sectionLength
      ? numbered('afterCallsOpen', read - 1)
      : numbered('afterCallOpen', read - sectionLength - 1);
  }
  if (envelope !== null) return 'inCall';
  const first = head.findIndex((part) => typeof part !== 'string');
  return first === -1 ? 'beforeArguments' : holeState(head, first);
}

/** The state in the hole at part `at` of a call's head; numbered if a hole recurs. */
export function holeState(head: readonly CallPart[], at: number): StateName {
  const kinds = head.map((part) => (typeof part === 'string' ? null : part.hole));
  const kind = kinds[at] ?? 'name';
  return numbered(holeStates[kind].state, kinds.slice(0, at).filter((each) => each === kind).length);
}

/** The state at part `at` after the arguments; that after the call, at the end. Numbers continue those of the head. */
export function closingState({ head, closing }: CallsLayout, at: number): StateName {
  const part = closing[at];
  if (part === undefined) return 'afterCall';
  const earlier = closing.slice(0, at);
  if (part instanceof Marker) {
    const markers = earlier.filter((each) => each instanceof Marker).length;
    return markers === 0 ? 'atCallEnd' : numbered('atOuterCallEnd', markers - 1);
  }
  const holes = [...head, ...earlier].filter(
    (each): each is Hole => typeof each !== 'string' && 'hole' in each,
  );
  return numbered(holeStates[part.hole].state, holes.filter((each) => each.hole === part.hole).length);
}

/** The first of several states has no number: `inToolName`, `inToolName2`. */
function numbered(name: string, earlier: number): StateName {
  return earlier === 0 ? name : `${name}${earlier + 1}`;
}
