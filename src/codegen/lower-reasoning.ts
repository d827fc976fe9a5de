/** Lowers reasoning: in it, after it, and in ambiguous text. */
import { ambiguous, between, region } from '../parser/steps/steps.ts';
import { sampleCall, samples } from './call-samples.ts';
import type { MarkerPlan } from './marker-plan.ts';
import { picture } from './pictures.ts';
import { distinct, type MarkerChoice, type StateSpec } from './states.ts';

/** All states of reasoning. */
export function reasoningStates(plan: MarkerPlan): readonly StateSpec[] {
  const { format, reasoningEnd, turnEnds } = plan;
  const { reasoning, turn } = format;
  if (reasoning === null) return [];
  const settled = { stops: reasoningEnd, ends: turnEnds, resume: 'afterReasoning' };
  return [
    {
      name: 'inReasoning',
      title: 'In the reasoning.',
      picture: picture(reasoning.start, samples.reasoning, reasoning.end),
      step: region({
        region: 'reasoning',
        stops: distinct([...reasoningEnd, ...turnEnds, ...plan.headerStart, ...ambiguousOpeners(plan)]),
        mustClose: true,
      }),
    },
    {
      name: 'maybeCall',
      title: 'At what may be a call.',
      picture: picture(reasoning.start + samples.reasoning, ambiguousSample(plan), reasoning.end),
      step: ambiguous(settled),
    },
    {
      name: 'maybeReasoning',
      title: 'In text that is reasoning if its end comes.',
      picture: picture(turn.start, samples.reasoning, reasoning.end),
      step: ambiguous({ ...settled, opened: 'inReasoning' }),
    },
    {
      name: 'afterReasoning',
      title: 'After the reasoning.',
      picture: picture(reasoning.end, '', samples.answer),
      step: between({ choices: distinct([...plan.turnStart, ...plan.regions]), otherwise: 'inAnswer' }),
    },
  ];
}

/** Calls and answers that seem to begin while reasoning is open. */
function ambiguousOpeners({ headed, callsInText, contentStart }: MarkerPlan): readonly MarkerChoice[] {
  if (headed) return [];
  const flags = { next: 'maybeCall', ambiguous: true } as const;
  return [...callsInText, ...contentStart].map((choice) => ({ ...choice, ...flags }));
}

/** A call or, in formats without calls, an answer in its markers. */
function ambiguousSample({ format: { calls, content } }: MarkerPlan): string {
  return calls === null ? content.open + samples.answer : calls.section.open + sampleCall(calls);
}
