/** What opens a call and what follows one, and how each is told from prose. */
import type { CallEnvelope, CallPart, CallsFormat } from '../format/chat-format.ts';
import type { Following, KeyedText, MoreCalls } from '../parser/state-tables.ts';
import { type CallParts, type ChainLink, callParts, envelopePaths } from './call-parts.ts';
import {
  firstWord,
  fromFirstHole,
  isBlank,
  isSignificant,
  leadingLiteral,
  pieces,
  withoutRestart,
} from './marker-text.ts';
import { choicesOf, distinct, type MarkerChoice, type StateName } from './states.ts';
import type { TurnPlan } from './turn-plan.ts';

/** The markers of calls. */
export interface CallPlan extends CallParts {
  /** Openers of a call in the middle of text, with the white space between text and calls. */
  readonly inText: readonly MarkerChoice[];
  /** Openers of a call where a region may begin. */
  readonly atRegion: readonly MarkerChoice[];
  /**
   * Possible beginnings of calls without a marker in text: a JSON call, or an array of calls. Only the end of the turn
   * decides. Empty if calls have openers or no JSON envelope.
   */
  readonly speculative: readonly MarkerChoice[];
  /** What may follow a call: another call, the end of the section, other regions, the end of the turn. */
  readonly following: readonly MarkerChoice[];
  /** Further JSON calls within the markers of one, which the format does not have; `null` if calls are not JSON. */
  readonly moreCalls: MoreCalls<StateName> | null;
  /** Beginnings of another call that only its name marks. */
  readonly unmarkedFollowers: readonly KeyedText[];
}

/** Plans the markers of `calls` in this turn. */
export function planCalls(turn: TurnPlan, calls: CallsFormat): CallPlan {
  const parts = callParts(turn, calls);
  const speculative = speculativeOpener(parts);
  const atRegion = [...openers(parts, speculative, false), ...nameFirst(parts)];
  const unmarked = unmarkedCalls(parts);
  return {
    ...parts,
    inText: openers(parts, speculative, true),
    atRegion,
    speculative,
    following: distinct([
      ...separators(parts),
      ...parts.sectionEnds,
      ...nextCall(parts),
      ...unmarked,
      ...turn.turnStart,
      ...atRegion,
      ...turn.contentStart,
      ...turn.turnEnds,
      ...turn.resultStart,
    ]),
    moreCalls: moreCalls(parts),
    unmarkedFollowers: unmarkedFollowers(parts, unmarked),
  };
}

/** White space between text and calls, if nothing else is between them. */
function textGap({ turn: { format } }: CallParts): string {
  const gap = withoutRestart(format, format.content.beforeCalls);
  return isBlank(gap) ? gap : '';
}

/**
 * Openers of a call. A significant marker counts by itself; a weak one counts only with what must follow it: all
 * markers of the opening, a tool's name, or a JSON call.
 */
function openers(
  parts: CallParts,
  speculative: readonly MarkerChoice[],
  inText: boolean,
): readonly MarkerChoice[] {
  const { chain, turn } = parts;
  if (turn.headerEnd !== null) return [];
  if (chain.length === 0) return inText ? firstNumber(parts) : unmarkedOpener(parts);
  // In text, a bracket by itself is read speculatively.
  return inText && speculative.length > 0 ? [] : chain.flatMap((link) => linkOpener(parts, link));
}

/** The choice of one link of the chain, if it can open a call. */
function linkOpener(parts: CallParts, link: ChainLink): readonly MarkerChoice[] {
  const { calls, chain, turn } = parts;
  const isFirst = link === chain[0];
  if (isFirst && isTurnEnd(turn, link.marker)) return [wholeOpener(parts)];
  const opener = {
    name: link.section ? 'callsOpen' : 'callOpen',
    marker: (isFirst ? textGap(parts) : '') + link.marker,
    next: link.next,
    role: 'call',
  } as const;
  if (isSignificant(link.marker) && (isFirst || link.opensCall)) {
    const followedBy = afterLink(parts, chain[chain.indexOf(link) + 1]);
    return [{ ...opener, ...(followedBy === null ? {} : { followedBy }), ...emptyBlock(parts, link) }];
  }
  if (isSignificant(link.marker) && !link.section && link === chain.at(-1)) return innerOpener(parts, link);
  const isLast = link === chain.at(-1);
  if (!isLast && !isFirst) return [];
  if (calls.envelope !== null) {
    return isFirst
      ? [{ ...(isLast ? opener : wholeOpener(parts)), envelopeFollows: envelopePaths(calls.envelope) }]
      : [];
  }
  const named = nameAhead(parts);
  return named === null ? [] : [{ ...(isLast ? opener : wholeOpener(parts)), ...named }];
}

/** The last closer of a block; directly after the opener's first marker, it makes an empty block. */
function emptyBlock({ calls, chain }: CallParts, link: ChainLink): { readonly blockEnd?: string } {
  const close = (isBlank(calls.section.close) ? calls.call.close : calls.section.close).trim();
  const blockEnd = pieces(close).at(-1) ?? '';
  return link === chain[0] && isSignificant(blockEnd) ? { blockEnd: blockEnd.trim() } : {};
}

/** The last marker before a tool's name opens a call even without the markers before it, if a name follows. */
function innerOpener(parts: CallParts, link: ChainLink): readonly MarkerChoice[] {
  const nameEnds = textsAfterName(parts, parts.holes);
  if (parts.calls.envelope !== null || nameEnds === null) return [];
  const { marker, next } = link;
  return [{ name: 'innerOpen', marker, next, role: 'call', followedBy: { nameEnds }, repairs: 'opener' }];
}

/** A tool's name before a marker that never follows it in prose: the opener is missing. */
function nameFirst(parts: CallParts): readonly MarkerChoice[] {
  const { chain, afterOpening: next, turn } = parts;
  const nameEnds = significantNameEnds(parts);
  if (chain.length === 0 || turn.headerEnd !== null || nameEnds.length === 0) return [];
  return [{ name: 'nameFirst', marker: '', next, role: 'call', followedBy: { nameEnds }, repairs: 'opener' }];
}

function isTurnEnd({ format }: TurnPlan, marker: string): boolean {
  return format.turn.ends.some((end) => end.trim() === marker.trim());
}

/** All markers of the chain as one, for a section whose first marker is weak or also ends a turn. */
function wholeOpener(parts: CallParts): MarkerChoice {
  const { chain, afterOpening: next } = parts;
  const marker = textGap(parts) + chain.map((link) => link.marker).join('');
  return { name: 'callsOpen', marker, next, role: 'call' };
}

/** What must follow a link of the chain so that it means a call; `null` if anything may. */
function afterLink(parts: CallParts, following: ChainLink | undefined): Following | null {
  const begin = firstWord(following?.marker ?? '');
  const begins = begin === '' ? [] : [begin];
  if (parts.calls.envelope !== null) return { texts: [...new Set([...begins, '[', '{'])] };
  if (following !== undefined)
    return begin === '' ? null : { texts: begins, ...callsAtOnce(parts, following) };
  const nameEnds = textsAfterName(parts, parts.holes);
  return nameEnds === null ? null : { nameEnds };
}

/** What follows the section's opener if the opener of its first call is missing: a name, and a marker after it. */
function callsAtOnce(parts: CallParts, following: ChainLink): Pick<Following, 'nameEnds'> {
  const nameEnds = following.section ? [] : significantNameEnds(parts);
  return nameEnds.length === 0 ? {} : { nameEnds };
}

/** Markers after a tool's name that do not occur in prose; none if calls are JSON. */
export function significantNameEnds(parts: CallParts): readonly string[] {
  if (parts.calls.envelope !== null) return [];
  return (textsAfterName(parts, parts.holes) ?? []).filter(isSignificant);
}

/** What shows that a call follows: the name of a tool, perhaps after the call's number. */
function nameAhead(parts: CallParts): Pick<MarkerChoice, 'nameFollows' | 'afterNumber'> | null {
  const [first, ...rest] = parts.holes;
  const counts = typeof first === 'object' && first.hole === 'index';
  const nameFollows = textsAfterName(parts, counts ? fromFirstHole(rest) : parts.holes);
  if (nameFollows === null) return null;
  return counts ? { nameFollows, afterNumber: leadingLiteral(rest) } : { nameFollows };
}

/**
 * Texts that may follow the tool's name; `' '` stands for white space before a key, and `''` for the end of the
 * response. An empty list: white space and then any key must follow. `null`: the holes do not begin with the name.
 */
function textsAfterName(parts: CallParts, holes: readonly CallPart[]): readonly string[] | null {
  const [first, ...rest] = holes;
  if (typeof first !== 'object' || first.hole !== 'name') return null;
  const { beforeKey, argumentBegins, calls, endsWithTurn } = parts;
  const literal = leadingLiteral(rest);
  if (!isBlank(literal)) return [firstWord(literal), ...(argumentsAtOnce(parts) ? ['{'] : [])];
  if (literal !== '' && beforeKey !== 'marker') return [];
  if (calls.arguments.kind !== 'entries' || isBlank(calls.call.open)) return argumentBegins;
  return [...argumentBegins, ...(beforeKey === 'blank' ? [' '] : []), ...(endsWithTurn ? [''] : [])];
}

/** Whether the arguments begin with a brace, which is recognised even if the marker before it is missing. */
export function argumentsAtOnce({ calls }: CallParts): boolean {
  return calls.arguments.kind === 'json' && calls.arguments.encoding === 'value' && calls.envelope === null;
}

/** For a format without markers: a call may only begin where a region may. */
function unmarkedOpener(parts: CallParts): readonly MarkerChoice[] {
  const { calls, start: next } = parts;
  if (calls.envelope !== null) return [jsonOpener(parts, calls.envelope)];
  const named = nameAhead(parts);
  return named === null ? [] : [{ name: 'unmarkedCall', marker: '', next, role: 'call', ...named }];
}

function jsonOpener({ start: next }: CallParts, envelope: CallEnvelope): MarkerChoice {
  const envelopeFollows = envelopePaths(envelope);
  return { name: 'jsonCall', marker: '{', next, role: 'call', peek: true, envelopeFollows };
}

/** In text, calls that only have a number in front begin with the first number. */
function firstNumber(parts: CallParts): readonly MarkerChoice[] {
  const { calls, start: next } = parts;
  const [first, ...rest] = calls.head;
  if (typeof first !== 'object' || first.hole !== 'index') return [];
  const nameFollows = textsAfterName(parts, fromFirstHole(rest));
  if (nameFollows === null) return [];
  const marker = textGap(parts) + calls.call.open + String(first.base) + leadingLiteral(rest);
  return [{ name: 'firstCall', marker, next, role: 'call', peek: true, nameFollows }];
}

function speculativeOpener(parts: CallParts): readonly MarkerChoice[] {
  const { calls, chain, turn } = parts;
  if (calls.envelope === null || turn.headerEnd !== null) return [];
  const opener = chain.map((link) => link.marker.trim()).join('');
  if (opener !== '' && opener !== '[') return [];
  const marker = textGap(parts) + (opener === '' ? '{' : opener);
  const flags = { role: 'call', envelopeFollows: envelopePaths(calls.envelope), speculative: true } as const;
  return [{ name: 'jsonCalls', marker, next: 'maybeCalls', ...flags }];
}

function separators(parts: CallParts): readonly MarkerChoice[] {
  const { turn, calls, afterSection: next } = parts;
  const { separator } = calls;
  const restarts = withoutRestart(turn.format, separator) !== separator;
  if (restarts || isTurnEnd(turn, separator)) return [];
  return [
    ...choicesOf('callSeparator', [separator], next, { role: 'call' }),
    ...separatorsOfJson(parts, next),
    ...separatorsOfCode(parts, next),
  ];
}

/** Separators that models write in place of the format's own. */
const otherSeparators = [
  { name: 'semicolon', marker: ';' },
  { name: 'comma', marker: ',' },
] as const;

/** A semicolon in place of the comma between JSON calls; either, if the format has only white space. */
function separatorsOfJson({ calls, hasOpener }: CallParts, next: StateName): readonly MarkerChoice[] {
  const { envelope, separator } = calls;
  const own = separator.trim();
  if (envelope === null || (own !== ',' && (own !== '' || hasOpener))) return [];
  const flags = { role: 'call', envelopeFollows: envelopePaths(envelope), repairs: 'separator' } as const;
  return otherSeparators.filter(({ marker }) => marker !== own).map((each) => ({ ...each, next, ...flags }));
}

function moreCalls({ calls: { envelope }, hasOpener, afterOpening: next }: CallParts): CallPlan['moreCalls'] {
  return envelope === null || !hasOpener ? null : { paths: envelopePaths(envelope), next };
}

/** Between calls in Python notation: separators of statements or items, if the name of a tool follows. */
function separatorsOfCode(parts: CallParts, next: StateName): readonly MarkerChoice[] {
  const { calls, closing, hasOpener, holes } = parts;
  const own = calls.separator.trim();
  const last = closing.at(-1)?.part;
  const nameEnds = textsAfterName(parts, holes);
  const isCode = typeof last === 'string' && last.trim() === ')' && (own === '' || own === ',');
  if (!isCode || nameEnds === null || hasOpener) return [];
  const flags = { role: 'call', followedBy: { nameEnds }, repairs: 'separator' } as const;
  return otherSeparators.filter(({ marker }) => marker !== own).map((each) => ({ ...each, next, ...flags }));
}

/** The first marker of another call in the section. */
function nextCall(parts: CallParts): readonly MarkerChoice[] {
  const link = parts.chain[parts.sectionLength];
  if (link === undefined) return [];
  const { marker, next } = link;
  return [{ name: 'nextCall', marker, next, role: 'call', ...emptyBlock(parts, link) }];
}

/** Another call after mere white space, recognised by its own beginning. */
function unmarkedCalls(parts: CallParts): readonly MarkerChoice[] {
  const { calls, sectionLength, hasOpener, afterSection: next, holes } = parts;
  if (hasOpener || !isBlank(calls.separator)) return [];
  if (calls.envelope !== null) return [{ ...jsonOpener(parts, calls.envelope), next }];
  const [first] = calls.head;
  if (typeof first === 'object' && first.hole === 'composed-id') {
    const [begin] = first.parts;
    return typeof begin === 'string'
      ? [{ name: 'nextCall', marker: begin, next, role: 'call', peek: true }]
      : [];
  }
  const again = { name: 'unmarkedCall', marker: '', next, role: 'call' } as const;
  // Inside a section there are only calls; elsewhere, only the name of a tool tells a call from an answer.
  if (sectionLength === 0) {
    const named = nameAhead(parts);
    return named === null ? [] : [{ ...again, ...named }];
  }
  const afterNumber = textAfterNumber(parts);
  const nameEnds = afterNumber === '' ? textsAfterName(parts, holes) : [afterNumber];
  return nameEnds === null ? [] : [{ ...again, followedBy: { nameEnds } }];
}

/** The text after the number at the beginning of a call; empty if there is no number. */
function textAfterNumber({ calls: { head } }: CallParts): string {
  const [first, ...rest] = head;
  return typeof first === 'object' && first.hole === 'index' ? firstWord(leadingLiteral(rest)) : '';
}

function unmarkedFollowers(parts: CallParts, unmarked: readonly MarkerChoice[]): readonly KeyedText[] {
  const afterNumber = textAfterNumber(parts);
  return unmarked.flatMap(({ followedBy, nameFollows }) => {
    const ends = afterNumber === '' ? (followedBy?.nameEnds ?? nameFollows ?? []) : [afterNumber];
    return ends.filter((end) => !isBlank(end)).map((end) => [{ hole: 'key' as const }, end]);
  });
}
