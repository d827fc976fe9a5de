/**
 * The reasoning's part of the format: where it ends, what stands for none, and what of that text opens content.
 *
 *     turn.start turn.lead │ reasoning.start R reasoning.end │ content.open C content.close │ beforeCalls │ calls
 */
import type { ReasoningFormat } from '../../format/chat-format.ts';
import type { CallsOpening, WithCallsOpening } from '../calls/calls-opening.ts';
import type { WithOpening } from '../content/content-opening.ts';
import type { Boundaries } from '../literals/token-boundaries.ts';
import { commonTokens, firstMarker, tokenEdges, withoutSuffix } from '../literals/tokens.ts';
import type { Probing } from '../probes/probing.ts';
import type { WithEnds } from '../turn/region-ends.ts';
import { beforeCalls, type WithTurns } from '../turn/rendered-turns.ts';
import type { WithTurnStart } from '../turn/turn-start.ts';
import type { ReasoningMarkers, WithMarkers } from './reasoning-markers.ts';

/** How reasoning ends and content opens. */
interface ReasoningClosing {
  /** What ends thoughts, whatever follows. */
  readonly end: string;
  /** What is written in place of thoughts. */
  readonly empty: string;
  /** The opener of content, with or without thoughts before it. */
  readonly open: string;
  /** What stands between `end` and content, but not before content without thoughts. */
  readonly afterReasoning: string;
}

/** Known after reasoning has been inferred. */
export interface WithClosing {
  readonly closing: ReasoningClosing;
}

type Given = Probing &
  Boundaries &
  WithTurnStart &
  WithTurns &
  WithMarkers &
  WithEnds &
  WithOpening &
  WithCallsOpening;

/** The reasoning's part of the format; `null` if the template has none. */
export function inferReasoningFormat(
  given: Given,
): WithClosing & { readonly reasoning: ReasoningFormat | null } {
  const closing = readClosing(given);
  const { markers, callsOpening } = given;
  const reasoning = markers === null ? null : reasoningFormat(markers, closing, callsOpening);
  logReasoning(reasoning, given);
  return { reasoning, closing };
}

/**
 * What ends thoughts, told from what stands between them and an answer, and between them and a call. If only one
 * of the two is shown, it is taken whole; what both begin with ends the thoughts, whatever follows.
 */
function readClosing(given: Given): ReasoningClosing {
  const { markers, ends, opening, callsOpening } = given;
  const [toAnswer, toCalls] = [opening.reasoningEnd, callsOpening.fromReasoning];
  const closingWith = (end: string, afterReasoning = ''): ReasoningClosing => {
    return { end, empty: opening.empty, open: opening.open, afterReasoning };
  };
  if (markers === null) return closingWith('');
  // `R</think>`, `R</think><tool_call>`
  if (toAnswer === null) return closingWith(toCalls ?? markers.closer ?? '');
  const isSame = toCalls === null || toCalls === toAnswer;
  // `R</think><answer>C</answer>`, `R</think><answer></answer><tool_call>`: nothing shows the opener of content alone.
  const isWrapped = ends.contentClose !== '';
  // `mayHoldOpen`: the opener may still be the end of `toAnswer`.
  const hidesOpener = (toCalls !== null && callsOpening.emptyContent) || (isSame && opening.mayHoldOpen);
  if (isWrapped && hidesOpener) return splitWrapped(given, toAnswer);
  // `R</think>C`, `R</think><tool_call>`
  if (isSame) return closingWith(toAnswer);
  const end = commonTokens(toAnswer, toCalls);
  // `R</think>C`, `R<tool_call>`: calls that open inside the thoughts leave them open.
  if (end.trim() === '' && toAnswer.trim() !== '') return closingWith(toAnswer);
  // `R</think>⏎⏎C`, `R</think>⏎<tool_call>`: what only answers have (`rest`) opens content
  // if it also stands before content without thoughts; otherwise it follows thoughts (`afterReasoning`).
  const rest = toAnswer.slice(end.length);
  const empty = withoutSuffix(opening.empty, rest);
  if (opening.mayHoldOpen && rest !== '' && empty !== null)
    return { end, empty, open: rest + opening.open, afterReasoning: '' };
  return closingWith(end, rest);
}

/**
 * Splits text that has both the end of reasoning and the opener of wrapped content: at the end of the closed prompt,
 * otherwise at a natural boundary.
 */
function splitWrapped({ turnStart, opening, boundaries }: Given, between: string): ReasoningClosing {
  const closedPrompt = turnStart.prompt.off;
  // Both the end of thoughts and the opener of wrapped content are more than white space here.
  const possible = [...tokenEdges(between)].filter(
    (cut) => between.slice(0, cut).trim() !== '' && between.slice(cut).trim() !== '',
  );
  const natural = possible.filter((cut) => boundaries.between(between.slice(0, cut), between.slice(cut)));
  const byPrompt =
    closedPrompt !== '' && between.endsWith(closedPrompt) ? between.length - closedPrompt.length : null;
  const cut = byPrompt ?? natural.at(-1) ?? possible.at(-1) ?? between.length;
  const open = between.slice(cut);
  const empty = withoutSuffix(opening.empty, open) ?? opening.empty;
  return { end: between.slice(0, cut), empty, open: open + opening.open, afterReasoning: '' };
}

function reasoningFormat(
  reading: ReasoningMarkers,
  closing: ReasoningClosing,
  callsOpening: CallsOpening,
): ReasoningFormat {
  const { start, basis, preserved } = reading;
  const withCalls = callsOpening.emptyContent ? closing.empty : callsOpening.empty;
  return {
    start,
    end: closing.end,
    empty: closing.empty,
    ...(withCalls === closing.empty ? {} : { emptyWithCalls: withCalls }),
    preserved,
    basis,
  };
}

/** Whether a marker opens everything that may follow reasoning, so that each region ends where the next one opens. */
function endsAtNextMarker({ opening, callsOpening, turns }: Given): boolean {
  const openers = [opening.open, ...(turns.calls === null ? [] : [callsOpening.callsOpen])];
  return openers.every((opener) => firstMarker(opener) !== '');
}

/** Records the evidence for the reasoning, or for its absence. */
function logReasoning(reasoning: ReasoningFormat | null, given: Given): void {
  const { turns, turnStart, markers: source, log } = given;
  if (reasoning === null) {
    const { on } = turnStart.prompt;
    log.support('reasoning', 'prompt-on', on, 'no prompt opens it and no finished turn shows it');
    return;
  }
  const slice = source?.beforeContent ?? source?.beforeCall ?? source?.closer ?? '';
  const probe = source?.basis === 'history' ? 'reasoning-content' : 'prompt-off';
  const turn = turns.content.text;
  log.support('reasoning.start', probe, reasoning.start, 'it opens reasoning');
  log.support('reasoning.end', probe, slice, 'it follows the reasoning, up to what opens the next region');
  log.support('reasoning.empty', 'content', turn, 'it stands where reasoning would, in a turn without any');
  log.support('reasoning.preserved', probe, slice, `finished turns show reasoning: ${reasoning.preserved}`);
  if (reasoning.start.trim() !== '' && reasoning.end.trim() === '' && !endsAtNextMarker(given)) {
    const message = `nothing but white space ends the reasoning that ${JSON.stringify(reasoning.start)} opens: no end of it can be told`;
    log.warn({ field: 'reasoning.end', kind: 'assumed', message, rendered: slice });
  }
  if (reasoning.emptyWithCalls === undefined || turns.calls === null) return;
  const bare = beforeCalls(turns.calls);
  log.support('reasoning.emptyWithCalls', 'one-call', bare, 'it stands before a call without reasoning');
}
