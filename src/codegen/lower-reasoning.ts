/** Lowers reasoning: in it, after it, and in ambiguous text. */
import type { TurnLayout } from '../layout/turn-layout.ts';
import { state } from '../parser/named-states.ts';
import { sampleCall, samples } from './call-samples.ts';
import type { MarkerPlan } from './marker-plan.ts';
import { picture } from './pictures.ts';
import { distinct, type MarkerChoice, type StateSpec } from './states.ts';

/** All states of reasoning. */
export function reasoningStates(plan: MarkerPlan): readonly StateSpec[] {
  const { layout, reasoningEnd, turnEnds } = plan;
  if (layout.reasoning === null) return [];
  const [open, close] = [layout.reasoning.open.text, layout.reasoning.close.text];
  const settled = { stops: reasoningEnd, ends: turnEnds, resume: 'afterReasoning' };
  return [
    {
      name: 'inReasoning',
      title: 'In the reasoning.',
      picture: picture(open, samples.reasoning, close),
      step: state('region', {
        region: 'reasoning',
        stops: distinct([...reasoningEnd, ...turnEnds, ...plan.headerStart, ...ambiguousOpeners(plan)]),
        mustClose: true,
      }),
    },
    {
      name: 'maybeCall',
      title: 'At what may be a call.',
      picture: picture(open + samples.reasoning, ambiguousSample(layout), close),
      step: state('ambiguous', settled),
    },
    {
      name: 'maybeReasoning',
      title: 'In text that is reasoning if its end comes.',
      picture: picture(layout.start.text, samples.reasoning, close),
      step: state('ambiguous', { ...settled, opened: 'inReasoning' }),
    },
    {
      name: 'afterReasoning',
      title: 'After the reasoning.',
      picture: picture(close, '', samples.answer),
      step: state('between', {
        choices: distinct([...plan.turnStart, ...plan.reasoningStart, ...plan.repeatedEnd, ...plan.regions]),
        otherwise: 'inAnswer',
      }),
    },
  ];
}

/** Calls and answers that seem to begin while reasoning is open. */
function ambiguousOpeners({ layout, callsInText, contentStart }: MarkerPlan): readonly MarkerChoice[] {
  if (layout.headed) return [];
  const flags = { next: 'maybeCall', ambiguous: true } as const;
  return [...callsInText, ...contentStart].map((choice) => ({ ...choice, ...flags }));
}

/** A call or, in formats without calls, an answer in its markers. */
function ambiguousSample({ calls, content }: TurnLayout): string {
  return calls === null ? content.open.text + samples.answer : calls.open.text + sampleCall(calls);
}
