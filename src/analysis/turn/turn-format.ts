/** The texts that end a turn: after content, after calls, and before the next message. */
import type { TurnFormat } from '../../format/chat-format.ts';
import type { EvidenceLog } from '../evidence.ts';
import type { RegionEnds } from './region-ends.ts';
import type { TurnStart } from './turn-start.ts';
import type { ProbeTable } from '../probes/probes.ts';
import { afterCalls, afterStart, readCallTurn } from '../probes/rendered-turns.ts';
import type { TemplateProber } from '../probes/template-prober.ts';
import { isMarker, tokens } from '../literals/token-boundaries.ts';

/** What the ends are read from. */
export interface TurnEndTexts {
  readonly prober: TemplateProber;
  readonly probes: ProbeTable;
  readonly turn: TurnStart;
  readonly log: EvidenceLog;
  readonly rendersCalls: boolean;
}

/** The turn's part of the format. */
export function inferTurnEnds(stage: TurnEndTexts, ends: RegionEnds, historyEnd: string): TurnFormat {
  const { turn, log, prober, probes } = stage;
  const afterTools = stage.rendersCalls ? followerOfCalls(stage, ends.callsEnd) : '';
  const all = [ends.contentEnd, ends.callsEnd, historyEnd, afterTools].filter((end) => end !== '');
  log.support('turn.ends', probes.content.id, ends.contentEnd, 'after content');
  if (ends.callsEnd !== '') log.support('turn.ends', probes.oneCall.id, ends.callsEnd, 'after calls');
  log.support('turn.ends', probes.contentThenUser.id, historyEnd, 'before the next message');
  return {
    start: turn.start,
    ...(turn.lead === '' ? {} : { lead: turn.lead }),
    ends: [...new Set(all)].filter((end) => end !== prober.sentinels.bos),
    restart: turn.restart,
    prompt: turn.prompt,
  };
}

/** The end of a turn that another message follows, which may differ from that of the last. */
export function endInHistory(
  stage: Pick<TurnEndTexts, 'prober' | 'probes' | 'turn'>,
  afterContent: string,
): string {
  const { prober, probes, turn } = stage;
  const rendered = prober.turn(probes.contentThenUser);
  const at = rendered?.indexOf(prober.sentinels.content) ?? -1;
  if (rendered === null || at < 0) return '';
  const after = afterStart(rendered, turn).slice(
    afterStart(rendered, turn).indexOf(prober.sentinels.content) + prober.sentinels.content.length,
  );
  if (afterContent !== '' && after.startsWith(afterContent)) return '';
  const { userEnd } = prober;
  if (userEnd !== '' && after.startsWith(userEnd)) return userEnd;
  return firstMarker(after);
}

/**
 * What a tool's message begins with, where calls have no end of turn of their own, or lose it when a result
 * follows: some templates go on with the same turn.
 */
function followerOfCalls(stage: TurnEndTexts, callsEnd: string): string {
  const followed = readCallTurn(stage.prober, stage.probes.callThenTool, stage.turn);
  const alone = readCallTurn(stage.prober, stage.probes.oneCall, stage.turn);
  if (followed === null || alone === null) return '';
  const after = afterCalls(alone);
  if (!after.endsWith(callsEnd)) return '';
  const close = after.slice(0, after.length - callsEnd.length);
  // The call is as long here as it is alone: a result may repeat its id.
  const [own] = alone.spans;
  const rest = followed.text.slice(followed.spans[0].start + own.end - own.start);
  if (!rest.startsWith(close)) return '';
  if (callsEnd !== '' && rest.slice(close.length).trimStart().startsWith(callsEnd.trim())) return '';
  const follower = firstMarker(rest.slice(close.length));
  if (follower === '' && callsEnd !== '') warnOfOpenTurn(stage, rest);
  return follower;
}

function warnOfOpenTurn({ log, probes }: TurnEndTexts, rendered: string): void {
  const message =
    `probe ${probes.callThenTool.id}: no end of the turn and no marker stand between calls and the result of a ` +
    'tool: a parser takes a result after them for the answer, and generation has to be stopped by other means';
  log.warn({ field: 'turn.ends', kind: 'assumed', message, rendered });
}

function firstMarker(text: string): string {
  const first = tokens(text.trimStart())[0] ?? '';
  return isMarker(first) ? first : '';
}
