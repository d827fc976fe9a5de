/** The texts that end a turn: behind content, behind calls, and before the next message. */
import type { TurnFormat } from '../chat-format.ts';
import type { EvidenceLog } from './evidence.ts';
import { type EndReading, isMarker } from './infer-ends.ts';
import type { TurnReading } from './infer-turn.ts';
import type { ProbeTable } from './probes.ts';
import { behindStart, readCallTurn } from './region-texts.ts';
import type { TemplateProber } from './template-prober.ts';
import { tokens } from './text-cuts.ts';

/** What the ends are read from. */
export interface TurnEndTexts {
  readonly prober: TemplateProber;
  readonly probes: ProbeTable;
  readonly turn: TurnReading;
  readonly log: EvidenceLog;
  readonly rendersCalls: boolean;
}

/** The turn's part of the format. */
export function inferTurnEnds(stage: TurnEndTexts, ends: EndReading, historyEnd: string): TurnFormat {
  const { turn, log, prober, probes } = stage;
  const afterTools = stage.rendersCalls && ends.callsEnd === '' ? followerOfCalls(stage) : '';
  const all = [ends.contentEnd, ends.callsEnd, historyEnd, afterTools].filter((end) => end !== '');
  log.support('turn.ends', probes.content.id, ends.contentEnd, 'behind content');
  if (ends.callsEnd !== '') log.support('turn.ends', probes.oneCall.id, ends.callsEnd, 'behind calls');
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
  const after = behindStart(rendered, turn).slice(
    behindStart(rendered, turn).indexOf(prober.sentinels.content) + prober.sentinels.content.length,
  );
  if (afterContent !== '' && after.startsWith(afterContent)) return '';
  const { userEnd } = prober;
  if (userEnd !== '' && after.startsWith(userEnd)) return userEnd;
  return firstMarker(after);
}

/** What a tool's message begins with, where calls have no end of turn of their own. */
function followerOfCalls(stage: TurnEndTexts): string {
  const rendered = readCallTurn(stage.prober, stage.probes.callThenTool, stage.turn);
  const alone = readCallTurn(stage.prober, stage.probes.oneCall, stage.turn);
  if (rendered === null || alone === null || !rendered.text.startsWith(alone.text)) return '';
  return firstMarker(rendered.text.slice(alone.text.length));
}

function firstMarker(text: string): string {
  const first = tokens(text.trimStart())[0] ?? '';
  return isMarker(first) ? first : '';
}
