/** Lowers the beginning of a turn, the headers of its regions, and its end. */
import type { ChatFormat } from '../format/chat-format.ts';
import { between, expect, header, recover } from '../parser/steps/steps.ts';
import { openingText, samples } from './call-samples.ts';
import type { MarkerPlan } from './marker-plan.ts';
import { picture } from './pictures.ts';
import { distinct, type StateName, type StateSpec } from './states.ts';

/** At the beginning of a turn, and in the header of its first region. */
export function turnStates(plan: MarkerPlan): readonly StateSpec[] {
  const { turn } = plan.format;
  return [
    {
      name: 'atTurnStart',
      title: 'At the beginning of the turn.',
      picture: picture(turn.start, '', samples.answer),
      step: between({
        choices: distinct([
          ...plan.turnStart,
          ...plan.repeatedStart,
          ...plan.reasoningStart,
          ...plan.emptyReasoning,
          ...(plan.headed || plan.endMarked ? [] : plan.strayReasoningEnd),
          ...plan.regions,
        ]),
        otherwise: withoutMarker(plan),
      }),
    },
    ...headerStates(plan),
  ];
}

/** Where text at the beginning of a turn leads if no marker of the template begins it. */
function withoutMarker(plan: MarkerPlan): StateName {
  if (plan.headerEnd !== null) return 'inHeader';
  return plan.endMarked ? 'maybeReasoning' : 'inAnswer';
}

/** Headers that the template does not render: other orders of their parts, including those of calls. */
function headerStates({ format, headerEnd: end }: MarkerPlan): readonly StateSpec[] {
  const { calls, reasoning } = format;
  if (end === null || reasoning === null) return [];
  const opening = calls === null ? '' : openingText(calls);
  // White space at the marker's end separates it from the name.
  const marker = opening.trimStart();
  return [
    {
      name: 'inHeader',
      title: "In a region's header.",
      picture: picture(format.turn.start, `${opening}${samples.name}`, end),
      step: header({
        end,
        ...(marker === '' ? {} : { call: { marker, next: 'beforeArguments' } }),
        thought: { marker: reasoning.start.trim().slice(0, -end.length), next: 'inReasoning' },
        recipient: recipientMarker(format, marker),
        next: 'inContent',
        otherwise: 'inAnswer',
        ...(calls === null ? { recover: 'afterTurn' } : {}),
      }),
    },
  ];
}

/**
 * What marks a recipient in a header: the beginning of a call's header, if it does not occur in those of other regions.
 */
function recipientMarker({ reasoning, content }: ChatFormat, marker: string): string {
  const begin = /^\W*\w+\W/.exec(marker)?.[0] ?? marker;
  const shared = [reasoning?.start ?? '', content.open].some((opener) => opener.includes(begin));
  return shared ? '' : begin;
}

/** After a turn. */
export function endStates(plan: MarkerPlan): readonly StateSpec[] {
  const { turn } = plan.format;
  const [end = ''] = turn.ends;
  return [
    {
      name: 'betweenTurns',
      title: 'Between two turns of one message.',
      picture: picture(end, '', turn.start),
      step: between({ choices: distinct([...plan.turnStart, ...plan.headerStart]), otherwise: 'turnEnded' }),
    },
    {
      name: 'turnEnded',
      title: 'After the turn, where only a late call may follow.',
      picture: picture(end, '', ''),
      step: expect({
        choices: distinct(plan.callsInText),
        recover: 'afterTurn',
        reason: 'text after the end of the turn',
      }),
    },
    {
      name: 'afterTurn',
      title: 'In stray text after the turn.',
      picture: picture(end, samples.answer, ''),
      step: recover({ choices: [] }),
    },
  ];
}
