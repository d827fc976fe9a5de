/**
 * What opens reasoning, and what follows it in finished turns. The evidence is taken in this order: finished
 * turns, the generation prompt's variants, the mirror of the prompt's opening where something speaks for it, an
 * end before which finished turns drop everything.
 */
import type { FormatAlternatives, ReasoningFormat } from '../../format/chat-format.ts';
import { namesThoughts } from '../../template/prompt/names-thoughts.ts';
import { mirror } from '../literals/mirror.ts';
import { tokens } from '../literals/tokens.ts';
import { findCalls } from '../probes/call-spans.ts';
import type { InferredInput } from '../probes/message-form.ts';
import type { Probing } from '../probes/probing.ts';
import { afterLead, afterStart } from '../turn/rendered-turns.ts';
import type { WithTurnStart } from '../turn/turn-start.ts';
import { dropsThoughts, findDroppedThoughts } from './dropped-thoughts.ts';
import { findRequestedThoughts } from './requested-thoughts.ts';

/** What is known of reasoning before the regions after it are. `null` fields are not rendered. */
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

/** Known once the markers of reasoning are; `null` when the template knows no reasoning. */
export interface WithMarkers {
  readonly markers: ReasoningMarkers | null;
  /** Another opener of content, where the prompt asks for it. */
  readonly alternatives?: FormatAlternatives;
}

type Given = Probing & InferredInput & WithTurnStart;

/** Reads what opens reasoning, and what follows it. */
export function inferReasoningMarkers(given: Given): WithMarkers {
  const shown = fromHistory(given) ?? fromPrompts(given) ?? fromDroppedThoughts(given);
  if (shown !== null) return { markers: shown };
  const requested = findRequestedThoughts(given);
  if (requested === null) return { markers: null };
  const { start, end, contentOpen, slice } = requested;
  given.log.support('reasoning.basis', 'prompt-on', slice, 'the prompt asks for thoughts in these words');
  const markers = unseenMarkers(start, end, 'prompt');
  if (contentOpen === null) return { markers };
  given.log.support(
    'alternatives.content',
    'prompt-on',
    slice,
    'the prompt asks for an answer in these words',
  );
  return { markers, alternatives: { content: [contentOpen] } };
}

function fromHistory({ prober, probes, turnStart, ...given }: Given): ReasoningMarkers | null {
  const { input, reasoningSetting: setting, log } = given;
  if (input.reasoningField === null) return null;
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
  const start = afterStart(seen.before, turnStart);
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

/** Markers that no finished turn shows. */
function unseenMarkers(start: string, closer: string, basis: ReasoningFormat['basis']): ReasoningMarkers {
  return { start, beforeContent: null, beforeCall: null, closer, basis, preserved: 'never' };
}

function fromPrompts(given: Given): ReasoningMarkers | null {
  const { turnStart, log } = given;
  const { on, off, unset } = turnStart.prompt;
  const opening = afterLead(on.trim() === '' ? unset : on, turnStart);
  const closed = afterLead(off, turnStart);
  if (opening.trim() === '' || opening === closed) {
    const halves = splitBlock(closed);
    if (halves === null) return openingOnly(given, opening);
    log.support('reasoning.basis', 'prompt-off', off, 'the closed prompt holds an empty block');
    return unseenMarkers(halves[0], halves[1], 'prompt');
  }
  if (closed !== '' && closed.startsWith(opening.trimEnd())) {
    const closer = withLine(opening, closed.slice(opening.trimEnd().length));
    log.support(
      'reasoning.basis',
      'prompt-off',
      off,
      'the closed prompt adds the end to what the open one has',
    );
    return unseenMarkers(opening, closer, 'prompt');
  }
  if (closed.trim() !== '' && closed.trim() === mirror(tokens(opening.trim()).at(-1) ?? '')) {
    log.support('reasoning.basis', 'prompt-off', off, 'the closed prompt holds the bare end');
    // White space before both belongs to the prompt.
    const seam = opening.slice(0, opening.length - opening.trimStart().length);
    return unseenMarkers(opening, closed.startsWith(seam) ? closed.slice(seam.length) : closed, 'prompt');
  }
  return openingOnly(given, opening);
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

/**
 * Markers of which the prompt shows the opener alone. A prompt may end in a marker that opens no thoughts, so
 * something else has to speak for it: a finished turn that drops what ends so, the template's own text, a switch
 * of thinking, or at least the name of the marker.
 */
function openingOnly(given: Given, opening: string): ReasoningMarkers | null {
  const { template, turnStart, log } = given;
  const marker = tokens(opening.trim()).at(-1) ?? '';
  const closer = mirror(marker);
  if (closer === null || separatesCalls(given, opening)) return null;
  if (dropsThoughts(given, '', closer)) {
    log.support('reasoning.basis', 'guessed-closer', closer, 'an answer loses what the guessed end ends');
    return unseenMarkers(opening, withLine(opening, closer), 'verified');
  }
  const { on, off } = turnStart.prompt;
  const speaks = template.source.includes(closer) || on !== off || namesThoughts.test(marker);
  if (!speaks) return null;
  log.support('reasoning.basis', 'prompt-on', opening, 'the end mirrors the beginning');
  const message = `no render confirms that ${JSON.stringify(closer)} ends the reasoning that ${JSON.stringify(opening)} opens`;
  log.warn({ field: 'reasoning.end', kind: 'assumed', message });
  return unseenMarkers(opening, withLine(opening, closer), 'assumed');
}

/** Markers that no prompt and no message shows. */
function fromDroppedThoughts(given: Given): ReasoningMarkers | null {
  const dropped = findDroppedThoughts(given);
  return dropped === null ? null : unseenMarkers(dropped.open, dropped.close, 'verified');
}

/** A prompt's opening that also separates calls is not reasoning. */
function separatesCalls({ prober, probes }: Probing, opening: string): boolean {
  const turn = prober.turn(probes.twoCalls);
  return turn !== null && turn.split(opening.trim()).length > 2;
}
