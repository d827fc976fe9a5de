/** Where reasoning and content meet: what opens content, and what stands for reasoning that is missing. */
import { squash } from '../literals/tokens.ts';
import type { Probing } from '../probes/probing.ts';
import type { ReasoningMarkers, WithMarkers } from '../reasoning/reasoning-markers.ts';
import type { WithTurns } from '../turn/rendered-turns.ts';
import type { WithTurnStart } from '../turn/turn-start.ts';

/** What stands before content: for reasoning that is missing, or after reasoning. */
export interface ContentOpening {
  /** What stands for missing reasoning. */
  readonly empty: string;
  /** What opens content, as far as it is known to. */
  readonly open: string;
  /** From reasoning to content, where finished turns show it. */
  readonly reasoningEnd: string | null;
  /** What opens content may still be the end of `empty` and of `reasoningEnd`. */
  readonly mayHoldOpen: boolean;
}

/** Known once what opens content is. */
export interface WithOpening {
  readonly opening: ContentOpening;
}

type Given = Probing & WithTurnStart & WithTurns & WithMarkers;

/** Reads what stands before content. */
export function inferContentOpening(given: Given): WithOpening {
  return { opening: readOpening(given) };
}

function readOpening(given: Given): ContentOpening {
  const { before } = given.turns.content;
  const { markers: reasoning, log } = given;
  if (reasoning === null) return { empty: '', open: before, reasoningEnd: null, mayHoldOpen: false };
  if (reasoning.beforeContent !== null) return openingWithHistory(given, reasoning, reasoning.beforeContent);
  const closer = (reasoning.closer ?? closerFromBlock(reasoning, before))?.trim() ?? '';
  const at = closer === '' ? -1 : before.indexOf(closer);
  if (at >= 0) {
    const end = at + closer.length;
    const space = before.slice(end).length - before.slice(end).trimStart().length;
    const empty = before.slice(0, end + space);
    return { empty, open: before.slice(empty.length), reasoningEnd: null, mayHoldOpen: false };
  }
  if (before !== '' && before.trim() === reasoning.start.trim()) {
    const message = 'finished turns open reasoning before the answer and never close it: not taken over';
    log.warn({ field: 'reasoning.empty', kind: 'history', message, rendered: before });
    return { empty: '', open: '', reasoningEnd: null, mayHoldOpen: false };
  }
  return { empty: '', open: before, reasoningEnd: null, mayHoldOpen: false };
}

/** The closer of an empty block before content, or the closer alone, known where reasoning shows only next to calls. */
function closerFromBlock(reasoning: ReasoningMarkers, before: string): string | null {
  if (reasoning.beforeCall === null) return null;
  const opener = reasoning.start.trimEnd();
  const rest = (before.startsWith(opener) ? before.slice(opener.length) : before).trim();
  return rest !== '' && reasoning.beforeCall.trimStart().startsWith(rest) ? rest : null;
}

function openingWithHistory(
  { turns, turnStart }: Given,
  reasoning: ReasoningMarkers,
  between: string,
): ContentOpening {
  const { before } = turns.content;
  const again = turnStart.restart ? between.indexOf(turnStart.start) : -1;
  if (again >= 0) {
    const end = again + turnStart.start.length;
    return { empty: '', open: between.slice(end), reasoningEnd: between.slice(0, end), mayHoldOpen: false };
  }
  if (squash(before) === squash(reasoning.start + between)) {
    return { empty: before, open: '', reasoningEnd: between, mayHoldOpen: true };
  }
  if (before !== '' && between.endsWith(before)) {
    const end = between.slice(0, between.length - before.length);
    if (end.trim() === '' && !isMissingWithCalls(reasoning, before)) {
      return { empty: before, open: '', reasoningEnd: between, mayHoldOpen: false };
    }
    return { empty: '', open: before, reasoningEnd: end, mayHoldOpen: false };
  }
  return { empty: before, open: '', reasoningEnd: between, mayHoldOpen: before !== '' };
}

/** Whether calls follow reasoning without `text`: then it opens content, and does not end reasoning. */
function isMissingWithCalls({ beforeCall }: ReasoningMarkers, text: string): boolean {
  return beforeCall !== null && !squash(beforeCall).includes(squash(text));
}
