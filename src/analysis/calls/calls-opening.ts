/** The boundary between calls and the regions before them: what opens calls, and what replaces missing regions. */
import type { Delimiters } from '../../format/chat-format.ts';
import type { WithOpening } from '../content/content-opening.ts';
import {
  commonSuffixLength,
  isMarker,
  tokenEdges,
  tokens,
  withoutSpace,
  withoutSuffix,
} from '../literals/tokens.ts';
import type { ReasoningMarkers, WithMarkers } from '../reasoning/reasoning-markers.ts';
import type { WithEnds } from '../turn/region-ends.ts';
import { afterLead, beforeCalls, betweenCalls, type WithTurns } from '../turn/rendered-turns.ts';
import type { WithTurnStart } from '../turn/turn-start.ts';

/** The literals before calls. */
export interface CallsOpening {
  /** The opener of the section and its first call. */
  readonly callsOpen: string;
  /** Written in place of reasoning next to calls. */
  readonly empty: string;
  /** Whether empty content is written with its markers. */
  readonly emptyContent: boolean;
  /** The text between content and calls. */
  readonly fromContent: string | null;
  /** The text between reasoning and calls. */
  readonly fromReasoning: string | null;
}

/** Known after the opener of calls has been inferred. */
export interface WithCallsOpening {
  readonly callsOpening: CallsOpening;
}

type Given = WithTurnStart & WithTurns & WithMarkers & WithEnds & WithOpening;

/** Infers what precedes calls. */
export function inferCallsOpening(given: Given): WithCallsOpening {
  return { callsOpening: readCallsOpening(given) };
}

function readCallsOpening(given: Given): CallsOpening {
  const { opening, ends, markers: reasoning } = given;
  const { calls, contentCall } = given.turns;
  if (calls === null) {
    return {
      callsOpen: '',
      empty: opening.empty,
      emptyContent: false,
      fromContent: null,
      fromReasoning: null,
    };
  }
  const bare = beforeCalls(calls);
  if (emptyWrapper(given) !== null) {
    return { callsOpen: '', empty: opening.empty, emptyContent: false, fromContent: '', fromReasoning: null };
  }
  const { skipped, emptyContent } = skipEmptyRegions(given, bare);
  const rest = bare.slice(skipped.length);
  const between = contentCall.position === 'before' ? contentCall.between : null;
  const afterClose = between?.startsWith(ends.contentClose)
    ? between.slice(ends.contentClose.length)
    : between;
  const others = [afterClose, reasoning?.beforeCall ?? null].filter((each) => each !== null);
  const opener = tokenSuffix([rest, ...others]);
  const unclosed = skipped + rest.slice(0, rest.length - opener.length);
  const closer = closerOfBlock(reasoning, unclosed, opener);
  const callsOpen = opener.slice(closer.length);
  const inFront = unclosed + closer;
  const content = given.turns.content.before;
  return {
    callsOpen,
    empty: emptyContent ? opening.empty : inFront,
    emptyContent: emptyContent && content !== '',
    fromContent: withoutSuffix(afterClose, callsOpen),
    fromReasoning: withoutSuffix(reasoning?.beforeCall ?? null, callsOpen),
  };
}

/** The closer of an empty block of reasoning before every call: the first marker after its opener. */
function closerOfBlock(reasoning: ReasoningMarkers | null, before: string, opener: string): string {
  const opened =
    reasoning !== null && reasoning.start.trim() !== '' && before.trim() === reasoning.start.trim();
  const [closer = ''] = tokens(opener.trimStart());
  if (!opened || !isMarker(closer)) return '';
  const beforeContent = reasoning.beforeContent?.trimStart() ?? '';
  // Something else ends thoughts before content, so here calls open inside the thoughts.
  if (beforeContent !== '' && !beforeContent.startsWith(closer)) return '';
  return opener.slice(0, opener.indexOf(closer) + closer.length);
}

/** The markers around content next to calls, if they are its own and are also written around no content. */
export function emptyWrapper({ turns, markers: reasoning }: WithTurns & WithMarkers): Delimiters | null {
  const { calls, contentCall, content } = turns;
  if (calls === null || contentCall.position !== 'before') return null;
  const { before, between } = contentCall;
  // Content in the place of thoughts belongs to the thoughts.
  if (reasoning !== null && reasoning.beforeContent !== null && before === reasoning.start) return null;
  // Text that is repeated before the second call opens calls.
  if (betweenCalls(calls)?.endsWith(between)) return null;
  const alone = content.before;
  const wraps = before.trim() !== '' && withoutSpace(before) !== withoutSpace(alone) && between.trim() !== '';
  return wraps && beforeCalls(calls) === before + between ? { open: before, close: between } : null;
}

/** Removes the part of the literal before calls that replaces missing reasoning and content. */
function skipEmptyRegions(
  { turns, turnStart, markers, ends, opening }: Given,
  bare: string,
): { readonly skipped: string; readonly emptyContent: boolean } {
  const { before } = turns.content;
  const wrapped = before + ends.contentClose;
  const isOpened = markers === null && before.trim() !== '' && turns.contentCall.position === 'before';
  if ((ends.contentClose !== '' || isOpened) && bare.startsWith(wrapped)) {
    return { skipped: wrapped, emptyContent: true };
  }
  const closed = afterLead(turnStart.prompt.off, turnStart);
  const known = markers === null ? [] : [opening.empty, before, closed];
  const found = known
    .filter((each) => each.trim() !== '' && bare.startsWith(each))
    .sort((a, b) => b.length - a.length)[0];
  return { skipped: found ?? '', emptyContent: false };
}

/** The longest common suffix of texts that begins at a token of each. */
function tokenSuffix(texts: readonly string[]): string {
  const [first = ''] = texts;
  const longest = commonSuffixLength(texts);
  const edges = texts.map((text) => ({ text, edges: tokenEdges(text) }));
  for (let length = longest; length > 0; length--) {
    if (edges.every(({ text, edges: own }) => own.has(text.length - length)))
      return first.slice(first.length - length);
  }
  return '';
}
