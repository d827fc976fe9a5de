/**
 * Reasoning, first half: what opens it, and what closes it as far as turns with content show.
 * The evidence is taken in this order: finished turns, the generation prompt's variants, the mirror of
 * the prompt's opening confirmed by a render, the same unconfirmed.
 */
import type { ReasoningFormat } from '../../format/chat-format.ts';
import { findCalls } from '../calls/call-spans.ts';
import type { EvidenceLog } from '../evidence.ts';
import { mirror, type TurnStart } from '../turn/turn-start.ts';
import type { ProbeTable } from '../probes/probes.ts';
import { afterLead, afterStart } from '../probes/rendered-turns.ts';
import type { TemplateProber, ThinkingSetting } from '../probes/template-prober.ts';
import { tokens } from '../literals/token-boundaries.ts';

/** What is known of reasoning before calls are read. */
export interface ReasoningMarkers {
  readonly start: string;
  /** Between reasoning and content, the content's own opener included; `null` when not rendered. */
  readonly beforeContent: string | null;
  /** From reasoning to the first call; `null` when not rendered. */
  readonly beforeCall: string | null;
  /** The closer, where the prompt or a mirror shows it. */
  readonly closer: string | null;
  readonly basis: ReasoningFormat['basis'];
  readonly preserved: ReasoningFormat['preserved'];
}

/** Reads what opens and closes reasoning; `null` when the template knows none. */
export function inferReasoningMarkers(
  prober: TemplateProber,
  probes: ProbeTable,
  turn: TurnStart,
  setting: ThinkingSetting,
  log: EvidenceLog,
): ReasoningMarkers | null {
  return fromHistory(prober, probes, turn, setting, log) ?? fromPrompts(prober, probes, turn, log);
}

function fromHistory(
  prober: TemplateProber,
  probes: ProbeTable,
  turn: TurnStart,
  setting: ThinkingSetting,
  log: EvidenceLog,
): ReasoningMarkers | null {
  if (prober.shape.reasoningField === null) return null;
  const { reasoning, content } = prober.sentinels;
  const withContent = around(prober.turn(probes.reasoningContent, setting), reasoning, (text) =>
    text.indexOf(content),
  );
  const withCall = around(
    prober.turn(probes.reasoningCall, setting),
    reasoning,
    (text) => findCalls(text, probes.reasoningCall.calls ?? [])?.[0]?.start ?? -1,
  );
  const seen = withContent ?? withCall;
  if (seen === null) return null;
  const start = afterStart(seen.before, turn);
  const probe = withContent === null ? probes.reasoningCall.id : probes.reasoningContent.id;
  log.support('reasoning.start', probe, seen.before + reasoning, 'it stands before the reasoning');
  log.support(
    'reasoning.basis',
    probe,
    seen.before + reasoning + seen.after,
    'a finished turn shows both markers',
  );
  return {
    start,
    beforeContent: withContent?.after ?? null,
    beforeCall: withCall?.after ?? null,
    closer: null,
    basis: 'history',
    preserved: preservedWhere(withContent !== null, withCall !== null),
  };
}

function preservedWhere(withContent: boolean, withCalls: boolean): ReasoningFormat['preserved'] {
  if (withContent && withCalls) return 'always';
  return withContent ? 'with-content' : 'with-calls';
}

/** The literals before a sentinel and between it and what follows. */
function around(
  turn: string | null,
  sentinel: string,
  follower: (turn: string) => number,
): { readonly before: string; readonly after: string } | null {
  const at = turn?.indexOf(sentinel) ?? -1;
  if (turn === null || at < 0) return null;
  const from = at + sentinel.length;
  const end = follower(turn);
  return end < from ? null : { before: turn.slice(0, at), after: turn.slice(from, end) };
}

function fromPrompts(
  prober: TemplateProber,
  probes: ProbeTable,
  turn: TurnStart,
  log: EvidenceLog,
): ReasoningMarkers | null {
  const { on, off, unset } = turn.prompt;
  const opening = afterLead(on.trim() === '' ? unset : on, turn);
  const closed = afterLead(off, turn);
  const reading = (start: string, closer: string, basis: ReasoningFormat['basis']): ReasoningMarkers => ({
    start,
    beforeContent: null,
    beforeCall: null,
    closer,
    basis,
    preserved: 'never',
  });
  if (opening.trim() === '' || opening === closed) {
    const halves = splitBlock(closed);
    if (halves === null) return openingOnly(prober, probes, opening, reading, log);
    log.support('reasoning.basis', 'prompt-off', off, 'the closed prompt holds an empty block');
    return reading(halves[0], halves[1], 'prompt');
  }
  if (closed !== '' && closed.startsWith(opening.trimEnd())) {
    const closer = withLine(opening, closed.slice(opening.trimEnd().length));
    log.support(
      'reasoning.basis',
      'prompt-off',
      off,
      'the closed prompt adds the end to what the open one has',
    );
    return reading(opening, closer, 'prompt');
  }
  if (closed.trim() !== '' && closed.trim() === mirror(tokens(opening.trim()).at(-1) ?? '')) {
    log.support('reasoning.basis', 'prompt-off', off, 'the closed prompt holds the bare end');
    return reading(opening, closed, 'prompt');
  }
  return openingOnly(prober, probes, opening, reading, log);
}

/** The closer of a block whose opener ends a line begins on a line of its own. */
function withLine(opening: string, rest: string): string {
  return opening.endsWith('\n') ? `\n${rest.trimStart()}` : rest;
}

/** `<think>\n\n</think>\n` in two; `null` where no end marker mirrors the beginning. */
function splitBlock(block: string): readonly [string, string] | null {
  const first = tokens(block.trimStart())[0];
  const closer = first === undefined ? null : mirror(first);
  const at = closer === null ? -1 : block.indexOf(closer);
  if (first === undefined || at < 0) return null;
  const inner = block.slice(0, at);
  const space = inner.slice(inner.trimEnd().length);
  const half = space.length > 1 ? space.slice(0, Math.floor(space.length / 2)) : space;
  return [inner.trimEnd() + half, space.slice(half.length) + block.slice(at)];
}

function openingOnly(
  prober: TemplateProber,
  probes: ProbeTable,
  opening: string,
  reading: (start: string, closer: string, basis: ReasoningFormat['basis']) => ReasoningMarkers,
  log: EvidenceLog,
): ReasoningMarkers | null {
  const closer = mirror(tokens(opening.trim()).at(-1) ?? '');
  if (closer === null || separatesCalls(prober, probes, opening)) return null;
  const { reasoning, content } = prober.sentinels;
  const guessed = { id: 'guessed-closer', content: `${reasoning}${closer}${content}` };
  const turn = prober.turn(guessed);
  const verified = turn?.includes(content) === true && !turn.includes(reasoning);
  log.support(
    'reasoning.basis',
    verified ? guessed.id : 'prompt-on',
    verified ? (turn ?? '') : opening,
    verified ? 'the template drops what stands before the guessed end' : 'the end mirrors the beginning',
  );
  if (!verified) {
    const message = `no render confirms that ${JSON.stringify(closer)} ends the reasoning that ${JSON.stringify(opening)} opens`;
    log.warn({ field: 'reasoning.end', kind: 'assumed', message });
  }
  return reading(opening, withLine(opening, closer), verified ? 'verified' : 'assumed');
}

/** A prompt's opening that also separates calls is no reasoning. */
function separatesCalls(prober: TemplateProber, probes: ProbeTable, opening: string): boolean {
  const turn = prober.turn(probes.twoCalls);
  return turn !== null && turn.split(opening.trim()).length > 2;
}
