/** Ends of turns: what follows content, what follows calls, and their common part. */
import type { Boundaries, BoundaryStatistics } from '../literals/token-boundaries.ts';
import {
  commonPrefixLength,
  commonTokens,
  firstMarker,
  isMarker,
  tokenEdges,
  tokens,
} from '../literals/tokens.ts';
import { fillPlaceholders, withPlaceholders } from '../probes/placeholders.ts';
import type { Probing } from '../probes/probing.ts';
import {
  afterCalls,
  afterStart,
  betweenCalls,
  type CallTurn,
  type ContentCall,
  type ContentTurn,
  type WithTurns,
} from './rendered-turns.ts';
import type { WithTurnStart } from './turn-start.ts';

/** Where content and calls end, and what ends their turns. */
interface RegionEnds {
  /** Text after content, before the end of the turn. */
  readonly contentClose: string;
  readonly contentEnd: string;
  /** Text after the last call: the rest of the call, and the end of the section. */
  readonly callsClose: string;
  readonly callsEnd: string;
  /** What ends a turn before another message, if it differs. */
  readonly historyEnd: string;
}

type Ends = Omit<RegionEnds, 'historyEnd'>;

/** Known after the ends of regions have been inferred. */
export interface WithEnds {
  readonly ends: RegionEnds;
}

type Given = Probing & Boundaries & WithTurnStart & WithTurns;

/** Splits the text after content and the text after calls into closers and ends of turn. */
export function inferRegionEnds(given: Given): WithEnds {
  const historyEnd = endInHistory(given);
  return { ends: { ...splitAfterRegions(given, historyEnd), historyEnd } };
}

function splitAfterRegions({ turns, turnStart, boundaries }: Given, historyEnd: string): Ends {
  const { content, calls, contentCall } = turns;
  const afterContent = content.after;
  if (calls === null) {
    return { contentClose: '', contentEnd: afterContent, callsClose: '', callsEnd: '' };
  }
  const after = afterCalls(calls);
  const again = turnStart.restart ? after.indexOf(turnStart.start) : -1;
  if (again >= 0) return endsBeforeRestart(afterContent, after, again);
  const closer = closerWithCalls(content, contentCall);
  const shared = sharedEnd(afterContent.slice(closer.length), after, boundaries);
  if (shared !== null) return splitEnds(afterContent, after, shared.content, shared.calls);
  if (afterContent === '') {
    const ended = historyEnd !== '' && after.endsWith(historyEnd);
    return splitEnds(afterContent, after, '', ended ? historyEnd : '');
  }
  // Both end with a line break only; the marker before it belongs to the calls.
  if (afterContent.trim() === '' && after.endsWith(afterContent)) {
    return splitEnds(afterContent, after, afterContent, afterContent);
  }
  const own = ownEnd(after, calls);
  return splitEnds(afterContent, after, afterContent, own);
}

/** Markers after content that also appear there before calls: they do not end the turn. */
function closerWithCalls(content: ContentTurn, contentCall: ContentCall): string {
  if (content.before.trim() === '' || contentCall.position !== 'before') return '';
  const closer = commonTokens(content.after, contentCall.between);
  return closer.trim() === '' ? '' : closer;
}

function splitEnds(content: string, calls: string, contentEnd: string, callsEnd: string): Ends {
  const close = content.slice(0, content.length - contentEnd.length);
  const blank = close.trim() === '';
  return {
    contentClose: blank ? '' : close,
    contentEnd: blank ? content : contentEnd,
    callsClose: calls.slice(0, calls.length - callsEnd.length),
    callsEnd,
  };
}

/** After the calls come an end of turn and a new, empty turn: all of it ends the message. */
function endsBeforeRestart(afterContent: string, after: string, again: number): Ends {
  const first = after.slice(0, again);
  const end = first.endsWith(afterContent) ? afterContent.length : (tokens(first).at(-1) ?? '').length;
  return splitEnds(afterContent, after, afterContent, after.slice(again - end));
}

/** The common end, except white space after it. */
function sharedEnd(
  content: string,
  calls: string,
  boundaries: BoundaryStatistics,
): { readonly content: string; readonly calls: string } | null {
  const [left, right] = [content.trimEnd(), calls.trimEnd()];
  const exact = boundaries.commonSuffix([content, calls]);
  if (exact.trim() !== '') return { content: exact, calls: exact };
  const shared = boundaries.commonSuffix([left, right]);
  if (shared.trim() === '') return null;
  return {
    content: content.slice(left.length - shared.length),
    calls: calls.slice(right.length - shared.length),
  };
}

/** The marker that ends a turn only after calls; empty if the text ends without a marker. */
function ownEnd(after: string, { spans, ...turn }: CallTurn): string {
  const lastSpan = spans.at(-1) ?? spans[0];
  const given = spans.map((span) => span.call);
  const marked = withPlaceholders(betweenCalls({ ...turn, spans }), after, given);
  const longest = marked.between === null ? 0 : commonPrefixLength([marked.after, marked.between]);
  const cut = Math.max(0, ...[...tokenEdges(marked.after)].filter((edge) => edge <= longest));
  const closer = fillPlaceholders(
    marked.after.slice(0, cut),
    lastSpan.call,
    marked.number + spans.length - 1,
  );
  const rest = after.slice(closer.length);
  const last = tokens(rest.trimEnd()).at(-1) ?? '';
  return isMarker(last) ? rest.slice(rest.trimEnd().length - last.length) : '';
}

/** The end of a turn before another message, which may differ from the end of the last turn. */
function endInHistory({ prober, probes, turnStart, turns }: Given): string {
  const afterContent = turns.content.after;
  const rendered = prober.turn(probes.contentThenUser);
  const at = rendered?.indexOf(prober.sentinels.content) ?? -1;
  if (rendered === null || at < 0) return '';
  const text = afterStart(rendered, turnStart);
  const after = text.slice(text.indexOf(prober.sentinels.content) + prober.sentinels.content.length);
  if (afterContent !== '' && after.startsWith(afterContent)) return '';
  const { userEnd } = prober;
  if (userEnd !== '' && after.startsWith(userEnd)) return userEnd;
  return firstMarker(after);
}
