/**
 * What opens reasoning, and what follows it in finished turns. Sources of evidence, in this order: finished turns; the
 * variants of the generation prompt; the mirror of the prompt's opener, if something supports it; an end marker before
 * which finished turns drop everything.
 */
import type { FormatAlternatives, ReasoningFormat } from '../../format/chat-format.ts';
import { namesThoughts } from '../../template/prompt/names-thoughts.ts';
import { mirror } from '../literals/mirror.ts';
import { tokens } from '../literals/tokens.ts';
import { findCalls } from '../probes/call-spans.ts';
import type { InferredInput } from '../probes/message-form.ts';
import type { Probe } from '../probes/probes.ts';
import type { Probing } from '../probes/probing.ts';
import { afterLead, afterStart } from '../turn/rendered-turns.ts';
import type { WithTurnStart } from '../turn/turn-start.ts';
import { dropsThoughts, findDroppedThoughts } from './dropped-thoughts.ts';
import { findOptionalThoughts, findRequestedThoughts } from './requested-thoughts.ts';

/** What is known of reasoning before the next regions are read. `null` fields are not rendered. */
export interface ReasoningMarkers {
  readonly start: string;
  /** Text between reasoning and content, including the content's own opener; `null` if not rendered. */
  readonly beforeContent: string | null;
  /** Text between reasoning and the first call; `null` if not rendered. */
  readonly beforeCall: string | null;
  /** The closer, if the prompt or a mirror shows it. */
  readonly closer: string | null;
  readonly basis: ReasoningFormat['basis'];
  readonly preserved: ReasoningFormat['preserved'];
}

/** Known after the markers of reasoning have been inferred; `null` if the template has no reasoning. */
export interface WithMarkers {
  readonly markers: ReasoningMarkers | null;
  /** Another opener of content that the prompt asks for. */
  readonly alternatives?: FormatAlternatives;
}

type Given = Probing & InferredInput & WithTurnStart;

/** Infers what opens reasoning, and what follows it. */
export function inferReasoningMarkers(given: Given): WithMarkers {
  const shown =
    fromHistory(given) ?? fromPrompts(given) ?? fromDroppedThoughts(given) ?? fromOptionalThoughts(given);
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
  // Some templates keep the thoughts of a call only when its result is there.
  const [callProbe, withCall = null] = [probes.reasoningCall, probes.reasoningCallThenTool]
    .map((probe) => [probe, aroundCall(prober.turn(probe, setting), reasoning, probe)] as const)
    .find(([, found]) => found !== null) ?? [probes.reasoningCall];
  const seen = withContent ?? withCall;
  if (seen === null) return null;
  const start = afterStart(seen.before, turnStart);
  const probe = withContent === null ? callProbe.id : probes.reasoningContent.id;
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

/** Markers that finished turns show only if a variable asks for thoughts. */
function fromOptionalThoughts(given: Given): ReasoningMarkers | null {
  const found = findOptionalThoughts(given);
  if (found === null) return null;
  const { reasoningField } = found.prober.form;
  const markers = fromHistory({ ...given, prober: found.prober, input: { ...given.input, reasoningField } });
  if (markers === null) return null;
  const reason = `finished turns show thoughts if \`${found.variable}\` asks for them`;
  given.log.support('reasoning.preserved', 'reasoning-call', markers.start, reason);
  return { ...markers, preserved: 'never' };
}

function preservedWhere(withContent: boolean, withCalls: boolean): ReasoningFormat['preserved'] {
  if (withContent && withCalls) return 'always';
  return withContent ? 'with-content' : 'with-calls';
}

/** The literals before a sentinel, and between it and what follows. */
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

/** The same where a call follows. */
function aroundCall(turn: string | null, sentinel: string, { calls = [] }: Probe): ReturnType<typeof around> {
  return around(turn, sentinel, (text) => findCalls(text, calls)?.[0]?.start ?? -1);
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
    // White space at the beginning of both belongs to the prompt.
    const space = opening.slice(0, opening.length - opening.trimStart().length);
    return unseenMarkers(opening, closed.startsWith(space) ? closed.slice(space.length) : closed, 'prompt');
  }
  return openingOnly(given, opening);
}

/** If the opener of a block ends a line, the closer begins on a new line. */
function withLine(opening: string, rest: string): string {
  return opening.endsWith('\n') ? `\n${rest.trimStart()}` : rest;
}

/** `<think>\n\n</think>\n` split into its markers; `null` if no end marker mirrors the beginning. */
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
 * Markers of which the prompt shows only the opener. A prompt may end with a marker that does not open thoughts, so
 * other evidence is required: a finished turn that drops text up to the closer, the template's source, a switch of
 * thinking, or at least the marker's name.
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

/** Markers that no prompt or message shows. */
function fromDroppedThoughts(given: Given): ReasoningMarkers | null {
  const dropped = findDroppedThoughts(given);
  return dropped === null ? null : unseenMarkers(dropped.open, dropped.close, 'verified');
}

/** Whether the prompt's opener also separates calls; then it is not reasoning. */
function separatesCalls({ prober, probes }: Probing, opening: string): boolean {
  const turn = prober.turn(probes.twoCalls);
  return turn !== null && turn.split(opening.trim()).length > 2;
}
