/** Calls: the markers that open and close the section and each call, and what may follow. */
import type { ArgumentsFormat, CallPart, CallsFormat, ChatFormat } from '../format/chat-format.ts';
import { type EntriesLayout, entriesLayout } from './entries.ts';
import type { Header } from './header.ts';
import { coresOf, Marker, markers } from './marker.ts';
import { type ContentRegion, type Enclosure, enclosure, type Region, upToRestart } from './regions.ts';
import { fromFirstHole, type Hole, leadingLiteral } from './skeleton.ts';

/** One marker of a call's opening. */
export interface OpeningLink {
  readonly marker: Marker;
  /** It belongs to the section, so it does not recur before the next call. */
  readonly section: boolean;
  /** It begins a call by itself, even if markers before it are missing. */
  readonly opensCall: boolean;
}

/**
 * What calls begin with. `header`: the header of their region, so markers in text open none. `nothing`: calls are told
 * from text by their name or JSON. `bracket`: that of a JSON array, which may begin any text. `marker`: one of their own.
 */
export type CallBeginning = 'header' | 'nothing' | 'bracket' | 'marker';

type Skeleton = Omit<CallsFormat, 'section' | 'call' | 'separator' | 'laterSeparator' | 'basis'>;

/** How calls may begin: what opens a section with its first call, and the skeleton up to the arguments. */
export interface CallSpelling {
  readonly open: Marker;
  readonly head: readonly CallPart[];
}

/** The region of calls. */
export interface CallsRegion extends Region, Skeleton {
  readonly kind: 'calls';
  /** Around each call. The region's own markers are those of the section. */
  readonly call: Enclosure;
  /** Between two calls. */
  readonly separator: Marker;
  /** From the third call on. */
  readonly laterSeparator: Marker;
  /** The markers of the arguments, if they are entries. */
  readonly entries: EntriesLayout | null;
  readonly beginning: CallBeginning;
  /** The markers of the section's and the first call's opening, in order; with a head's leading literal, unless JSON. */
  readonly opening: readonly OpeningLink[];
  /** How many of them open the section. */
  readonly sectionLength: number;
  /** Whether a marker opens each call, not only the section. */
  readonly hasOpener: boolean;
  /** What opens a section with its first call; blank if no marker does. */
  readonly opener: Marker;
  /** The format's own way to begin calls, then others that models use. */
  readonly spellings: readonly CallSpelling[];
  /** The text that a lazy grammar waits for: the opener or, without one, what all calls begin with. */
  readonly trigger: string;
  /** What all calls begin with after their opener; empty if that is the tool's name. */
  readonly headStart: string;
  /** The opener with the leading literal of the call's head. */
  readonly openerWithHead: Marker;
  /** The head, from its first hole on. */
  readonly holes: readonly CallPart[];
  /** The markers and holes between the arguments and the end of the call. */
  readonly closing: readonly (Marker | Hole)[];
  /** The markers among them. */
  readonly closers: readonly Marker[];
  /** Texts that end the arguments: `closers` or, if there are none, `followers`. */
  readonly argumentEnds: readonly Marker[];
  /** Texts with which the arguments may begin, or the end of a call without any. */
  readonly argumentBegins: readonly string[];
  /** Texts after a call: of another one, of the section's end or, if it has none, of the turn's end. */
  readonly followers: readonly string[];
  /** Ends of the section: the whole closer, and each of its markers alone. */
  readonly sectionEnds: readonly Marker[];
  /** Nothing closes a call or its section. */
  readonly endsWithTurn: boolean;
  /** What the arguments begin with. */
  readonly argumentsOpen: Marker;
  /** The literal after the tool's name or, without one, the beginning of the arguments. */
  readonly afterName: Marker;
  /** The literal after the arguments. */
  readonly afterArguments: string;
  /** What precedes the first key: a marker, white space, or nothing. JSON begins with a marker. */
  readonly beforeKey: 'marker' | 'blank' | 'nothing';
  /** The arguments begin with a brace, which is recognised even if the marker before it is missing. */
  readonly argumentsAtOnce: boolean;
  /** White space between text and calls, if nothing else is between them. */
  readonly gap: string;
  /** The separator ends the turn, or restarts it, so it does not lead to another call. */
  readonly separatorEndsTurn: boolean;
  /** The first marker of the opening is also an end of the turn. */
  readonly firstEndsTurn: boolean;
}

/** The region of `calls`. */
export function callsRegion(
  format: ChatFormat,
  calls: CallsFormat,
  content: ContentRegion,
  header: Header | null,
): CallsRegion {
  const { turn, alternatives = {} } = format;
  const { section: _section, call: _call, basis: _basis, ...skeleton } = calls;
  const section = enclosure(calls.section, turn);
  const call = enclosure(calls.call, turn);
  const opening = openingLinks(calls, section, call);
  const sectionLength = opening.filter((link) => link.section).length;
  const closing = closingParts(calls);
  const closers = closing.filter((part) => part instanceof Marker);
  const separator = new Marker(calls.separator);
  const ends = section.close.isBlank ? markers(turn.ends) : [section.close];
  const followers = coresOf([separator.isBlank ? call.open : separator, ...ends]);
  const argumentEnds = closers.length > 0 ? closers : markers(followers);
  const opener = new Marker(section.open.text + call.open.text);
  const openerWithHead = new Marker(opener.text + leadingLiteral(calls.head).text);
  const spellings = [
    { open: opener, head: calls.head },
    ...(alternatives.calls ?? []).map(({ open, head }) => ({
      open: new Marker(section.open.text + open),
      head,
    })),
  ];
  const [after = call.close.text] = calls.tail;
  const endsTurn = (marker: Marker) => markers(turn.ends).some(({ core }) => core === marker.core);
  const gap = new Marker(upToRestart(turn, content.beforeCalls.text));
  return {
    kind: 'calls',
    ...skeleton,
    ...section,
    openers: spellings.map(({ open }) => open),
    spellings,
    next: content.position === 'after-calls' ? ['content'] : [],
    call,
    separator,
    laterSeparator: new Marker(calls.laterSeparator ?? calls.separator),
    entries: calls.arguments.kind === 'entries' ? entriesLayout(calls.arguments) : null,
    beginning: header !== null ? 'header' : beginningOf(calls, opening, opener),
    opening,
    sectionLength,
    hasOpener: opening.length > sectionLength,
    opener,
    openerWithHead,
    trigger: opener.isBlank ? openerWithHead.core : opener.core,
    headStart: openerWithHead.core.slice(opener.core.length),
    holes: fromFirstHole(calls.head),
    closing,
    closers,
    argumentEnds,
    argumentBegins: argumentBegins(calls.arguments, closers.length > 0 ? closers.slice(0, 1) : argumentEnds),
    followers,
    sectionEnds: sectionEnds(section.end),
    endsWithTurn: closing.length === 0 && section.close.isBlank,
    argumentsOpen: argumentsOpen(calls.arguments),
    afterName: literalAfterName(calls.head) ?? argumentsOpen(calls.arguments),
    afterArguments: typeof after === 'string' ? after : '',
    beforeKey: beforeKey(argumentsOpen(calls.arguments)),
    argumentsAtOnce:
      calls.arguments.kind === 'json' && calls.arguments.encoding === 'value' && calls.envelope === null,
    gap: gap.isBlank ? gap.text : '',
    separatorEndsTurn: upToRestart(turn, separator.text) !== separator.text || endsTurn(separator),
    firstEndsTurn: opening[0] !== undefined && endsTurn(opening[0].marker),
  };
}

function openingLinks(
  { head, envelope }: CallsFormat,
  section: Enclosure,
  call: Enclosure,
): readonly OpeningLink[] {
  const own = new Marker(call.open.text + (envelope === null ? leadingLiteral(head).text : ''));
  const ofSection = envelope === null ? section.open.pieces : bracketApart(section.open.pieces);
  return [
    ...ofSection.map((marker) => ({ marker, section: true, opensCall: false })),
    ...own.pieces.map((marker, index) => ({
      marker,
      section: false,
      opensCall: !call.open.isBlank && index === 0,
    })),
  ];
}

/** The bracket of a JSON array is a piece of its own: models omit it, or separate it by white space. */
function bracketApart(pieces: readonly Marker[]): readonly Marker[] {
  const [, marker = '', bracket = ''] = /^(\s*\S.*\S)(\[\s*)$/.exec(pieces.at(-1)?.text ?? '') ?? [];
  return new Marker(marker).isSignificant ? [...pieces.slice(0, -1), ...markers([marker, bracket])] : pieces;
}

function beginningOf(
  { envelope }: CallsFormat,
  opening: readonly OpeningLink[],
  opener: Marker,
): CallBeginning {
  if (opening.length === 0) return 'nothing';
  return envelope !== null && opener.core === '[' ? 'bracket' : 'marker';
}

/** The markers and holes after the arguments, up to the end of the call. */
function closingParts({ arguments: values, envelope, tail, call }: CallsFormat): CallsRegion['closing'] {
  const parts: (Marker | Hole)[] = values.kind === 'entries' ? [...new Marker(values.close).pieces] : [];
  let literal = '';
  for (const part of envelope === null ? tail : []) {
    if (typeof part === 'string') {
      literal += part;
      continue;
    }
    parts.push(...new Marker(literal).pieces, part);
    literal = '';
  }
  return [...parts, ...new Marker(literal + call.close).pieces];
}

function argumentBegins(values: ArgumentsFormat, ends: readonly Marker[]): readonly string[] {
  const cores = ends.map(({ core }) => core);
  if (values.kind === 'json') return [...(values.encoding === 'string' ? ['"', '{'] : ['{']), ...cores];
  const open = new Marker(values.open);
  const begin = open.isBlank ? new Marker(values.entry.open) : open;
  return [begin.core, ...cores].filter((core) => core !== '');
}

function literalAfterName(head: readonly CallPart[]): Marker | null {
  const parts = head.flatMap((part): readonly CallPart[] =>
    typeof part !== 'string' && part.hole === 'composed-id' ? part.parts : [part],
  );
  const nameAt = parts.findIndex((part) => typeof part !== 'string' && part.hole === 'name');
  const next = parts[nameAt + 1];
  return typeof next === 'string' ? new Marker(next) : null;
}

function argumentsOpen(values: ArgumentsFormat): Marker {
  if (values.kind === 'entries') return new Marker(values.open + values.entry.open);
  return new Marker(values.encoding === 'string' ? '"' : '{');
}

function beforeKey(open: Marker): CallsRegion['beforeKey'] {
  if (!open.isBlank) return 'marker';
  return open.text === '' ? 'nothing' : 'blank';
}

function sectionEnds(close: Marker): readonly Marker[] {
  if (close.isBlank) return [];
  const afterBracket = /^\s*\](.*\S.*)$/s.exec(close.text)?.[1];
  const parts =
    afterBracket === undefined ? close.pieces : [new Marker(']'), ...new Marker(afterBracket).pieces];
  const texts = [close, ...parts].map(({ text }) => text);
  return markers([...new Set(texts)]);
}
