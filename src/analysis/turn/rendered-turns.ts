/** The rendered turns from which regions are read, with the spans of their calls. */
import { AnalysisError } from '../../format/errors.ts';
import { type CallSpan, findCalls } from '../probes/call-spans.ts';
import type { Probe } from '../probes/probes.ts';
import type { Probing } from '../probes/probing.ts';
import type { TemplateProber } from '../probes/template-prober.ts';
import type { TurnStart, WithTurnStart } from './turn-start.ts';

/** A probe's turn with the spans of its calls. */
export interface CallTurn {
  readonly probe: Probe;
  readonly text: string;
  readonly spans: readonly [CallSpan, ...CallSpan[]];
}

/** A turn with content. */
export interface ContentTurn {
  /** Text between the start of the turn and the content. */
  readonly before: string;
  /** Text after the content, including the end of the turn. */
  readonly after: string;
  /** The whole text after the start of the turn. */
  readonly text: string;
}

/** What the template does with content next to a call. */
export type ContentCall =
  | { readonly position: 'dropped'; readonly callsLost: boolean }
  | { readonly position: 'before'; readonly before: string; readonly between: string }
  /** `afterCall`: text from the end of the call to the content. */
  | { readonly position: 'after'; readonly afterCall: string };

/** The turns from which regions are read. */
interface RenderedTurns {
  readonly content: ContentTurn;
  /** The probe with two calls, or with one if two are refused; `null` if no call can be read. */
  readonly calls: CallTurn | null;
  readonly contentCall: ContentCall;
}

/** Known after the turns have been rendered. */
export interface WithTurns {
  readonly turns: RenderedTurns;
}

/** Renders the turns. Throws AnalysisError if an assistant's message is not rendered. */
export function renderTurns(given: Probing & WithTurnStart): WithTurns {
  const { prober, probes, turnStart } = given;
  const calls =
    readCallTurn(prober, probes.twoCalls, turnStart) ?? readCallTurn(prober, probes.oneCall, turnStart);
  return { turns: { content: readContentTurn(given), calls, contentCall: readContentCall(given) } };
}

/** A probe's turn without `turn.start` and `turn.lead`. */
export function afterStart(text: string, turnStart: TurnStart): string {
  const { start } = turnStart;
  return afterLead(text.startsWith(start) ? text.slice(start.length) : text, turnStart);
}

/** The text after `turn.start`, without `turn.lead` if it begins with that. */
export function afterLead(text: string, { lead }: TurnStart): string {
  return text.startsWith(lead) ? text.slice(lead.length) : text;
}

/** Renders a probe and finds its calls; `null` if they are not rendered. */
export function readCallTurn(prober: TemplateProber, probe: Probe, start: TurnStart): CallTurn | null {
  const rendered = prober.turn(probe);
  if (rendered === null) return null;
  const text = afterStart(rendered, start);
  const [first, ...others] = findCalls(text, probe.calls ?? []) ?? [];
  return first === undefined ? null : { probe, text, spans: [first, ...others] };
}

/** Renders the probe with content alone. */
function readContentTurn({ prober, probes, turnStart }: Probing & WithTurnStart): ContentTurn {
  const rendered = prober.turn(probes.content);
  const text = rendered === null ? '' : afterStart(rendered, turnStart);
  const at = text.indexOf(prober.sentinels.content);
  if (at < 0) {
    const reason = 'an assistant message is not rendered: this is not a chat template';
    throw new AnalysisError({ template: prober.name, probe: probes.content.id, reason });
  }
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

/** The literal between the first two calls; `null` if there is only one. */
export function betweenCalls(turn: CallTurn): string | null {
  const [first, second] = turn.spans;
  return second === undefined ? null : turn.text.slice(first.end, second.start);
}

/** Renders content next to a call and finds where the content appears. */
function readContentCall({ prober, probes, turnStart }: Probing & WithTurnStart): ContentCall {
  const rendered = readCallTurn(prober, probes.contentCall, turnStart);
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
  return { position: 'after', afterCall: rendered.text.slice(first.end, at) };
}
