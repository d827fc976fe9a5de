/** Lowers the calls of a format: the way into a call, its head, its arguments and the way out. */
import type { CallPart, CallsFormat, ChatFormat } from '../format/chat-format.ts';
import type { IdPart } from '../parser/module-contract.ts';
import { followingChoices, nextCall } from './call-followers.ts';
import {
  brokenArguments,
  openingText,
  sampleArguments,
  sampleBeforeClosing,
  sampleCall,
  sampleParts,
} from './call-samples.ts';
import {
  argumentBegins,
  beginsWithSpace,
  callFollowers,
  closingElements,
  closingPieces,
  core,
  endChoices,
  type Hole,
  isBlank,
  isEndless,
  leadingLiteral,
  type MarkerChoice,
  openingChain,
  sectionEndChoices,
  turnStartChoices,
} from './format-markers.ts';
import { entryStates } from './lower-entries.ts';
import { openerChoices } from './opener-choices.ts';
import { picture } from './pictures.ts';
import { distinct, regionChoices } from './region-choices.ts';
import {
  afterArguments,
  afterClosing,
  afterTurn,
  closingState,
  holeState,
  stateAfterLink,
} from './state-names.ts';
import type { StateName, StateSpec } from './states.ts';

/** All states of calls. */
export function callStates(format: ChatFormat): readonly StateSpec[] {
  const { calls } = format;
  if (calls === null) return [];
  return [
    ...chainStates(format, calls),
    ...(calls.envelope === null ? headStates(format, calls) : envelopeStates(calls)),
    ...argumentStates(format, calls),
    ...closingStates(format, calls),
    afterCallState(format, calls),
    afterCallsState(format),
    malformedState(format, calls),
  ];
}

/** Between the markers on the way into a call. A later one may come at once. */
function chainStates(format: ChatFormat, calls: CallsFormat): readonly StateSpec[] {
  const chain = openingChain(calls);
  const opening = openingText(calls);
  let end = 0;
  return chain.map((link, at) => {
    const later = chain.slice(at).map(({ marker }, offset) => ({
      marker,
      next: stateAfterLink(format, at + offset + 1),
    }));
    const start = opening.indexOf(link.marker, end);
    end = start + link.marker.length;
    return {
      name: stateAfterLink(format, at),
      title: link.section ? 'In the opening of the section of calls.' : 'In the opening of a call.',
      picture: picture(opening.slice(0, start), link.marker, opening.slice(end) + sampleHead(calls)),
      step: {
        use: 'expect',
        table: {
          choices: distinct(later),
          ...(calls.envelope === null ? {} : { otherwise: 'inCall' }),
          recover: 'inMalformedCall',
        },
      },
    };
  });
}

/** The head after its leading literal, which is part of the opening. */
function sampleHead({ head }: CallsFormat): string {
  return sampleParts(head.slice(head.findIndex((part) => typeof part !== 'string')));
}

const holeTitles = {
  name: "In the tool's name.",
  id: "In the call's id.",
  index: 'In the number of the call.',
  'composed-id': "In the call's id, which holds the tool's name.",
} as const;

function headStates(format: ChatFormat, calls: CallsFormat): readonly StateSpec[] {
  return calls.head.flatMap((part, at) =>
    typeof part === 'string' ? [] : [headState(format, calls, part, at)],
  );
}

/** The state in the hole that is part `at` of the head. */
function headState(format: ChatFormat, calls: CallsFormat, hole: Hole, at: number): StateSpec {
  const { head, call } = calls;
  const after = leadingLiteral(head.slice(at + 1));
  const following = head.findIndex((part, index) => index > at && typeof part !== 'string');
  const isLast = following < 0;
  const next = isLast ? 'beforeArguments' : holeState(head, following);
  const space = isBlank(after) && (after !== '' || (isLast && beginsWithSpace(calls)));
  return {
    name: holeState(head, at),
    title: holeTitles[hole.hole],
    picture: picture(call.open + sampleParts(head.slice(0, at)), sampleParts([hole]), after),
    step: {
      use: 'readHole',
      table: {
        hole: hole.hole,
        ends: holeEnds(format, calls, after, next),
        ...(space ? { space: next } : {}),
        ...(hole.hole === 'composed-id' ? { parts: hole.parts.map(idPart) } : {}),
        ...(isLast ? { announce: true as const, ...atEndOf(calls, next) } : {}),
        ...(calls.id?.style === 'index' ? { indexIsId: true as const } : {}),
        recover: 'inMalformedCall',
      },
    },
  };
}

/** Where the end of the response leads in a call of entries that nothing closes, nor its section. */
function atEndOf(calls: CallsFormat, next: StateName): { readonly atEnd?: StateName } {
  return isEndless(calls) && calls.arguments.kind === 'entries' ? { atEnd: next } : {};
}

/** A piece of a composed id as the parser needs it: what the index counts from does not matter. */
function idPart(part: CallPart): IdPart {
  if (typeof part === 'string') return part;
  return { hole: part.hole === 'index' ? 'index' : 'name' };
}

/** What ends a hole: the text after it or, where that is only white space, what follows. */
function holeEnds(
  format: ChatFormat,
  calls: CallsFormat,
  after: string,
  next: StateName,
): readonly MarkerChoice[] {
  if (!isBlank(after)) {
    const early = argumentEnds(format, calls).map((choice) => ({ ...choice, next }));
    return distinct([{ marker: after, next }, ...early]);
  }
  return distinct(argumentBegins(format, calls).map((marker) => ({ marker, next, peek: true })));
}

function envelopeStates(calls: CallsFormat): readonly StateSpec[] {
  const { envelope } = calls;
  if (envelope === null) return [];
  return [
    {
      name: 'inCall',
      title: 'In a call, which is one JSON object; its keys come in any order.',
      picture: picture(
        calls.section.open + calls.call.open,
        sampleParts(calls.head) + sampleBeforeClosing(calls),
        calls.call.close,
      ),
      step: {
        use: 'readEnvelope',
        table: {
          paths: envelope,
          ...(calls.id?.style === 'index' ? { indexIsId: true as const } : {}),
          next: afterArguments(calls),
          recover: 'inMalformedCall',
        },
      },
    },
  ];
}

/** Markers that end the arguments; they are seen, not consumed. A call without an end ends where others begin. */
function argumentEnds(format: ChatFormat, calls: CallsFormat): readonly MarkerChoice[] {
  const next = calls.arguments.kind === 'entries' ? 'argumentsEnded' : afterArguments(calls);
  const closing = closingPieces(calls);
  const markers = closing.length > 0 ? closing : callFollowers(format, calls);
  return distinct(markers.map((marker) => ({ marker, next, peek: true as const })));
}

function argumentStates(format: ChatFormat, calls: CallsFormat): readonly StateSpec[] {
  if (calls.envelope !== null) return [];
  const open = calls.tail.some((part) => typeof part !== 'string') ? { open: true as const } : {};
  const ends = argumentEnds(format, calls);
  if (calls.arguments.kind === 'entries') {
    return entryStates(
      calls,
      calls.arguments,
      {
        markers: ends,
        followers: [...callFollowers(format, calls).map((text) => [text]), ...nextCall(format, calls)],
        atEnd: atEndOf(calls, 'argumentsEnded'),
      },
      open,
    );
  }
  return [
    {
      name: 'beforeArguments',
      title: 'In the arguments, one JSON object.',
      picture: picture(
        sampleParts(calls.head),
        sampleArguments(calls),
        sampleParts(calls.tail) + calls.call.close,
      ),
      step: {
        use: 'readJsonArguments',
        table: {
          next: afterArguments(calls),
          recover: 'inMalformedCall',
          ends,
          ...open,
        },
      },
    },
  ];
}

/** The way out of a call. Ends may be left out: whatever can follow the call is accepted too. */
function closingStates(format: ChatFormat, calls: CallsFormat): readonly StateSpec[] {
  const elements = closingElements(calls);
  return elements.map((element, index): StateSpec => {
    const before = sampleBeforeClosing(calls) + sampleParts(elements.slice(0, index));
    const shown = picture(before, sampleParts(elements.slice(index)), calls.separator);
    if (typeof element !== 'string') return closingHole(format, calls, { hole: element, index, shown });
    const later = elements
      .slice(index)
      .flatMap((each, offset) =>
        typeof each === 'string' ? [{ marker: each, next: afterClosing(elements, index + offset) }] : [],
      );
    return {
      name: closingState(index),
      title: 'At the end of a call.',
      picture: shown,
      step: {
        use: 'expect',
        table: {
          choices: distinct([...later, ...followingChoices(format, calls)]),
          recover: 'inMalformedCall',
          ...(elements.slice(0, index).some((each) => typeof each !== 'string') ? { completes: true } : {}),
        },
      },
    };
  });
}

/** A hole after the arguments: it ends at the text after it or, at the end of a call, at what can follow. */
function closingHole(
  format: ChatFormat,
  calls: CallsFormat,
  place: { readonly hole: Hole; readonly index: number; readonly shown: StateSpec['picture'] },
): StateSpec {
  const elements = closingElements(calls);
  const after = elements[place.index + 1];
  const next = afterClosing(elements, place.index);
  const markers = typeof after === 'string' ? [after] : callFollowers(format, calls);
  return {
    name: closingState(place.index),
    title: holeTitles[place.hole.hole],
    picture: place.shown,
    step: {
      use: 'readHole',
      table: {
        hole: place.hole.hole,
        ends: markers.map((marker) => ({ marker, next, peek: true as const })),
        ...(after === undefined ? { completes: true, ...spaceAfter(calls, next) } : {}),
        recover: 'inMalformedCall',
      },
    },
  };
}

/** Calls on lines of their own: the end of the line ends what stands last in a call. */
function spaceAfter(calls: CallsFormat, next: StateName): { readonly space?: StateName } {
  return /^\s+$/.test(calls.call.close + calls.separator) ? { space: next } : {};
}

function afterCallState(format: ChatFormat, calls: CallsFormat): StateSpec {
  return {
    name: 'afterCall',
    title: 'After a call.',
    picture: picture(sampleCall(calls), '', calls.separator + calls.call.open),
    step: {
      use: 'begin',
      table: { choices: distinct(followingChoices(format, calls)), otherwise: 'inAnswer' },
    },
  };
}

function afterCallsState(format: ChatFormat): StateSpec {
  const choices = [
    ...turnStartChoices(format, 'turnBegun'),
    ...sectionEndChoices(format, 'afterCalls'),
    ...regionChoices(format),
  ];
  return {
    name: 'afterCalls',
    title: 'After the section of calls.',
    picture: picture(format.calls?.section.close ?? '', '', format.turn.ends[0] ?? ''),
    step: { use: 'begin', table: { choices: distinct(choices), otherwise: 'inAnswer' } },
  };
}

/** Malformed text inside a call, up to a marker that says where the reader stands. */
function malformedState(format: ChatFormat, calls: CallsFormat): StateSpec {
  const elements = closingElements(calls);
  const closers = elements.flatMap((each, index) =>
    typeof each === 'string' && core(each).length > 1
      ? [{ marker: each, next: afterClosing(elements, index) }]
      : [],
  );
  const sectionEnds = sectionEndChoices(format, 'afterCalls').filter(({ marker }) => core(marker).length > 1);
  return {
    name: 'inMalformedCall',
    title: 'In malformed text inside a call.',
    picture: picture(sampleParts(calls.head), brokenArguments(calls), calls.call.close),
    step: {
      use: 'recover',
      table: {
        choices: distinct([
          ...closers,
          ...sectionEnds,
          ...openerChoices(format, { lead: '', inText: true }),
          ...endChoices(format, afterTurn(format)),
        ]),
      },
    },
  };
}
