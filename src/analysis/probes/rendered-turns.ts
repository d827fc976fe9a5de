/** The stretches of the probes' turns from which regions are read. */
import type { CallSpan } from '../calls/call-spans.ts';
import { findCalls } from '../calls/call-spans.ts';
import type { RegionEnds } from '../turn/region-ends.ts';
import type { ReasoningMarkers } from '../reasoning/reasoning-markers.ts';
import type { TurnStart } from '../turn/turn-start.ts';
import type { Probe, ProbeTable } from './probes.ts';
import type { TemplateProber, ThinkingSetting } from './template-prober.ts';

/** A probe's turn with its calls found. */
export interface CallTurn {
  readonly probe: Probe;
  readonly text: string;
  readonly spans: readonly [CallSpan, ...CallSpan[]];
}

/** A turn with content. */
export interface ContentTurn {
  /** Between the start of the turn and the content. */
  readonly before: string;
  /** After the content, the end of the turn included. */
  readonly after: string;
  /** All of it, after the start of the turn. */
  readonly text: string;
}

/** What becomes of content next to a call. */
export type ContentCall =
  | { readonly position: 'dropped'; readonly callsLost: boolean }
  | { readonly position: 'before'; readonly before: string; readonly between: string }
  | { readonly position: 'after'; readonly between: string };

/** What the regions are read from. */
export interface RegionTexts {
  readonly turn: TurnStart;
  readonly ends: RegionEnds;
  readonly reasoning: ReasoningMarkers | null;
  readonly content: ContentTurn | null;
  readonly calls: CallTurn | null;
  /** Content next to a call. */
  readonly contentCall: ContentCall;
}

/** A probe's turn after `turn.start` and `turn.lead`. */
export function afterStart(text: string, turn: TurnStart): string {
  return afterLead(text.startsWith(turn.start) ? text.slice(turn.start.length) : text, turn);
}

/** What follows `turn.start`, without `turn.lead` where it begins with that. */
export function afterLead(text: string, { lead }: TurnStart): string {
  return text.startsWith(lead) ? text.slice(lead.length) : text;
}

/** Renders a probe and finds its calls; `null` where they are not rendered. */
export function readCallTurn(
  prober: TemplateProber,
  probe: Probe,
  turn: TurnStart,
  setting: ThinkingSetting = 'unset',
): CallTurn | null {
  const rendered = prober.turn(probe, setting);
  if (rendered === null) return null;
  const text = afterStart(rendered, turn);
  const [first, ...others] = findCalls(text, probe.calls ?? []) ?? [];
  return first === undefined ? null : { probe, text, spans: [first, ...others] };
}

/** Renders the probe with content alone; `null` where the content is not rendered. */
export function readContentTurn(
  prober: TemplateProber,
  probes: ProbeTable,
  turn: TurnStart,
): ContentTurn | null {
  const rendered = prober.turn(probes.content);
  if (rendered === null) return null;
  const text = afterStart(rendered, turn);
  const at = text.indexOf(prober.sentinels.content);
  if (at < 0) return null;
  return { text, before: text.slice(0, at), after: text.slice(at + prober.sentinels.content.length) };
}

/** The literal before the first call. */
export function beforeCalls(turn: CallTurn): string {
  return turn.text.slice(0, turn.spans[0].start);
}

/** The literal after the last call. */
export function afterCalls(turn: CallTurn): string {
  return turn.text.slice((turn.spans.at(-1) ?? turn.spans[0]).end);
}

/** The literal between the first two calls; `null` when there is one. */
export function betweenCalls(turn: CallTurn): string | null {
  const [first, second] = turn.spans;
  return second === undefined ? null : turn.text.slice(first.end, second.start);
}

/** Renders content next to a call and finds where it went. `callsClose` stands after the last call. */
export function readContentCall(
  prober: TemplateProber,
  probes: ProbeTable,
  turn: TurnStart,
  callsClose: string,
): ContentCall {
  const rendered = readCallTurn(prober, probes.contentCall, turn);
  const at = rendered?.text.indexOf(prober.sentinels.content) ?? -1;
  if (rendered === null) {
    const turnText = prober.turn(probes.contentCall);
    return { position: 'dropped', callsLost: turnText?.includes(prober.sentinels.content) === true };
  }
  if (at < 0) return { position: 'dropped', callsLost: false };
  const end = at + prober.sentinels.content.length;
  const [first] = rendered.spans;
  if (at < first.start) {
    return {
      position: 'before',
      before: rendered.text.slice(0, at),
      between: rendered.text.slice(end, first.start),
    };
  }
  const after = rendered.text.slice(first.end, at);
  const between = after.startsWith(callsClose) ? after.slice(callsClose.length) : '';
  return { position: 'after', between };
}
