/** Names of the states that others lead to. A state is named for where the reader stands. */
import type { CallPart, CallsFormat, ChatFormat } from '../format/chat-format.ts';
import { type Closing, closingElements, type Hole, openingChain } from './format-markers.ts';
import type { StateName } from './states.ts';

/** Where the ends of a turn lead. */
export function afterTurn(format: ChatFormat): StateName {
  return format.turn.restart ? 'betweenTurns' : 'turnEnded';
}

/** The state after link `link` of the opening chain (0: before the first). */
export function stateAfterLink(format: ChatFormat, link: number): StateName {
  const { calls } = format;
  if (calls === null) return 'inAnswer';
  const chain = openingChain(calls);
  if (link >= chain.length) return headBegin(calls);
  return chain[link - 1]?.section ? `callsOpened${link}` : `callOpened${link}`;
}

function headBegin(calls: CallsFormat): StateName {
  if (calls.envelope !== null) return 'inCall';
  const first = calls.head.findIndex((part) => typeof part !== 'string');
  return first < 0 ? 'beforeArguments' : holeState(calls.head, first);
}

const holeStates = {
  name: 'inToolName',
  id: 'inCallId',
  index: 'inCallNumber',
  'composed-id': 'inComposedId',
} as const;

/** The state in the hole that is part `at` of a call's head; numbered where a hole comes again. */
export function holeState(head: readonly CallPart[], at: number): StateName {
  const { hole: kind } = head[at] as Hole;
  const earlier = head.slice(0, at).filter((part) => typeof part !== 'string' && part.hole === kind).length;
  return numbered(holeStates[kind], earlier);
}

/** Where the reader stands when the arguments are over. */
export function afterArguments(calls: CallsFormat): StateName {
  return afterClosing(closingElements(calls), -1);
}

/** The state before closing element `at`. */
export function closingState(at: number): StateName {
  return numbered('atCallEnd', at);
}

/** The state after closing element `at`: before the next one or, after the last, after the call. */
export function afterClosing(elements: readonly Closing[], at: number): StateName {
  return at + 1 < elements.length ? closingState(at + 1) : 'afterCall';
}

/** The first of several states goes without a number: `inToolName`, `inToolName2`. */
function numbered(name: string, earlier: number): StateName {
  return earlier === 0 ? name : `${name}${earlier + 1}`;
}
