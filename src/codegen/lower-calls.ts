/** Lowers the calls of a format: the way into a call, its head, its arguments and the way out. */
import type { ArgumentsFormat, CallPart, CallsFormat, ChatFormat } from '../chat-format.ts';
import { writeArguments } from '../grammar/write-response.ts';
import type { IdPart } from '../runtime/module-contract.ts';
import { followingChoices, nextCall } from './call-followers.ts';
import {
  argumentBegins,
  beginsWithSpace,
  type Closing,
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
  openerChoices,
  openingChain,
  sectionEndChoices,
  turnStartChoices,
} from './format-markers.ts';
import { entryStates } from './lower-entries.ts';
import { behindTurn, distinct, regionChoices } from './lower-to-states.ts';
import { picture } from './pictures.ts';
import type { StateName, StateSpec } from './states.ts';

/** The state behind link `link` of the opening chain (0: before the first). */
export function stateBehindLink(format: ChatFormat, link: number): StateName {
  const { calls } = format;
  if (calls === null) return 'inAnswer';
  const chain = openingChain(calls);
  if (link >= chain.length) return headBegin(calls);
  return chain[link - 1]?.section ? `callsOpened${link}` : `callOpened${link}`;
}

function headBegin(calls: CallsFormat): StateName {
  if (calls.envelope !== null) return 'inCall';
  const holes = headHoles(calls);
  return holes.length === 0 ? 'beforeArguments' : holeName(holes, 0);
}

const holeNames = {
  name: 'inToolName',
  id: 'inCallId',
  index: 'inCallNumber',
  'composed-id': 'inComposedId',
} as const;

/** Name of the state in a hole of the head; numbered where a hole comes again. */
function holeName(holes: readonly { readonly hole: Hole }[], index: number): StateName {
  const kind = holes[index]?.hole.hole ?? 'name';
  const earlier = holes.slice(0, index).filter(({ hole }) => hole.hole === kind).length;
  return holeNames[kind] + (earlier === 0 ? '' : String(earlier + 1));
}

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

const samples = { name: 'get_time', id: 'abc123', json: '{"city": "Paris"}' };

function sampleHead(calls: CallsFormat): string {
  return calls.head.map(samplePart).join('');
}

/** The arguments: with the rest of an envelope, which is read with them, and without what ends entries. */
function sampleBeforeClosing(calls: CallsFormat): string {
  const { arguments: format, envelope, tail } = calls;
  const written = writeArguments(format, { city: 'Paris' });
  const close = format.kind === 'entries' ? format.close : '';
  const behind = envelope === null ? '' : tail.map(samplePart).join('');
  return written.slice(0, written.length - close.length) + behind;
}

/** A text without quotes, or an argument that breaks off within its name. */
function brokenArguments(format: ArgumentsFormat): string {
  return format.kind === 'entries' ? `${format.open}${format.entry.open}city` : '{"city": Paris';
}

function samplePart(part: CallPart): string {
  if (typeof part === 'string') return part;
  switch (part.hole) {
    case 'name':
      return samples.name;
    case 'id':
      return samples.id;
    case 'index':
      return String(part.base);
    case 'composed-id':
      return part.parts.map(samplePart).join('');
  }
}

/** Between the markers on the way into a call. A later one may come at once. */
function chainStates(format: ChatFormat, calls: CallsFormat): readonly StateSpec[] {
  const chain = openingChain(calls);
  return chain.map((link, at) => {
    const later = chain.slice(at).map(({ marker }, offset) => ({
      marker,
      next: stateBehindLink(format, at + offset + 1),
    }));
    const before = chain.slice(0, at).map(({ marker }) => marker);
    return {
      name: stateBehindLink(format, at),
      title: link.section ? 'In the opening of the section of calls.' : 'In the opening of a call.',
      picture: picture(before.join(''), link.marker, sampleHead(calls)),
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

/** The holes of the head, each with the text behind it. */
function headHoles(calls: CallsFormat): readonly { readonly hole: Hole; readonly behind: string }[] {
  return calls.head.flatMap((part, index) =>
    typeof part === 'string' ? [] : [{ hole: part, behind: leadingLiteral(calls.head.slice(index + 1)) }],
  );
}

const holeTitles = {
  name: "In the tool's name.",
  id: "In the call's id.",
  index: 'In the number of the call.',
  'composed-id': "In the call's id, which holds the tool's name.",
} as const;

function headStates(format: ChatFormat, calls: CallsFormat): readonly StateSpec[] {
  const holes = headHoles(calls);
  return holes.map(({ hole, behind }, index) => {
    const isLast = index === holes.length - 1;
    const next = isLast ? 'beforeArguments' : holeName(holes, index + 1);
    const space = isBlank(behind) && (behind !== '' || (isLast && beginsWithSpace(calls)));
    return {
      name: holeName(holes, index),
      title: holeTitles[hole.hole],
      picture: picture(calls.call.open, samplePart(hole), behind),
      step: {
        use: 'readHole',
        table: {
          hole: hole.hole,
          ends: holeEnds(format, calls, behind, next),
          ...(space ? { space: next } : {}),
          ...(hole.hole === 'composed-id' ? { parts: hole.parts.map(idPart) } : {}),
          ...(isLast ? { announce: true as const, ...atEndOf(calls, next) } : {}),
          ...(calls.id?.style === 'index' ? { indexIsId: true as const } : {}),
          recover: 'inMalformedCall',
        },
      },
    };
  });
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

/** What ends a hole: the text behind it or, where that is only white space, what follows. */
function holeEnds(
  format: ChatFormat,
  calls: CallsFormat,
  behind: string,
  next: StateName,
): readonly MarkerChoice[] {
  if (!isBlank(behind)) {
    const early = argumentEnds(format, calls).map((choice) => ({ ...choice, next }));
    return distinct([{ marker: behind, next }, ...early]);
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
        calls.call.open,
        sampleHead(calls) + samples.json + calls.tail.map(samplePart).join(''),
        calls.call.close,
      ),
      step: {
        use: 'readEnvelope',
        table: {
          paths: envelope,
          ...(calls.id?.style === 'index' ? { indexIsId: true as const } : {}),
          next: behindArguments(calls),
          recover: 'inMalformedCall',
        },
      },
    },
  ];
}

/** Where the reader stands when the arguments are over. */
export function behindArguments(calls: CallsFormat): StateName {
  return closingElements(calls).length === 0 ? 'afterCall' : 'closing0';
}

/** Markers that end the arguments; they are seen, not consumed. A call without an end ends where others begin. */
function argumentEnds(format: ChatFormat, calls: CallsFormat): readonly MarkerChoice[] {
  const next = calls.arguments.kind === 'entries' ? 'argumentsEnded' : behindArguments(calls);
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
      picture: picture(sampleHead(calls), samples.json, calls.call.close),
      step: {
        use: 'readJsonArguments',
        table: {
          next: behindArguments(calls),
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
    const name = `closing${index}`;
    const shown = picture(
      sampleBeforeClosing(calls),
      elements
        .slice(index)
        .map((each) => (typeof each === 'string' ? each : samplePart(each)))
        .join(''),
      calls.separator,
    );
    if (typeof element !== 'string') return closingHole(format, calls, { hole: element, index, shown });
    const later = elements
      .slice(index)
      .flatMap((each, offset) =>
        typeof each === 'string' ? [{ marker: each, next: behindClosing(elements, index + offset) }] : [],
      );
    return {
      name,
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

/** A hole behind the arguments: it ends at the text behind it or, at the end of a call, at what can follow. */
function closingHole(
  format: ChatFormat,
  calls: CallsFormat,
  place: { readonly hole: Hole; readonly index: number; readonly shown: StateSpec['picture'] },
): StateSpec {
  const elements = closingElements(calls);
  const behind = elements[place.index + 1];
  const next = behindClosing(elements, place.index);
  const markers = typeof behind === 'string' ? [behind] : callFollowers(format, calls);
  return {
    name: `closing${place.index}`,
    title: holeTitles[place.hole.hole],
    picture: place.shown,
    step: {
      use: 'readHole',
      table: {
        hole: place.hole.hole,
        ends: markers.map((marker) => ({ marker, next, peek: true as const })),
        ...(behind === undefined ? { completes: true, ...spaceBehind(calls, next) } : {}),
        recover: 'inMalformedCall',
      },
    },
  };
}

/** Calls on lines of their own: the end of the line ends what stands last in a call. */
function spaceBehind(calls: CallsFormat, next: StateName): { readonly space?: StateName } {
  return /^\s+$/.test(calls.call.close + calls.separator) ? { space: next } : {};
}

function behindClosing(elements: readonly Closing[], index: number): StateName {
  return index + 1 < elements.length ? `closing${index + 1}` : 'afterCall';
}

function afterCallState(format: ChatFormat, calls: CallsFormat): StateSpec {
  return {
    name: 'afterCall',
    title: 'Behind a call.',
    picture: picture(calls.call.close, '', calls.separator + calls.call.open),
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
    title: 'Behind the section of calls.',
    picture: picture(format.calls?.section.close ?? '', '', format.turn.ends[0] ?? ''),
    step: { use: 'begin', table: { choices: distinct(choices), otherwise: 'inAnswer' } },
  };
}

/** Malformed text inside a call, up to a marker that says where the reader stands. */
function malformedState(format: ChatFormat, calls: CallsFormat): StateSpec {
  const elements = closingElements(calls);
  const closers = elements.flatMap((each, index) =>
    typeof each === 'string' && core(each).length > 1
      ? [{ marker: each, next: behindClosing(elements, index) }]
      : [],
  );
  const stateAt = (link: number) => stateBehindLink(format, link);
  const sectionEnds = sectionEndChoices(format, 'afterCalls').filter(({ marker }) => core(marker).length > 1);
  return {
    name: 'inMalformedCall',
    title: 'In malformed text inside a call.',
    picture: picture(sampleHead(calls), brokenArguments(calls.arguments), calls.call.close),
    step: {
      use: 'recover',
      table: {
        choices: distinct([
          ...closers,
          ...sectionEnds,
          ...openerChoices(format, { stateAt, lead: '', inText: true }),
          ...endChoices(format, behindTurn(format)),
        ]),
      },
    },
  };
}
