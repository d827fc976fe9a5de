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
  /** What opens a call in the middle of text, after the white space that stands between text and calls. */
  readonly inText: readonly MarkerChoice[];
  /** What opens a call where a region may begin. */
  readonly atRegion: readonly MarkerChoice[];
  /**
   * What may begin calls in text where nothing marks them: a JSON call, or a list of them. Whether it does shows
   * only at the end of the turn. Empty where calls have openers of their own, or no JSON envelope.
   */
  readonly speculative: readonly MarkerChoice[];
  /** What can follow a call: another one, the end of the section, other regions, the end of the turn. */
  readonly following: readonly MarkerChoice[];
  /** Where more calls in the markers of one lead, which the format does not have; `null` for calls that are no JSON. */
  readonly moreCalls: MoreCalls<StateName> | null;
  /** How another call begins that nothing but its name shows. */
  readonly unmarkedFollowers: readonly KeyedText[];
}

/** The markers of `calls` in such a turn. */
export function planCalls(turn: TurnPlan, calls: CallsFormat): CallPlan {
  const parts = callParts(turn, calls);
  const speculative = speculativeOpener(parts);
  const atRegion = openers(parts, speculative, false);
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

/** White space between text and calls, where nothing else stands there. */
function textGap({ turn: { format } }: CallParts): string {
  const gap = withoutRestart(format, format.content.beforeCalls);
  return isBlank(gap) ? gap : '';
}

/**
 * What opens a call. A significant marker counts by itself; a weak one counts only with what must follow it: all
 * the markers of the way into a call, a tool's name, or a JSON call.
 */
function openers(
  parts: CallParts,
  speculative: readonly MarkerChoice[],
  inText: boolean,
): readonly MarkerChoice[] {
  const { chain, turn } = parts;
  if (turn.headerEnd !== null) return [];
  if (chain.length === 0) return inText ? firstNumber(parts) : unmarkedOpener(parts);
  // In text, a bracket alone is read speculatively.
  return inText && speculative.length > 0 ? [] : chain.flatMap((link) => linkOpener(parts, link));
}

/** The choice of one link of the chain: one at the most. */
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

/** The last closer of a block, which makes a block without calls of the opener's first marker. */
function emptyBlock({ calls, chain }: CallParts, link: ChainLink): { readonly blockEnd?: string } {
  const close = (isBlank(calls.section.close) ? calls.call.close : calls.section.close).trim();
  const blockEnd = pieces(close).at(-1) ?? '';
  return link === chain[0] && isSignificant(blockEnd) ? { blockEnd: blockEnd.trim() } : {};
}

/** The last marker before a tool's name opens a call without those before it, if a name follows. */
function innerOpener(parts: CallParts, link: ChainLink): readonly MarkerChoice[] {
  const nameEnds = textsAfterName(parts, parts.holes);
  if (parts.calls.envelope !== null || nameEnds === null) return [];
  const { marker, next } = link;
  return [{ name: 'innerOpen', marker, next, role: 'call', followedBy: { nameEnds }, repairs: 'opener' }];
}

function isTurnEnd({ format }: TurnPlan, marker: string): boolean {
  return format.turn.ends.some((end) => end.trim() === marker.trim());
}

/** All markers of the chain together, for a section whose first marker also ends a turn or is a weak one. */
function wholeOpener(parts: CallParts): MarkerChoice {
  const { chain, start } = parts;
  const marker = textGap(parts) + chain.map((link) => link.marker).join('');
  return { name: 'callsOpen', marker, next: chain.at(-1)?.next ?? start, role: 'call' };
}

/** What has to stand after a link of the chain for a call to be meant; `null` where anything may. */
function afterLink(parts: CallParts, following: ChainLink | undefined): Following | null {
  const begin = firstWord(following?.marker ?? '');
  const begins = begin === '' ? [] : [begin];
  if (parts.calls.envelope !== null) return { texts: [...new Set([...begins, '[', '{'])] };
  if (following !== undefined)
    return begin === '' ? null : { texts: begins, ...callsAtOnce(parts, following) };
  const nameEnds = textsAfterName(parts, parts.holes);
  return nameEnds === null ? null : { nameEnds };
}

/** What follows the section's opener where the opener of its first call is missing: a name, and a marker after it. */
function callsAtOnce(parts: CallParts, following: ChainLink): Pick<Following, 'nameEnds'> {
  const nameEnds = following.section ? [] : significantNameEnds(parts);
  return nameEnds.length === 0 ? {} : { nameEnds };
}

/** Markers after a tool's name that nobody writes in prose; none where calls are JSON. */
export function significantNameEnds(parts: CallParts): readonly string[] {
  if (parts.calls.envelope !== null) return [];
  return (textsAfterName(parts, parts.holes) ?? []).filter(isSignificant);
}

/** What shows that a call follows: the name of a tool, perhaps with the call's number in front. */
function nameAhead(parts: CallParts): Pick<MarkerChoice, 'nameFollows' | 'afterNumber'> | null {
  const [first, ...rest] = parts.holes;
  const counts = typeof first === 'object' && first.hole === 'index';
  const nameFollows = textsAfterName(parts, counts ? fromFirstHole(rest) : parts.holes);
  if (nameFollows === null) return null;
  return counts ? { nameFollows, afterNumber: leadingLiteral(rest) } : { nameFollows };
}

/**
 * Texts that can stand after the tool's name. Among them `' '` stands for white space before a key, and `''`
 * for the end of the response. An empty list: white space and then any key must follow. `null`: the holes do
 * not begin with the name.
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

/** Whether the arguments begin with a brace, which can be seen where the marker before them is missing. */
export function argumentsAtOnce({ calls }: CallParts): boolean {
  return calls.arguments.kind === 'json' && calls.arguments.encoding === 'value' && calls.envelope === null;
}

/** A format without markers: a call can only begin where a region begins. */
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

/** In text, calls that have nothing but their numbers in front begin with the first number. */
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
  const { turn, calls, sectionLength, chain, start } = parts;
  const { separator } = calls;
  const restarts = withoutRestart(turn.format, separator) !== separator;
  if (restarts || isTurnEnd(turn, separator)) return [];
  const next = chain[sectionLength - 1]?.next ?? start;
  const own = choicesOf('callSeparator', [separator], next).map(
    (choice) => ({ ...choice, role: 'call' }) as const,
  );
  return [...own, ...separatorsOfJson(parts, next), ...separatorsOfCode(parts, next)];
}

/** What models write between calls where the format has something else. */
const otherSeparators = [
  { name: 'semicolon', marker: ';' },
  { name: 'comma', marker: ',' },
] as const;

/** A semicolon for the comma between JSON calls; either, where only white space stands between them. */
function separatorsOfJson(
  { calls, chain, sectionLength }: CallParts,
  next: StateName,
): readonly MarkerChoice[] {
  const { envelope, separator } = calls;
  const own = separator.trim();
  const isUnmarked = own === '' && chain.length <= sectionLength;
  if (envelope === null || (own !== ',' && !isUnmarked)) return [];
  const flags = { role: 'call', envelopeFollows: envelopePaths(envelope), repairs: 'separator' } as const;
  return otherSeparators.filter(({ marker }) => marker !== own).map((each) => ({ ...each, next, ...flags }));
}

function moreCalls({ calls, chain, sectionLength, start }: CallParts): CallPlan['moreCalls'] {
  const { envelope } = calls;
  if (envelope === null || chain.length <= sectionLength) return null;
  return { paths: envelopePaths(envelope), next: chain.at(-1)?.next ?? start };
}

/** Between calls as in Python stands what separates statements or items there, if the name of a tool follows. */
function separatorsOfCode(parts: CallParts, next: StateName): readonly MarkerChoice[] {
  const { calls, closing, chain, sectionLength, holes } = parts;
  const own = calls.separator.trim();
  const last = closing.at(-1)?.part;
  const nameEnds = textsAfterName(parts, holes);
  const isCode = typeof last === 'string' && last.trim() === ')' && (own === '' || own === ',');
  if (!isCode || nameEnds === null || chain.length > sectionLength) return [];
  return otherSeparators
    .filter(({ marker }) => marker !== own)
    .map((each) => ({
      ...each,
      next,
      role: 'call',
      followedBy: { nameEnds },
      repairs: 'separator',
    }));
}

/** The first marker of another call in the section. */
function nextCall(parts: CallParts): readonly MarkerChoice[] {
  const link = parts.chain[parts.sectionLength];
  if (link === undefined) return [];
  const { marker, next } = link;
  return [{ name: 'nextCall', marker, next, role: 'call', ...emptyBlock(parts, link) }];
}

/** Calls that only white space separates: the next one is recognised by itself. */
function unmarkedCalls(parts: CallParts): readonly MarkerChoice[] {
  const { calls, chain, sectionLength, start, holes } = parts;
  if (chain.length > sectionLength || !isBlank(calls.separator)) return [];
  const next = chain[sectionLength - 1]?.next ?? start;
  if (calls.envelope !== null) return [{ ...jsonOpener(parts, calls.envelope), next }];
  const [first] = calls.head;
  if (typeof first === 'object' && first.hole === 'composed-id') {
    const [begin] = first.parts;
    return typeof begin === 'string'
      ? [{ name: 'nextCall', marker: begin, next, role: 'call', peek: true }]
      : [];
  }
  const again = { name: 'unmarkedCall', marker: '', next, role: 'call' } as const;
  // Inside a section only calls stand; elsewhere it takes the name of a tool to tell a call from an answer.
  if (sectionLength === 0) {
    const named = nameAhead(parts);
    return named === null ? [] : [{ ...again, ...named }];
  }
  const afterNumber = textAfterNumber(parts);
  const nameEnds = afterNumber === '' ? textsAfterName(parts, holes) : [afterNumber];
  return nameEnds === null ? [] : [{ ...again, followedBy: { nameEnds } }];
}

/** What stands after the number with which a call begins; empty where it begins with none. */
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
