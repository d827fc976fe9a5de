/** The texts that end a turn: after content, after calls, and before the next message. */
import type { TurnFormat } from '../../format/chat-format.ts';
import { firstMarker } from '../literals/tokens.ts';
import type { Probing } from '../probes/probing.ts';
import type { WithEnds } from './region-ends.ts';
import { afterCalls, readCallTurn, type WithTurns } from './rendered-turns.ts';
import type { WithTurnStart } from './turn-start.ts';

type Given = Probing & WithTurnStart & WithEnds & WithTurns;

/** The turn's part of the format. */
export function inferTurnFormat(given: Given): { readonly turn: TurnFormat } {
  const { prober, probes, log, turnStart, ends } = given;
  const afterTools = given.turns.calls === null ? '' : followerOfCalls(given);
  const all = [ends.contentEnd, ends.callsEnd, ends.historyEnd, afterTools].filter((end) => end !== '');
  log.support('turn.ends', probes.content.id, ends.contentEnd, 'after content');
  if (ends.callsEnd !== '') log.support('turn.ends', probes.oneCall.id, ends.callsEnd, 'after calls');
  log.support('turn.ends', probes.contentThenUser.id, ends.historyEnd, 'before the next message');
  const turn: TurnFormat = {
    start: turnStart.start,
    ...(turnStart.lead === '' ? {} : { lead: turnStart.lead }),
    ends: [...new Set(all)].filter((end) => end !== prober.sentinels.bos),
    restart: turnStart.restart,
    prompt: turnStart.prompt,
  };
  return { turn };
}

/**
 * What a tool's message begins with, if calls have no end of turn of their own, or lose it before a result: some
 * templates continue the same turn.
 */
function followerOfCalls(given: Given): string {
  const { prober, probes, turnStart } = given;
  const { callsEnd } = given.ends;
  const followed = readCallTurn(prober, probes.callThenTool, turnStart);
  const alone = readCallTurn(prober, probes.oneCall, turnStart);
  if (followed === null || alone === null) return '';
  const after = afterCalls(alone);
  if (!after.endsWith(callsEnd)) return '';
  const close = after.slice(0, after.length - callsEnd.length);
  // The call is as long here as it is alone; a result may repeat its id.
  const [own] = alone.spans;
  const rest = followed.text.slice(followed.spans[0].start + own.end - own.start);
  if (!rest.startsWith(close)) return '';
  if (callsEnd !== '' && rest.slice(close.length).trimStart().startsWith(callsEnd.trim())) return '';
  const follower = firstMarker(rest.slice(close.length));
  if (follower === '') warnOfOpenTurn(given, rest);
  return follower;
}

function warnOfOpenTurn({ log, probes }: Given, rendered: string): void {
  const message =
    `probe ${probes.callThenTool.id}: no end of the turn and no marker stand between calls and the result of a ` +
    'tool: a parser takes a result after them for the answer, and generation has to be stopped by other means';
  log.warn({ field: 'turn.ends', kind: 'assumed', message, rendered });
}
