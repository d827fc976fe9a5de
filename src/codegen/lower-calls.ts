/** Lowers the calls of a format: opening, head, arguments and closing. */
import type { CallPart } from '../format/chat-format.ts';
import type { IdPart } from '../parser/state-tables.ts';
import type { StateDefinition } from '../parser/steps/state-definition.ts';
import { between, expect, hole, jsonArguments, jsonCall, recover } from '../parser/steps/steps.ts';
import { type Closing, closingState, envelopePaths, type Hole, holeState } from './call-parts.ts';
import { argumentsAtOnce, type CallPlan, significantNameEnds } from './call-plan.ts';
import {
  brokenArguments,
  openingText,
  sampleArguments,
  sampleBeforeClosing,
  sampleCall,
  sampleHead,
  sampleParts,
} from './call-samples.ts';
import { entryStates } from './lower-entries.ts';
import type { MarkerPlan } from './marker-plan.ts';
import { isBlank, leadingLiteral } from './marker-text.ts';
import { picture } from './pictures.ts';
import {
  choicesOf,
  distinct,
  type MarkerChoice,
  malformed,
  type StateName,
  type StateSpec,
} from './states.ts';

/** All states of calls. */
export function callStates(plan: MarkerPlan, calls: CallPlan): readonly StateSpec[] {
  return [
    ...chainStates(plan, calls),
    ...(calls.calls.envelope === null
      ? [...headStates(calls), ...argumentStates(calls)]
      : [jsonState(calls)]),
    ...closingStates(calls),
    afterCallState(plan, calls),
    afterCallsState(plan, calls),
    malformedState(plan, calls),
  ];
}

/**
 * Between the markers of the opening. Any later one may come next. At the end of the response, a first one that is
 * also an end of turn was that.
 */
function chainStates({ turnEnds }: MarkerPlan, plan: CallPlan): readonly StateSpec[] {
  const { calls, chain, start } = plan;
  const first = chain[0]?.marker.trim();
  const endsTurn = turnEnds.some(({ marker }) => marker.trim() === first);
  const opening = openingText(calls);
  const later = chain.map(({ marker, next, section }) => ({
    name: section ? 'callsOpening' : 'callOpening',
    marker,
    next,
  }));
  let end = 0;
  return chain.map((link, at) => {
    const begin = opening.indexOf(link.marker, end);
    end = begin + link.marker.length;
    return {
      name: chain[at - 1]?.next ?? start,
      title: link.section ? 'In the opening of the section of calls.' : 'In the opening of a call.',
      picture: picture(opening.slice(0, begin), link.marker, opening.slice(end) + sampleHead(calls)),
      step: expect({
        choices: distinct([...later.slice(at), ...nameAtOnce(plan, at)]),
        ...(calls.envelope === null ? {} : { otherwise: 'inCall' }),
        ...(at === 1 && endsTurn ? { atEnd: 'afterCall' as const } : {}),
      }),
    };
  });
}

/** The name of the first call in a section, if the call's own opener is missing. */
function nameAtOnce(plan: CallPlan, at: number): readonly MarkerChoice[] {
  const { sectionLength, afterOpening: next } = plan;
  const nameEnds = significantNameEnds(plan);
  if (at !== sectionLength || at === 0 || nameEnds.length === 0) return [];
  return [{ name: 'nameAtOnce', marker: '', next, followedBy: { nameEnds }, repairs: 'opener' }];
}

const holeTitles = {
  name: "In the tool's name.",
  id: "In the call's id.",
  index: 'In the number of the call.',
  'composed-id': "In the call's id, which holds the tool's name.",
} as const;

const holeEndNames = { name: 'nameEnd', id: 'idEnd', index: 'numberEnd', 'composed-id': 'idEnd' } as const;

function headStates(plan: CallPlan): readonly StateSpec[] {
  return plan.calls.head.flatMap((part, at) => (typeof part === 'string' ? [] : [headState(plan, part, at)]));
}

/** The state in the hole at part `at` of the head. */
function headState(plan: CallPlan, part: Hole, at: number): StateSpec {
  const { head, call, id } = plan.calls;
  const after = leadingLiteral(head.slice(at + 1));
  const following = head.findIndex((each, index) => index > at && typeof each !== 'string');
  const isLast = following < 0;
  const next = isLast ? 'beforeArguments' : holeState(head, following);
  const space = isBlank(after) && (after !== '' || (isLast && plan.beforeKey === 'blank'));
  return {
    name: holeState(head, at),
    title: holeTitles[part.hole],
    picture: picture(call.open + sampleParts(head.slice(0, at)), sampleParts([part]), after),
    step: hole({
      hole: part.hole,
      ends: [
        ...holeEnds(plan, choicesOf(holeEndNames[part.hole], [after], next), next),
        ...(isLast && !isBlank(after) && argumentsAtOnce(plan) ? argumentsBegin(next) : []),
      ],
      ...(space ? { space: next } : {}),
      ...(part.hole === 'composed-id' ? { parts: part.parts.map(idPart) } : {}),
      ...(isLast ? { announce: true as const, ...atEnd(plan, next) } : {}),
      ...(id?.style === 'index' ? { indexIsId: true as const } : {}),
    }),
  };
}

/** The brace of the arguments, if the marker before it is missing. */
function argumentsBegin(next: StateName): readonly MarkerChoice[] {
  return [{ name: 'argumentsAtOnce', marker: '{', next, peek: true, repairs: 'arguments-marker' }];
}

/** Where the end of the response leads in a call of entries that nothing closes. */
function atEnd({ endsWithTurn, calls }: CallPlan, next: StateName): { readonly atEnd?: StateName } {
  return endsWithTurn && calls.arguments.kind === 'entries' ? { atEnd: next } : {};
}

/** A piece of a composed id, as the parser needs it: without the base of the index. */
function idPart(part: CallPart): IdPart {
  if (typeof part === 'string') return part;
  return { hole: part.hole === 'index' ? 'index' : 'name' };
}

/** What ends a hole: the text after it or, if that is only white space, the beginning of the arguments. */
function holeEnds(plan: CallPlan, own: readonly MarkerChoice[], next: StateName): readonly MarkerChoice[] {
  if (own.length > 0) {
    const closed = argumentEnds(plan, next).map(
      (choice) => ({ ...choice, name: `${choice.name}Early`, repairs: 'unclosed' }) as const,
    );
    return distinct([...own, ...closed]);
  }
  return distinct(seen('argumentsBegin', plan.argumentBegins, next));
}

/** Markers that are peeked, not consumed. */
function seen(name: string, markers: readonly string[], next: StateName): readonly MarkerChoice[] {
  return choicesOf(name, markers, next, { peek: true });
}

/** Markers that end the arguments. A call without an end of its own ends where something else begins. */
function argumentEnds(plan: CallPlan, next: StateName): readonly MarkerChoice[] {
  const isClosed = plan.closing.some(({ part }) => typeof part === 'string');
  return distinct(seen(isClosed ? 'callClose' : 'callFollower', plan.argumentEnds, next));
}

/** Ends of the turn that come before the call's closer. */
function earlyTurnEnds({ closing, turn: { turnEnds } }: CallPlan, next: StateName): readonly MarkerChoice[] {
  if (!closing.some(({ part }) => typeof part === 'string')) return [];
  return turnEnds
    .filter(({ name }) => name === 'turnEnd')
    .map(({ marker }) => ({ name: 'turnEndEarly', marker, next, peek: true, repairs: 'unclosed' }));
}

function jsonState(plan: CallPlan): StateSpec {
  const { calls, afterArguments, closing, turn } = plan;
  const { section, call, head, id, envelope } = calls;
  return {
    name: 'inCall',
    title: 'In a call; its keys come in any order.',
    picture: picture(section.open + call.open, sampleParts(head) + sampleBeforeClosing(calls), call.close),
    step: jsonCall({
      paths: envelope === null ? { name: null, arguments: [] } : envelopePaths(envelope),
      ...(id?.style === 'index' ? { indexIsId: true as const } : {}),
      next: afterArguments,
      ends: distinct(
        [...closers(closing), ...followingEnds(plan), ...turn.turnEnds]
          .filter(({ onlyAtEnd }) => onlyAtEnd === undefined)
          .map((choice) => ({ ...choice, next: afterArguments })),
      ),
    }),
  };
}

/** What follows a call that nothing closes. */
function followingEnds({ closing, sectionEnds }: CallPlan): readonly MarkerChoice[] {
  return closing.length === 0 ? sectionEnds : [];
}

function argumentStates(plan: CallPlan): readonly StateSpec[] {
  const { calls, afterArguments, followers, unmarkedFollowers } = plan;
  const { head, tail, call, arguments: values } = calls;
  const open = tail.some((part) => typeof part !== 'string') ? { open: true as const } : {};
  if (values.kind === 'entries') {
    const ends = {
      markers: argumentEnds(plan, 'argumentsEnded'),
      turnEnds: earlyTurnEnds(plan, 'argumentsEnded'),
      followers: [...followers.map((text) => [text]), ...unmarkedFollowers],
      atEnd: atEnd(plan, 'argumentsEnded'),
    };
    return entryStates(plan, values, ends, open);
  }
  return [
    {
      name: 'beforeArguments',
      title: 'In the arguments: one JSON object.',
      picture: picture(sampleParts(head), sampleArguments(calls), sampleParts(tail) + call.close),
      step: jsonArguments({ next: afterArguments, ends: argumentEnds(plan, afterArguments), ...open }),
    },
  ];
}

/** The closing of a call. Closers may be missing: whatever may follow the call is accepted, too. */
function closingStates(plan: CallPlan): readonly StateSpec[] {
  const { calls, closing, following, moreCalls } = plan;
  const parts = closing.map(({ part }) => part);
  return closing.map(({ part }, index): StateSpec => {
    const before = sampleBeforeClosing(calls) + sampleParts(parts.slice(0, index));
    const name = closingState(calls.head, parts, index) ?? 'atCallEnd';
    const isComplete = parts.slice(0, index).some((each) => typeof each !== 'string');
    return {
      name,
      title: typeof part === 'string' ? 'At the end of a call.' : holeTitles[part.hole],
      picture: picture(before, sampleParts(parts.slice(index)), calls.separator),
      step:
        typeof part === 'string'
          ? expect({
              choices: distinct([...closers(closing.slice(index)), ...following]),
              ...(moreCalls === null ? {} : { moreCalls }),
              ...(isComplete ? { completes: true } : {}),
            })
          : closingHole(plan, part, index),
    };
  });
}

function closers(closing: readonly Closing[]): readonly MarkerChoice[] {
  return closing.flatMap(({ part, next }) =>
    typeof part === 'string' ? choicesOf('callClose', [part], next) : [],
  );
}

/** A hole after the arguments: it ends at the text after it or, at the end of a call, at what may follow. */
function closingHole({ calls, closing, followers }: CallPlan, part: Hole, index: number): StateDefinition {
  const after = closing[index + 1]?.part;
  const next = closing[index]?.next ?? 'afterCall';
  const ends =
    typeof after === 'string' ? seen('callClose', [after], next) : seen('callFollower', followers, next);
  if (after !== undefined) return hole({ hole: part.hole, ends });
  // If calls are on separate lines, the end of the line ends the last hole of a call.
  const space = /^\s+$/.test(calls.call.close + calls.separator) ? { space: next } : {};
  return hole({ hole: part.hole, ends, completes: true, ...space });
}

function afterCallState({ reasoningStart }: MarkerPlan, { calls, following }: CallPlan): StateSpec {
  return {
    name: 'afterCall',
    title: 'After a call.',
    picture: picture(sampleCall(calls), '', calls.separator + calls.call.open),
    step: between({ choices: distinct([...following, ...reasoningStart]), otherwise: 'inAnswer' }),
  };
}

function afterCallsState(
  { format, turnStart, regions, reasoningStart, resultStart }: MarkerPlan,
  { calls, sectionEnds }: CallPlan,
): StateSpec {
  return {
    name: 'afterCalls',
    title: 'After the section of calls.',
    picture: picture(calls.section.close, '', format.turn.ends[0] ?? ''),
    step: between({
      choices: distinct([...turnStart, ...sectionEnds, ...regions, ...reasoningStart, ...resultStart]),
      otherwise: 'inAnswer',
    }),
  };
}

/** Malformed text inside a call, up to a marker from which reading can continue. */
function malformedState({ callsInText, turnEnds }: MarkerPlan, plan: CallPlan): StateSpec {
  const { calls, closing, sectionEnds } = plan;
  const ends = [...closers(closing), ...sectionEnds].filter(({ marker }) => marker.trim().length > 1);
  return {
    name: malformed,
    title: 'In malformed text inside a call.',
    picture: picture(sampleParts(calls.head), brokenArguments(calls), calls.call.close),
    step: recover({ choices: distinct([...ends, ...callsInText, ...turnEnds]) }),
  };
}
