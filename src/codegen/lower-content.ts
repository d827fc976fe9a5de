/** Lowers the answer, with or without markers of its own. */
import type { Delimiters } from '../format/chat-format.ts';
import { between, region, speculative } from '../parser/steps/steps.ts';
import { envelopePaths } from './call-parts.ts';
import { sampleCall, samples } from './call-samples.ts';
import type { MarkerPlan } from './marker-plan.ts';
import { isBlank, isSignificant, withoutRestart } from './marker-text.ts';
import { picture } from './pictures.ts';
import { choicesOf, distinct, type MarkerChoice, type StateName, type StateSpec } from './states.ts';

/** All states of the answer. */
export function contentStates(plan: MarkerPlan): readonly StateSpec[] {
  const { content, turn } = plan.format;
  const opener = plan.callsInText[0]?.marker ?? '';
  return [
    {
      name: 'inAnswer',
      title: 'In the answer.',
      picture: picture('', samples.answer, opener || (turn.ends[0] ?? '')),
      step: region({
        region: 'text',
        stops: distinct([
          ...callOpeners(plan),
          ...plan.contentStart,
          ...plan.laterReasoning,
          ...plan.turnEnds,
          ...plan.strayMarkers,
        ]),
      }),
    },
    ...speculativeStates(plan),
    wrappedState(plan, 'inContent', content),
    ...(content.withCalls === null ? [] : [wrappedState(plan, 'inContentWithCalls', content.withCalls)]),
    {
      name: 'afterContent',
      title: 'After the answer.',
      picture: picture(samples.answer + content.close, '', opener),
      step: between({
        choices: distinct([...plan.turnStart, ...plan.reasoningStart, ...plan.regions]),
        otherwise: 'inAnswer',
      }),
    },
  ];
}

function callOpeners({ callsInText, calls }: MarkerPlan): readonly MarkerChoice[] {
  return [...callsInText, ...(calls?.speculative ?? [])];
}

/** Openers of calls in content whose closer is missing. */
function earlyCalls({ callsInText }: MarkerPlan): readonly MarkerChoice[] {
  return callsInText
    .filter(({ followedBy, repairs, speculative: isOpen }) => {
      return followedBy !== undefined && repairs === undefined && isOpen === undefined;
    })
    .map((choice) => ({ ...choice, name: `${choice.name}Early`, repairs: 'unclosed' }));
}

function speculativeStates({ format, calls: plan, turnEnds }: MarkerPlan): readonly StateSpec[] {
  const { calls } = format;
  if (calls === null || calls.envelope === null || plan === null || plan.speculative.length === 0) return [];
  const written = calls.section.open + sampleCall(calls) + calls.section.close;
  return [
    {
      name: 'maybeCalls',
      title: 'In what is calls if nothing else comes before the end of the turn.',
      picture: picture(samples.answer, written, format.turn.ends[0] ?? ''),
      step: speculative({
        paths: envelopePaths(calls.envelope),
        list: plan.chain.length > 0,
        ends: turnEnds,
        next: plan.start,
        otherwise: 'inAnswer',
      }),
    },
  ];
}

/** The closer of an answer. One that may occur in it (`"`) counts only before what may follow an answer. */
function contentEnds(plan: MarkerPlan, close: string, next: StateName): readonly MarkerChoice[] {
  const ends = choicesOf('contentEnd', [close], next);
  if (isSignificant(close) || next !== 'afterContent') return ends;
  const markers = [...plan.turnEnds, ...plan.callsInText].map(({ marker }) => marker.trim());
  const texts = ['', ...new Set(markers.filter((marker) => marker !== ''))];
  return ends.map((end) => ({ ...end, followedBy: { texts } }));
}

/** In an answer with markers of its own. */
function wrappedState(plan: MarkerPlan, name: StateName, wrapper: Delimiters): StateSpec {
  const { format, headed, turnEnds, strayMarkers } = plan;
  const close = withoutRestart(format, wrapper.close);
  const after = close === wrapper.close ? 'afterContent' : 'betweenTurns';
  const mayStop = isBlank(close) || format.stops.some((stop) => stop.trim() === close.trim());
  return {
    name,
    title: 'In the wrapped answer: only its own end counts.',
    picture: picture(wrapper.open, samples.answer, wrapper.close),
    step: region({
      region: 'text',
      stops: distinct([
        ...contentEnds(plan, close, after),
        // Without headers, content without a closer ends where a call opens. So does content whose closer is missing,
        // which is reported.
        ...(isBlank(close) && !headed ? callOpeners(plan) : []),
        ...(isBlank(close) || headed ? [] : earlyCalls(plan)),
        ...turnEnds,
        ...strayMarkers,
      ]),
      ...(mayStop ? {} : { mustClose: true as const }),
    }),
  };
}
