/** Lowers the calls of a format: opening, head, arguments and closing. */
import type { CallPart } from '../format/chat-format.ts';
import { Marker } from '../layout/marker.ts';
import { type Hole, leadingLiteral } from '../layout/skeleton.ts';
import type { CallsLayout, TurnLayout } from '../layout/turn-layout.ts';
import { type NamedState, state } from '../parser/named-states.ts';
import type { IdPart } from '../parser/state-tables.ts';
import {
  brokenArguments,
  sampleArguments,
  sampleBeforeClosing,
  sampleCall,
  sampleHead,
  sampleParts,
} from './call-samples.ts';
import { closingState, holeState, holeStates, openingState } from './call-states.ts';
import { anyKey } from './entry-parts.ts';
import { entryStates } from './lower-entries.ts';
import type { CallPlan, MarkerPlan } from './marker-plan.ts';
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
    ...openingStates(plan, calls.layout),
    ...(calls.layout.envelope === null
      ? [...headStates(calls.layout), ...argumentStates(plan, calls)]
      : [jsonState(plan, calls)]),
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
function openingStates({ turnEnds }: MarkerPlan, calls: CallsLayout): readonly StateSpec[] {
  const { opening } = calls;
  const first = opening[0]?.marker.core;
  const endsTurn = turnEnds.some(({ marker }) => new Marker(marker).core === first);
  const written = calls.openerWithHead.text;
  const later = opening.map(({ marker, section }, at) => ({
    name: section ? 'callsOpening' : 'callOpening',
    marker: marker.text,
    next: openingState(calls, at + 1),
  }));
  let end = 0;
  return opening.map(({ section, marker: { text } }, at) => {
    const begin = written.indexOf(text, end);
    end = begin + text.length;
    return {
      name: openingState(calls, at),
      title: section ? 'In the opening of the section of calls.' : 'In the opening of a call.',
      picture: picture(written.slice(0, begin), text, written.slice(end) + sampleHead(calls)),
      step: state('expect', {
        choices: distinct([...later.slice(at), ...nameAtOnce(calls, at)]),
        ...(calls.envelope === null ? {} : { otherwise: 'inCall' }),
        ...(at === 1 && endsTurn ? { atEnd: 'afterCall' as const } : {}),
      }),
    };
  });
}

/** The name of the first call in a section, if the call's own opener is missing. */
function nameAtOnce(calls: CallsLayout, at: number): readonly MarkerChoice[] {
  const { sectionLength, opening, notation } = calls;
  const next = openingState(calls, opening.length);
  const nameEnds = notation.significantNameEnds;
  if (at !== sectionLength || at === 0 || nameEnds.length === 0) return [];
  return [{ name: 'nameAtOnce', marker: '', next, followedBy: { nameEnds }, repairs: 'opener' }];
}

function headStates(calls: CallsLayout): readonly StateSpec[] {
  return calls.head.flatMap((part, at) => (typeof part === 'string' ? [] : [headState(calls, part, at)]));
}

/** The state in the hole at part `at` of the head. */
function headState(calls: CallsLayout, part: Hole, at: number): StateSpec {
  const { head, call, id } = calls;
  const after = leadingLiteral(head.slice(at + 1));
  const following = head.findIndex((each, index) => index > at && typeof each !== 'string');
  const isLast = following < 0;
  const next = isLast ? 'beforeArguments' : holeState(head, following);
  // The id after the name may be missing; then its state reads none.
  const mayBeLast = calls.headWithoutId !== null && part.hole === 'name' && !isLast;
  const space = after.isBlank && (after.text !== '' || (isLast && calls.argumentsOpen.isSpace));
  return {
    name: holeState(head, at),
    title: holeStates[part.hole].title,
    picture: picture(call.open.text + sampleParts(head.slice(0, at)), sampleParts([part]), after.text),
    step: state('hole', {
      hole: part.hole,
      ends: [
        ...holeEnds(calls, choicesOf(holeStates[part.hole].end, [after], next), next),
        ...(mayBeLast ? absentId(calls, next) : []),
        ...((isLast || mayBeLast) && !after.isBlank && calls.argumentsAtOnce ? argumentsBegin(next) : []),
      ],
      ...(space ? { space: next } : {}),
      ...(part.hole === 'composed-id' ? { parts: part.parts.map(idPart) } : {}),
      ...(isLast ? { announce: true as const, ...atEnd(calls, next) } : {}),
      ...(id?.style === 'index' ? { indexIsId: true as const } : {}),
    }),
  };
}

/** What follows an id, in its place. */
function absentId({ head }: CallsLayout, next: StateName): readonly MarkerChoice[] {
  const id = head.findIndex((part) => typeof part !== 'string' && part.hole === 'id');
  return choicesOf(holeStates.id.end, [leadingLiteral(head.slice(id + 1))], next, { peek: true });
}

/** The brace of the arguments, if the marker before it is missing. */
function argumentsBegin(next: StateName): readonly MarkerChoice[] {
  return [{ name: 'argumentsAtOnce', marker: '{', next, peek: true, repairs: 'arguments-marker' }];
}

/** Where the end of the response leads in a call of entries that nothing closes. */
function atEnd({ endsWithTurn, entries }: CallsLayout, next: StateName): { readonly atEnd?: StateName } {
  return endsWithTurn && entries !== null ? { atEnd: next } : {};
}

/** A piece of a composed id, as the parser needs it: without the base of the index. */
function idPart(part: CallPart): IdPart {
  if (typeof part === 'string') return part;
  return { hole: part.hole === 'index' ? 'index' : 'name' };
}

/** What ends a hole: the text after it or, if that is only white space, the beginning of the arguments. */
function holeEnds(
  calls: CallsLayout,
  own: readonly MarkerChoice[],
  next: StateName,
): readonly MarkerChoice[] {
  if (own.length > 0) {
    const closed = argumentEnds(calls, next).map(
      (choice) => ({ ...choice, name: `${choice.name}Early`, repairs: 'unclosed' }) as const,
    );
    return distinct([...own, ...closed]);
  }
  return distinct(seen('argumentsBegin', calls.argumentBegins, next));
}

/** Markers that are peeked, not consumed. */
function seen(name: string, markers: readonly (Marker | string)[], next: StateName): readonly MarkerChoice[] {
  return choicesOf(name, markers, next, { peek: true });
}

/** Markers that end the arguments. A call without an end of its own ends where something else begins. */
function argumentEnds(
  { closers, argumentEnds: ends }: CallsLayout,
  next: StateName,
): readonly MarkerChoice[] {
  return distinct(seen(closers.length > 0 ? 'callClose' : 'callFollower', ends, next));
}

/** Ends of the turn that come before the call's closer. */
function earlyTurnEnds({ ends, calls }: TurnLayout, next: StateName): readonly MarkerChoice[] {
  if (calls?.closers.length === 0) return [];
  return choicesOf('turnEndEarly', ends, next, { peek: true, repairs: 'unclosed' });
}

function jsonState({ turnEnds }: MarkerPlan, { layout: calls, closers, sectionEnds }: CallPlan): StateSpec {
  const { open, call, head, id, notation, closing } = calls;
  const next = closingState(calls, 0);
  // What follows a call that nothing closes.
  const followers = closing.length === 0 ? sectionEnds : [];
  return {
    name: 'inCall',
    title: 'In a call; its keys come in any order.',
    picture: picture(
      open.text + call.open.text,
      sampleParts(head) + sampleBeforeClosing(calls),
      call.close.text,
    ),
    step: state('jsonCall', {
      paths: notation.paths ?? { name: null, arguments: [] },
      ...(id?.style === 'index' ? { indexIsId: true as const } : {}),
      next,
      ends: distinct(
        [...closers(0), ...followers, ...turnEnds]
          .filter(({ onlyAtEnd }) => onlyAtEnd === undefined)
          .map((choice) => ({ ...choice, next })),
      ),
    }),
  };
}

function argumentStates({ layout }: MarkerPlan, { layout: calls }: CallPlan): readonly StateSpec[] {
  const { head, tail, call, entries, followers, anotherNameEnds } = calls;
  const open = tail.some((part) => typeof part !== 'string') ? { open: true as const } : {};
  if (entries !== null) {
    const ends = {
      markers: argumentEnds(calls, 'argumentsEnded'),
      turnEnds: earlyTurnEnds(layout, 'argumentsEnded'),
      followers: [...followers.map((text) => [text]), ...anotherNameEnds.map((end) => [anyKey, end])],
      atEnd: atEnd(calls, 'argumentsEnded'),
    };
    return entryStates(calls, entries, ends, open);
  }
  const next = closingState(calls, 0);
  return [
    {
      name: 'beforeArguments',
      title: 'In the arguments: one JSON object.',
      picture: picture(sampleParts(head), sampleArguments(calls), sampleParts(tail) + call.close.text),
      step: state('jsonArguments', { next, ends: argumentEnds(calls, next), ...open }),
    },
  ];
}

/** The closing of a call. Closers may be missing: whatever may follow the call is accepted, too. */
function closingStates({ layout: calls, closers, following }: CallPlan): readonly StateSpec[] {
  const { closing, opening, hasOpener, notation } = calls;
  const parts = closing.map((part) => (part instanceof Marker ? part.text : part));
  const paths = hasOpener ? notation.paths : null;
  return closing.map((part, index): StateSpec => {
    const before = sampleBeforeClosing(calls) + sampleParts(parts.slice(0, index));
    const isComplete = parts.slice(0, index).some((each) => typeof each !== 'string');
    return {
      name: closingState(calls, index),
      title: part instanceof Marker ? 'At the end of a call.' : holeStates[part.hole].title,
      picture: picture(before, sampleParts(parts.slice(index)), calls.separator.text),
      step:
        part instanceof Marker
          ? state('expect', {
              choices: distinct([...closers(index), ...following]),
              ...(paths === null ? {} : { moreCalls: { paths, next: openingState(calls, opening.length) } }),
              ...(isComplete ? { completes: true } : {}),
            })
          : closingHole(calls, part, index),
    };
  });
}

/** A hole after the arguments: it ends at the text after it or, at the end of a call, at what may follow. */
function closingHole(calls: CallsLayout, part: Hole, index: number): NamedState {
  const after = calls.closing[index + 1];
  const next = closingState(calls, index + 1);
  const { followers } = calls;
  const ends =
    after instanceof Marker ? seen('callClose', [after], next) : seen('callFollower', followers, next);
  if (after !== undefined) return state('hole', { hole: part.hole, ends });
  // If calls are on separate lines, the end of the line ends the last hole of a call.
  const space = /^\s+$/.test(calls.call.close.text + calls.separator.text) ? { space: next } : {};
  return state('hole', { hole: part.hole, ends, completes: true, ...space });
}

function afterCallState(
  { reasoningStart, lateReasoningEnd }: MarkerPlan,
  { layout: calls, following }: CallPlan,
): StateSpec {
  return {
    name: 'afterCall',
    title: 'After a call.',
    picture: picture(sampleCall(calls), '', calls.separator.text + calls.call.open.text),
    step: state('between', {
      choices: distinct([...following, ...reasoningStart, ...lateReasoningEnd]),
      otherwise: 'inAnswer',
    }),
  };
}

function afterCallsState(
  { layout, turnStart, regions, reasoningStart, lateReasoningEnd, resultStart }: MarkerPlan,
  { layout: calls, sectionEnds }: CallPlan,
): StateSpec {
  return {
    name: 'afterCalls',
    title: 'After the section of calls.',
    picture: picture(calls.close.text, '', layout.ends[0]?.text ?? ''),
    step: state('between', {
      choices: distinct([
        ...turnStart,
        ...sectionEnds,
        ...regions,
        ...reasoningStart,
        ...lateReasoningEnd,
        ...resultStart,
      ]),
      otherwise: 'inAnswer',
    }),
  };
}

/** Malformed text inside a call, up to a marker from which reading can continue. */
function malformedState(
  { callsInText, turnEnds }: MarkerPlan,
  { layout: calls, closers, sectionEnds }: CallPlan,
): StateSpec {
  const ends = [...closers(0), ...sectionEnds].filter(({ marker }) => new Marker(marker).core.length > 1);
  return {
    name: malformed,
    title: 'In malformed text inside a call.',
    picture: picture(sampleParts(calls.head), brokenArguments(calls), calls.call.close.text),
    step: state('recover', { choices: distinct([...ends, ...callsInText, ...turnEnds]) }),
  };
}
