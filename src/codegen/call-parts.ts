/** The parts of calls: the opening and closing markers, and the states between them. */
import type { CallEnvelope, CallPart, CallsFormat } from '../format/chat-format.ts';
import type { EnvelopePaths } from '../parser/state-tables.ts';
import {
  distinctCores,
  fromFirstHole,
  isBlank,
  isSignificant,
  leadingLiteral,
  pieces,
  withoutRestart,
} from './marker-text.ts';
import { choicesOf, type MarkerChoice, type StateName } from './states.ts';
import type { TurnPlan } from './turn-plan.ts';

/** A hole of a call's skeleton. */
export type Hole = Exclude<CallPart, string>;

/** One marker of a call's opening. */
export interface ChainLink {
  readonly marker: string;
  /** It belongs to the section, so it does not recur before the next call. */
  readonly section: boolean;
  /** It begins a call by itself, even if markers before it are missing. */
  readonly opensCall: boolean;
  /** The state after it. */
  readonly next: StateName;
}

/** A marker or a hole after the arguments, and the state after it. */
export interface Closing {
  readonly part: string | Hole;
  readonly next: StateName;
}

/** See the top of this file. */
export interface CallParts {
  readonly turn: TurnPlan;
  readonly calls: CallsFormat;
  /** The markers of a call's opening, in order. */
  readonly chain: readonly ChainLink[];
  /** How many of them open the section. */
  readonly sectionLength: number;
  /** Whether a marker opens each call, not only the section. */
  readonly hasOpener: boolean;
  /** The state before the first of them. */
  readonly start: StateName;
  /** The state after those that open the section. */
  readonly afterSection: StateName;
  /** The state after all of them. */
  readonly afterOpening: StateName;
  /** The head, from its first hole on. */
  readonly holes: readonly CallPart[];
  /** The markers and holes between the arguments and the end of the call. */
  readonly closing: readonly Closing[];
  /** The state after the arguments. */
  readonly afterArguments: StateName;
  /** Texts that end the arguments: those of `closing` or, if it has none, those that follow a call. */
  readonly argumentEnds: readonly string[];
  /** Texts with which the arguments may begin, or the end of a call without any. */
  readonly argumentBegins: readonly string[];
  /** Texts after a call: of another one, of the section's end or, if it has none, of the turn's end. */
  readonly followers: readonly string[];
  /** Ends of the section: the whole closer, and each of its markers alone. */
  readonly sectionEnds: readonly MarkerChoice[];
  /** Nothing closes a call or its section. */
  readonly endsWithTurn: boolean;
  /** What precedes the first key: a marker, white space, or nothing. JSON begins with a marker. */
  readonly beforeKey: 'marker' | 'blank' | 'nothing';
  /** What opens a section with its first call, trimmed; empty if no marker does. */
  readonly opener: string;
  /** The opener in the format's other spellings. */
  readonly otherOpeners: readonly string[];
  /** The opener with the beginning of the call's head. */
  readonly opening: string;
}

/** The parts of `calls` in this turn. */
export function callParts(turn: TurnPlan, calls: CallsFormat): CallParts {
  const links = chainLinks(calls);
  const sectionLength = links.filter(({ section }) => section).length;
  const afterLink = (length: number) =>
    length === links.length ? afterChain(calls) : betweenLinks(length, sectionLength);
  const closing = closingParts(calls);
  const afterClosing = (length: number) => closingState(calls.head, closing, length) ?? 'afterCall';
  const closers = closing.filter((part) => typeof part === 'string');
  const followers = callFollowers(turn, calls);
  return {
    turn,
    calls,
    chain: links.map((link, index) => ({ ...link, next: afterLink(index + 1) })),
    sectionLength,
    hasOpener: links.length > sectionLength,
    start: afterLink(0),
    afterSection: afterLink(sectionLength),
    afterOpening: afterLink(links.length),
    holes: fromFirstHole(calls.head),
    closing: closing.map((part, index) => ({ part, next: afterClosing(index + 1) })),
    afterArguments: afterClosing(0),
    argumentEnds: closers.length > 0 ? closers : followers,
    argumentBegins: argumentBegins(calls, closers.length > 0 ? closers.slice(0, 1) : followers),
    followers,
    sectionEnds: choicesOf(
      'callsClose',
      sectionEnds(withoutRestart(turn.format, calls.section.close)),
      'afterCalls',
    ),
    endsWithTurn: closing.length === 0 && isBlank(calls.section.close),
    beforeKey: beforeKey(calls),
    opener: (calls.section.open + calls.call.open).trim(),
    otherOpeners: (turn.format.alternatives?.calls ?? []).map(({ open }) =>
      (calls.section.open + open).trim(),
    ),
    opening: (calls.section.open + calls.call.open + leadingLiteral(calls.head)).trim(),
  };
}

function chainLinks({ section, call, head, envelope }: CallsFormat): readonly Omit<ChainLink, 'next'>[] {
  const opening = call.open + (envelope === null ? leadingLiteral(head) : '');
  const opensCall = !isBlank(call.open);
  return [
    ...sectionPieces(section.open, envelope !== null).map((marker) => ({
      marker,
      section: true,
      opensCall: false,
    })),
    ...pieces(opening).map((marker, index) => ({
      marker,
      section: false,
      opensCall: opensCall && index === 0,
    })),
  ];
}

/** The state after `length` links, of which `sectionLength` open the section. */
function betweenLinks(length: number, sectionLength: number): StateName {
  if (length === 0) return 'beforeCalls';
  return length <= sectionLength
    ? numbered('afterCallsOpen', length - 1)
    : numbered('afterCallOpen', length - sectionLength - 1);
}

/** The bracket of a JSON array is a piece of its own: models omit it, or separate it by white space. */
function sectionPieces(open: string, isJson: boolean): readonly string[] {
  const all = pieces(open);
  const [, marker = '', bracket = ''] = /^(\s*\S.*\S)(\[\s*)$/.exec(all.at(-1) ?? '') ?? [];
  return isJson && isSignificant(marker) ? [...all.slice(0, -1), marker, bracket] : all;
}

/** The state after the opening of a call: in the first hole of its head, or in its JSON. */
function afterChain({ envelope, head }: CallsFormat): StateName {
  if (envelope !== null) return 'inCall';
  const first = head.findIndex((part) => typeof part !== 'string');
  return first === -1 ? 'beforeArguments' : holeState(head, first);
}

const holeStates = {
  name: 'inToolName',
  id: 'inCallId',
  index: 'inCallNumber',
  'composed-id': 'inComposedId',
} as const;

/** The paths in the envelope to the parts that it has. */
export function envelopePaths({ name, arguments: values, id, index }: CallEnvelope): EnvelopePaths {
  return {
    name,
    arguments: values,
    ...(id === null ? {} : { id }),
    ...(index === null ? {} : { index }),
  };
}

/** The state in the hole at part `at` of a call's head; numbered if a hole recurs. */
export function holeState(head: readonly CallPart[], at: number): StateName {
  const kinds = head.map((part) => (typeof part === 'string' ? null : part.hole));
  const kind = kinds[at] ?? 'name';
  return numbered(holeStates[kind], kinds.slice(0, at).filter((each) => each === kind).length);
}

/** The first of several states has no number: `inToolName`, `inToolName2`. */
export function numbered(name: string, earlier: number): StateName {
  return earlier === 0 ? name : `${name}${earlier + 1}`;
}

/** The markers and holes after the arguments, up to the end of the call. */
function closingParts({ arguments: values, envelope, tail, call }: CallsFormat): readonly Closing['part'][] {
  const parts: Closing['part'][] = values.kind === 'entries' ? [...pieces(values.close)] : [];
  let literal = '';
  for (const part of envelope === null ? tail : []) {
    if (typeof part === 'string') {
      literal += part;
      continue;
    }
    parts.push(...pieces(literal), part);
    literal = '';
  }
  return [...parts, ...pieces(literal + call.close)];
}

/** The state at part `at` after the arguments; `null` after all of them. Numbers continue those of the head. */
export function closingState(
  head: readonly CallPart[],
  parts: readonly Closing['part'][],
  at: number,
): StateName | null {
  const part = parts[at];
  if (part === undefined) return null;
  const earlier = parts.slice(0, at);
  if (typeof part !== 'string') {
    return numbered(
      holeStates[part.hole],
      [...head, ...earlier].filter((each) => typeof each !== 'string' && each.hole === part.hole).length,
    );
  }
  const markers = earlier.filter((each) => typeof each === 'string').length;
  return markers === 0 ? 'atCallEnd' : numbered('atOuterCallEnd', markers - 1);
}

function callFollowers({ format: { turn } }: TurnPlan, calls: CallsFormat): readonly string[] {
  const another = isBlank(calls.separator) ? calls.call.open : calls.separator;
  const ends = isBlank(calls.section.close) ? turn.ends : [calls.section.close];
  return distinctCores([another, ...ends]);
}

function argumentBegins({ arguments: values }: CallsFormat, ends: readonly string[]): readonly string[] {
  if (values.kind === 'json')
    return [...(values.encoding === 'string' ? ['"', '{'] : ['{']), ...ends.map((text) => text.trim())];
  const begin = values.open.trim() === '' ? values.entry.open : values.open;
  return [begin, ...ends].map((text) => text.trim()).filter((text) => text !== '');
}

function beforeKey({ arguments: values }: CallsFormat): CallParts['beforeKey'] {
  const opener = values.kind === 'entries' ? values.open + values.entry.open : '{';
  if (!isBlank(opener)) return 'marker';
  return opener === '' ? 'nothing' : 'blank';
}

function sectionEnds(close: string): readonly string[] {
  if (isBlank(close)) return [];
  const afterBracket = /^\s*\](.*\S.*)$/s.exec(close)?.[1];
  const parts = afterBracket === undefined ? pieces(close) : [']', ...pieces(afterBracket)];
  return [...new Set([close, ...parts])];
}
