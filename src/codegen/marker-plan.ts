/**
 * All markers of a format, derived once: what opens and ends each region of a turn, where each marker leads, and what
 * must follow it to count. Parser states, triggers of lazy grammars and the position after a prompt are derived from
 * this plan.
 */
import type { ChatFormat } from '../format/chat-format.ts';
import { memoize } from '../format/memoize.ts';
import { type CallPlan, planCalls } from './call-plan.ts';
import type { MarkerChoice } from './states.ts';
import { planTurn, type TurnPlan } from './turn-plan.ts';

/** All markers of a format. */
export interface MarkerPlan extends TurnPlan {
  /** `null` if the format has no calls. */
  readonly calls: CallPlan | null;
  /** Openers of a call in the middle of text. */
  readonly callsInText: readonly MarkerChoice[];
  /** What may come where a region may begin, except reasoning. */
  readonly regions: readonly MarkerChoice[];
}

/** The plan of a format; made once per format. */
export const markerPlan = memoize((format: ChatFormat): MarkerPlan => {
  const turn = planTurn(format);
  const calls = format.calls === null ? null : planCalls(turn, format.calls);
  const regions = [...(calls?.atRegion ?? []), ...turn.contentStart, ...turn.turnEnds];
  return { ...turn, calls, callsInText: calls?.inText ?? [], regions };
});
