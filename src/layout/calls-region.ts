/** Calls: the markers that open and close the section and each call, and what may follow. */
import type { ArgumentsFormat, CallPart, CallsFormat, ChatFormat } from '../format/chat-format.ts';
import { entriesLayout } from './entries.ts';
import type { Header } from './header.ts';
import { coresOf, Marker, markers } from './marker.ts';
import { type ContentRegion, enclosure, type Region, upToRestart } from './regions.ts';
import { fromFirstHole, type Hole, leadingLiteral, withoutId } from './skeleton.ts';

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

/** The region of calls. The region's own markers are those of the section. */
export type CallsRegion = Readonly<ReturnType<typeof callsRegion>>;

/** The region of `calls`. */
export function callsRegion(
  format: ChatFormat,
  calls: CallsFormat,
  content: ContentRegion,
  header: Header | null,
) {
  const { turn } = format;
  const { section: _section, call: _call, basis: _basis, ...skeleton } = calls;
  const separator = new Marker(calls.separator);
  const gap = new Marker(upToRestart(turn, content.beforeCalls.text));
  const opening = openingParts(format, calls, header);
  const [first] = opening.opening;
  const region: Region = {
    kind: 'calls',
    ...enclosure(calls.section, turn),
    openers: opening.spellings.map(({ open }) => open),
    next: content.position === 'after-calls' ? ['content'] : [],
  };
  const endsTurn = (marker: Marker) => markers(turn.ends).some(({ core }) => core === marker.core);
  return {
    ...skeleton,
    ...region,
    ...opening,
    ...closingParts(format, calls),
    ...argumentParts(calls),
    /** Around each call. */
    call: enclosure(calls.call, turn),
    /** Between two calls. */
    separator,
    /** From the third call on. */
    laterSeparator: new Marker(calls.laterSeparator ?? calls.separator),
    /** White space between text and calls, if nothing else is between them. */
    gap: gap.isBlank ? gap.text : '',
    /** The separator ends the turn, or restarts it, so it does not lead to another call. */
    separatorEndsTurn: upToRestart(turn, separator.text) !== separator.text || endsTurn(separator),
    /** The first marker of the opening is also an end of the turn. */
    firstEndsTurn: first !== undefined && endsTurn(first.marker),
  };
}

/** What calls begin with. */
function openingParts({ alternatives = {} }: ChatFormat, calls: CallsFormat, header: Header | null) {
  const opening = openingLinks(calls);
  const sectionLength = opening.filter((link) => link.section).length;
  const openWith = (open: string) => new Marker(calls.section.open + open);
  const opener = openWith(calls.call.open);
  const openerWithHead = new Marker(opener.text + leadingLiteral(calls.head).text);
  const others = (alternatives.calls ?? []).map(({ open, head }) => ({ open: openWith(open), head }));
  const spellings = [{ open: opener, head: calls.head }, ...others];
  return {
    beginning: header !== null ? 'header' : beginningOf(calls, opening, opener),
    /** The markers of the section's and the first call's opening, in order; with a head's leading literal, unless JSON. */
    opening,
    /** How many of them open the section. */
    sectionLength,
    /** Whether a marker opens each call, not only the section. */
    hasOpener: opening.length > sectionLength,
    /** What opens a section with its first call; blank if no marker does. */
    opener,
    /** The opener with the leading literal of the call's head. */
    openerWithHead,
    /** The format's own way to begin calls, then others that models use: an opener, and the skeleton up to arguments. */
    spellings,
    /** The text that a lazy grammar waits for: the opener or, without one, what all calls begin with. */
    trigger: opener.isBlank ? openerWithHead.core : opener.core,
    /** What all calls begin with after their opener; empty if that is the tool's name. */
    headStart: openerWithHead.core.slice(opener.core.length),
    /** The head without an id that models may leave out; `null` if there is none. */
    headWithoutId: calls.unshown?.includes('id') === true ? withoutId(calls.head) : null,
    /** The head, from its first hole on. */
    holes: fromFirstHole(calls.head),
  };
}

/** What ends the arguments, the call and the section. */
function closingParts({ turn }: ChatFormat, calls: CallsFormat) {
  const closing = partsAfterArguments(calls);
  const closers = closing.filter((part) => part instanceof Marker);
  const section = enclosure(calls.section, turn);
  const ends = section.close.isBlank ? markers(turn.ends) : [section.close];
  const another = new Marker(new Marker(calls.separator).isBlank ? calls.call.open : calls.separator);
  const followers = coresOf([another, ...ends]);
  const argumentEnds = closers.length > 0 ? closers : markers(followers);
  return {
    /** The markers and holes between the arguments and the end of the call. */
    closing,
    /** The markers among them. */
    closers,
    /** Texts that end the arguments: `closers` or, if there are none, `followers`. */
    argumentEnds,
    /** Texts with which the arguments may begin, or the end of a call without any. */
    argumentBegins: argumentBegins(calls.arguments, closers.length > 0 ? closers.slice(0, 1) : argumentEnds),
    /** Texts after a call: of another one, of the section's end or, if it has none, of the turn's end. */
    followers,
    /** Ends of the section: the whole closer, and each of its markers alone. */
    sectionEnds: sectionEnds(section.end),
    /** Nothing closes a call or its section. */
    endsWithTurn: closing.length === 0 && section.close.isBlank,
  };
}

/** What the arguments are, and the literals next to them. */
function argumentParts({ arguments: values, envelope, head, tail, call }: CallsFormat) {
  const open = argumentsOpen(values);
  const [after = call.close] = tail;
  return {
    /** The markers of the arguments, if they are entries. */
    entries: values.kind === 'entries' ? entriesLayout(values) : null,
    /** What the arguments begin with. */
    argumentsOpen: open,
    /** The literal after the tool's name or, without one, the beginning of the arguments. */
    afterName: literalAfterName(head) ?? open,
    /** The literal after the arguments. */
    afterArguments: typeof after === 'string' ? after : '',
    /** The arguments begin with a brace, which is recognised even if the marker before it is missing. */
    argumentsAtOnce: values.kind === 'json' && values.encoding === 'value' && envelope === null,
  };
}

function openingLinks({ section, call, head, envelope }: CallsFormat): readonly OpeningLink[] {
  const own = new Marker(call.open + (envelope === null ? leadingLiteral(head).text : ''));
  const { pieces } = new Marker(section.open);
  const ofSection = envelope === null ? pieces : bracketApart(pieces);
  const opensCall = !new Marker(call.open).isBlank;
  return [
    ...ofSection.map((marker) => ({ marker, section: true, opensCall: false })),
    ...own.pieces.map((marker, at) => ({ marker, section: false, opensCall: opensCall && at === 0 })),
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
function partsAfterArguments({
  arguments: values,
  envelope,
  tail,
  call,
}: CallsFormat): readonly (Marker | Hole)[] {
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

function sectionEnds(close: Marker): readonly Marker[] {
  if (close.isBlank) return [];
  const afterBracket = /^\s*\]((?=\s*\S).*)$/s.exec(close.text)?.[1];
  const parts =
    afterBracket === undefined ? close.pieces : [new Marker(']'), ...new Marker(afterBracket).pieces];
  const texts = [close, ...parts].map(({ text }) => text);
  return markers([...new Set(texts)]);
}

/** The layout of arguments: the model's choice if no render shows how it spaces them. */
export function argumentLayout({ unshown = [], arguments: { kind } }: CallsRegion): 'template' | 'free' {
  const part = kind === 'json' ? 'spacing' : 'gaps';
  return unshown.includes(part) ? 'free' : 'template';
}
