/** The boundary between reasoning and content: what opens content, and what replaces missing reasoning. */
import { withoutSpace } from '../literals/tokens.ts';
import type { Probing } from '../probes/probing.ts';
import type { ReasoningMarkers, WithMarkers } from '../reasoning/reasoning-markers.ts';
import type { WithTurns } from '../turn/rendered-turns.ts';
import type { WithTurnStart } from '../turn/turn-start.ts';

/** The literals before content, with and without reasoning. */
interface ContentOpening {
  /** Written in place of reasoning. */
  readonly empty: string;
  /** The opener of content, as far as it is known. */
  readonly open: string;
  /** The text between reasoning and content, if finished turns show it. */
  readonly reasoningEnd: string | null;
  /** Whether the opener of content may still be the end of `empty` and `reasoningEnd`. */
  readonly mayHoldOpen: boolean;
}

/** Known after the opener of content has been inferred. */
export interface WithOpening {
  readonly opening: ContentOpening;
}

type Given = Probing & WithTurnStart & WithTurns & WithMarkers;

/** Infers what precedes content. */
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

/** The closer of an empty block before content, or the closer alone, if reasoning is only shown next to calls. */
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
  if (withoutSpace(before) === withoutSpace(reasoning.start + between)) {
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

/** Whether calls follow reasoning without `text`; then `text` opens content and does not end reasoning. */
function isMissingWithCalls({ beforeCall }: ReasoningMarkers, text: string): boolean {
  return beforeCall !== null && !withoutSpace(beforeCall).includes(withoutSpace(text));
}
