/** What every assistant turn and every generation prompt begin with, and what prompts add. */

import { mirror } from '../literals/mirror.ts';
import type { Boundaries, BoundaryStatistics } from '../literals/token-boundaries.ts';
import { commonPrefixLength, commonSuffixLength, tokens } from '../literals/tokens.ts';
import type { ProbeTable } from '../probes/probes.ts';
import type { Probing } from '../probes/probing.ts';
import type { TemplateProber } from '../probes/template-prober.ts';

/** The beginnings of turns. */
export interface TurnStart {
  /** Text at the beginning of all turns and all generation prompts. */
  readonly start: string;
  /** White space after `start` in all finished turns that the prompt lacks. */
  readonly lead: string;
  /** Whether `start` recurs inside a turn. */
  readonly restart: boolean;
  /** What the generation prompt adds to `start`, by the setting of thinking. */
  readonly prompt: { readonly unset: string; readonly on: string; readonly off: string };
}

/** Known after the beginnings of turns have been inferred. */
export interface WithTurnStart {
  readonly turnStart: TurnStart;
}

/** Infers the beginnings of turns from all turns and prompts. */
export function inferTurnStart({ prober, probes, boundaries, log }: Probing & Boundaries): WithTurnStart {
  const prompts = { unset: prober.prompt('unset'), on: prober.prompt('on'), off: prober.prompt('off') };
  const turns = turnTexts(prober, probes);
  const shared = sharedStart(turns, Object.values(prompts), prober.sentinels.pattern, boundaries);
  const start = giveBack(prober, probes, turns, shared, prompts);
  const restart = start.trim() !== '' && turns.some((turn) => turn.indexOf(start, start.length) > 0);
  const lead = restart ? '' : commonWhiteSpace(turns.map((turn) => turn.slice(start.length)));
  log.support('turn.start', 'content', start, 'all turns and all generation prompts begin with it');
  if (lead !== '') log.support('turn.lead', 'content', lead, 'white space of turns that prompts lack');
  const again = restart ? 'it comes again inside a turn' : 'it never comes again inside a turn';
  log.support('turn.restart', 'reasoning-content', start, again);
  const prompt = {
    unset: prompts.unset.slice(start.length),
    on: prompts.on.slice(start.length),
    off: prompts.off.slice(start.length),
  };
  for (const [setting, text] of Object.entries(prompt)) {
    log.support(
      `turn.prompt.${setting}`,
      `prompt-${setting}`,
      start + text,
      'what follows the start of turns',
    );
  }
  return { turnStart: { start, lead, restart, prompt } };
}

function turnTexts(prober: TemplateProber, probes: ProbeTable): readonly string[] {
  const table = [
    probes.content,
    probes.contentThenUser,
    probes.reasoningContent,
    probes.oneCall,
    probes.twoCalls,
    probes.contentCall,
    probes.reasoningCall,
  ];
  const turns = table.map((probe) => prober.turn(probe)).filter((turn) => turn !== null);
  return turns.filter((turn) => turn.search(prober.sentinels.pattern) >= 0);
}

function sharedStart(
  turns: readonly string[],
  prompts: readonly string[],
  sentinel: RegExp,
  boundaries: BoundaryStatistics,
): string {
  const opened = prompts.filter((prompt) => prompt !== '');
  if (opened.length === 0) {
    return startWithoutPrompts(
      turns.map((turn) => turn.slice(0, turn.search(sentinel))),
      boundaries,
    );
  }
  const texts = [...prompts, ...turns];
  const [first = ''] = texts;
  const longest = commonPrefixLength(texts);
  if (prompts.some((prompt) => prompt.length === longest)) return first.slice(0, longest);
  return first.slice(0, boundaries.prefixLength(texts));
}

/** For templates without a generation prompt: what finished turns share, if that is more than white space. */
function startWithoutPrompts(headers: readonly string[], boundaries: BoundaryStatistics): string {
  const start = headers[0]?.slice(0, boundaries.prefixLength(headers)) ?? '';
  return start.trim() === '' ? '' : start;
}

/**
 * Removes from the start what belongs to the regions after it: an opener of reasoning that all turns share, or a
 * marker that recurs between calls.
 */
function giveBack(
  prober: TemplateProber,
  probes: ProbeTable,
  turns: readonly string[],
  start: string,
  prompts: { readonly off: string },
): string {
  const last = tokens(start.trimEnd()).at(-1);
  if (last === undefined) return start;
  const follows = (sentinel: string) => turns.some((turn) => turn.startsWith(start + sentinel));
  const opensReasoning = follows(prober.sentinels.reasoning) && !follows(prober.sentinels.content);
  const closer = mirror(last);
  if (opensReasoning || (closer !== null && prompts.off.slice(start.length).trimStart().startsWith(closer))) {
    return start.slice(0, start.trimEnd().length - last.length);
  }
  return start.slice(0, start.length - separatorTail(prober, probes, start).length);
}

/** The end of `start` that also separates calls, if nothing else opens a call. */
function separatorTail(prober: TemplateProber, probes: ProbeTable, start: string): string {
  const { names, values } = prober.sentinels;
  const turn = prober.turn(probes.twoCalls);
  const between = turn?.slice(0, turn.indexOf(names[1])) ?? '';
  if (turn === null || turn.indexOf(names[0]) !== start.length || between === '') return '';
  const literal = between.slice(between.lastIndexOf(values[1]) + values[1].length);
  const shared = commonSuffixLength([literal, start]);
  const tail = start.slice(start.length - shared);
  return tail.slice(tail.length - tail.trimStart().length);
}

function commonWhiteSpace(texts: readonly string[]): string {
  if (texts.length === 0) return '';
  const shared = texts[0]?.slice(0, commonPrefixLength(texts)) ?? '';
  return shared.slice(0, shared.length - shared.trimStart().length);
}
