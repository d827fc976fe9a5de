/** Lowers the beginning of a turn, the headers of its regions, and its end. */
import { state } from '../parser/named-states.ts';
import { samples } from './call-samples.ts';
import type { MarkerPlan } from './marker-plan.ts';
import { picture } from './pictures.ts';
import { distinct, type StateName, type StateSpec } from './states.ts';

/** At the beginning of a turn, and in the header of its first region. */
export function turnStates(plan: MarkerPlan): readonly StateSpec[] {
  const { headed, reasoning, start } = plan.layout;
  return [
    {
      name: 'atTurnStart',
      title: 'At the beginning of the turn.',
      picture: picture(start.text, '', samples.answer),
      step: state('between', {
        choices: distinct([
          ...plan.turnStart,
          ...plan.repeatedStart,
          ...plan.reasoningStart,
          ...plan.emptyReasoning,
          ...(headed || reasoning?.endMarked ? [] : plan.strayReasoningEnd),
          ...plan.regions,
        ]),
        otherwise: withoutMarker(plan),
      }),
    },
    ...headerStates(plan),
  ];
}

/** Where text at the beginning of a turn leads if no marker of the template begins it. */
function withoutMarker({ layout: { header, reasoning } }: MarkerPlan): StateName {
  if (header !== null) return 'inHeader';
  return reasoning?.endMarked ? 'maybeReasoning' : 'inAnswer';
}

/** Headers that the template does not render: other orders of their parts, including those of calls. */
function headerStates({ layout: { calls, header, start } }: MarkerPlan): readonly StateSpec[] {
  if (header === null) return [];
  const { end, begin, beginnings, call, thought, recipient, self, type } = header;
  return [
    {
      name: 'inHeader',
      title: "In a region's header.",
      picture: picture(start.text, `${calls?.openerWithHead.text ?? ''}${samples.name}`, end),
      step: state('header', {
        end,
        ...(call === '' ? {} : { call: { marker: call, next: 'beforeArguments' } }),
        thought: { marker: thought, next: 'inReasoning' },
        recipient,
        ...(self === '' ? {} : { self }),
        ...(type === '' ? {} : { type }),
        ...(begin === '' ? {} : { begin, known: beginnings }),
        next: 'inContent',
        otherwise: 'inAnswer',
        ...(calls === null ? { recover: 'afterTurn' } : {}),
      }),
    },
  ];
}

/** After a turn. */
export function endStates(plan: MarkerPlan): readonly StateSpec[] {
  const { start, ends } = plan.layout;
  const end = ends[0]?.text ?? '';
  return [
    {
      name: 'betweenTurns',
      title: 'Between two turns of one message.',
      picture: picture(end, '', start.text),
      step: state('between', {
        choices: distinct([...plan.turnStart, ...plan.headerStart]),
        otherwise: 'turnEnded',
        ...(plan.layout.restarts ? { separates: true as const } : {}),
      }),
    },
    {
      name: 'turnEnded',
      title: 'After the turn, where only a late call may follow.',
      picture: picture(end, '', ''),
      step: state('expect', {
        choices: distinct(plan.callsInText),
        recover: 'afterTurn',
        reason: 'text after the end of the turn',
      }),
    },
    {
      name: 'afterTurn',
      title: 'In stray text after the turn.',
      picture: picture(end, samples.answer, ''),
      // A message of several turns goes on after what the model made up of others.
      step: state('recover', { choices: plan.layout.restarts ? distinct(plan.turnStart) : [] }),
    },
  ];
}
