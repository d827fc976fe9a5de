/** Lowers the answer, with or without markers of its own. */
import type { Marker } from '../layout/marker.ts';
import { coresOf, markers } from '../layout/marker.ts';
import type { Wrapper } from '../layout/regions.ts';
import { state } from '../parser/named-states.ts';
import { sampleCall, samples } from './call-samples.ts';
import { openingState } from './call-states.ts';
import type { MarkerPlan } from './marker-plan.ts';
import { picture } from './pictures.ts';
import { choicesOf, distinct, type MarkerChoice, type StateName, type StateSpec } from './states.ts';

/** All states of the answer. */
export function contentStates(plan: MarkerPlan): readonly StateSpec[] {
  const { content, ends } = plan.layout;
  const opener = plan.callsInText[0]?.marker ?? '';
  return [
    {
      name: 'inAnswer',
      title: 'In the answer.',
      picture: picture('', samples.answer, opener || (ends[0]?.text ?? '')),
      step: state('region', {
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
    ...content.wrappers.map((wrapper) => wrappedState(plan, wrapper)),
    {
      name: 'afterContent',
      title: 'After the answer.',
      picture: picture(samples.answer + content.close.text, '', opener),
      step: state('between', {
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

function speculativeStates({ layout, turnEnds }: MarkerPlan): readonly StateSpec[] {
  const { calls, ends } = layout;
  if (calls === null || calls.notation.paths === null || calls.speculative.length === 0) return [];
  const written = calls.open.text + sampleCall(calls) + calls.close.text;
  return [
    {
      name: 'maybeCalls',
      title: 'In what is calls if nothing else comes before the end of the turn.',
      picture: picture(samples.answer, written, ends[0]?.text ?? ''),
      step: state('speculative', {
        paths: calls.notation.paths,
        list: calls.opening.length > 0,
        ends: turnEnds,
        next: openingState(calls, 0),
        otherwise: 'inAnswer',
      }),
    },
  ];
}

/** The closer of an answer. One that may occur in it (`"`) counts only before what may follow an answer. */
function contentEnds(plan: MarkerPlan, close: Marker, next: StateName): readonly MarkerChoice[] {
  const ends = choicesOf('contentEnd', [close], next);
  if (close.isSignificant || next !== 'afterContent') return ends;
  const followers = [...plan.turnEnds, ...plan.callsInText].map(({ marker }) => marker);
  const texts = ['', ...coresOf(markers(followers))];
  return ends.map((end) => ({ ...end, followedBy: { texts } }));
}

/** In an answer with markers of its own. */
function wrappedState(plan: MarkerPlan, { place, open, close, end, restarts }: Wrapper): StateSpec {
  const { layout, turnEnds, strayMarkers } = plan;
  const mayStop = end.isBlank || layout.stops.some(({ core }) => core === end.core);
  return {
    name: place === 'content' ? 'inContent' : 'inContentWithCalls',
    title: 'In the wrapped answer: only its own end counts.',
    picture: picture(open.text, samples.answer, close.text),
    step: state('region', {
      region: 'text',
      stops: distinct([
        ...contentEnds(plan, end, restarts ? 'betweenTurns' : 'afterContent'),
        // Without headers, content without a closer ends where a call opens. So does content whose closer is missing,
        // which is reported.
        ...(end.isBlank && !layout.headed ? callOpeners(plan) : []),
        ...(end.isBlank || layout.headed ? [] : earlyCalls(plan)),
        ...turnEnds,
        ...strayMarkers,
      ]),
      ...(mayStop ? {} : { mustClose: true as const }),
    }),
  };
}
