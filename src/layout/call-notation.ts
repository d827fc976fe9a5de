/**
 * The two notations of calls, and how a call in each is told from prose. In the one, a call is a JSON object (an
 * envelope); in the other, its name and arguments are apart. A table per notation answers the same questions.
 */
import type { CallPart } from '../format/chat-format.ts';
import type { CallsRegion, OpeningLink } from './calls-region.ts';
import type { EnvelopePaths, Evidence, Following } from './evidence.ts';
import { Marker } from './marker.ts';
import { fromFirstHole, leadingLiteral } from './skeleton.ts';

/** A marker that opens a call or leads to one. */
export interface CallOpener extends Evidence {
  /** Its name in generated parsers. */
  readonly name: string;
  /** Blank if only the evidence opens the call. */
  readonly marker: Marker;
  /** How many links of the opening are read after it. */
  readonly read: number;
  /** The marker belongs to the call's head, so it is peeked. */
  readonly peek?: true;
  /** Only the rest of the turn shows whether it is a call. */
  readonly speculative?: true;
  /** What the text lacks if this opens the call. */
  readonly repairs?: 'opener' | 'separator';
}

/** What is known of calls in a notation. */
export interface NotationRules {
  /** The paths to the parts of a JSON call; `null` if calls are not JSON. */
  readonly paths: EnvelopePaths | null;
  /** Openers without a marker, where a region may begin, and in the middle of text. */
  readonly atRegion: readonly CallOpener[];
  readonly inText: readonly CallOpener[];
  /** What must follow a marker that does not occur in prose; `null` if anything may. `next` is the next of the opening. */
  readonly afterMarker: (next: OpeningLink | undefined) => Following | null;
  /** What must follow a marker that may occur in prose, the first or last of the opening; `null` if it opens no call. */
  readonly afterWeak: (isFirst: boolean) => Evidence | null;
  /** Texts that follow a tool's name and do not occur in prose. */
  readonly significantNameEnds: readonly string[];
  /** What must follow the last marker before the name, if the markers before it are missing; `null` if it opens none. */
  readonly afterInner: Following | null;
  /** Separators that models write in place of the format's own. */
  readonly otherSeparators: readonly CallOpener[];
  /** Beginnings of another call that nothing marks. */
  readonly again: readonly CallOpener[];
}

/** The notation of the calls in `region`. */
export function notationOf(region: CallsRegion): NotationRules {
  return region.envelope === null ? apart(region) : json(region, pathsOf(region.envelope));
}

function pathsOf({
  name,
  arguments: values,
  id,
  index,
}: NonNullable<CallsRegion['envelope']>): EnvelopePaths {
  return {
    name,
    arguments: values,
    ...(id === null ? {} : { id }),
    ...(index === null ? {} : { index }),
  };
}

/** Calls that are JSON objects: the brace and its keys tell them from prose. */
function json({ separator, sectionLength, hasOpener }: CallsRegion, paths: EnvelopePaths): NotationRules {
  const evidence = { envelopeFollows: paths };
  const call = { name: 'jsonCall', marker: new Marker('{'), read: 0, peek: true, ...evidence } as const;
  const separates = separator.core === ',' || (separator.isBlank && !hasOpener);
  return {
    paths,
    atRegion: [call],
    inText: [],
    afterMarker: (next) => ({ texts: [...new Set([...firstWords(next), '[', '{'])] }),
    afterWeak: (isFirst) => (isFirst ? evidence : null),
    significantNameEnds: [],
    afterInner: null,
    otherSeparators: separates ? otherSeparators(separator, sectionLength, evidence) : [],
    again: [{ ...call, read: sectionLength }],
  };
}

/** Calls whose name and arguments are apart: the name of a tool tells them from prose. */
function apart(region: CallsRegion): NotationRules {
  const { head, holes, closing, separator, sectionLength, hasOpener } = region;
  const nameEnds = textsAfterName(region, holes);
  const named = nameAhead(region);
  const significantNameEnds = (nameEnds ?? []).filter((text) => new Marker(text).isSignificant);
  const last = closing.at(-1);
  const isCode = last instanceof Marker && last.core === ')' && (separator.isBlank || separator.core === ',');
  return {
    paths: null,
    atRegion: named === null ? [] : [{ ...unmarked, read: 0, ...named }],
    inText: firstNumber(region),
    afterMarker: (next) => {
      if (next === undefined) return nameEnds === null ? null : { nameEnds };
      // If the opener of the first call is missing, its name comes at once, and a marker after it.
      const atOnce = !next.section && significantNameEnds.length > 0;
      return { texts: firstWords(next), ...(atOnce ? { nameEnds: significantNameEnds } : {}) };
    },
    afterWeak: () => (named === null ? null : { ...named, ...anyNameAhead(region, named) }),
    significantNameEnds,
    afterInner: nameEnds === null ? null : { nameEnds },
    otherSeparators:
      isCode && nameEnds !== null && !hasOpener
        ? otherSeparators(separator, sectionLength, { followedBy: { nameEnds } })
        : [],
    again: againByName(region, head, nameEnds, named),
  };
}

const unmarked = { name: 'unmarkedCall', marker: new Marker('') } as const;

function firstWords(link: OpeningLink | undefined): readonly string[] {
  return link === undefined ? [] : [link.marker.firstWord];
}

function otherSeparators(own: Marker, read: number, evidence: Evidence): readonly CallOpener[] {
  return [
    { name: 'semicolon', marker: new Marker(';') },
    { name: 'comma', marker: new Marker(',') },
  ]
    .filter(({ marker }) => marker.core !== own.core)
    .map((each) => ({ ...each, read, ...evidence, repairs: 'separator' }));
}

/** What shows that a call follows: the name of a tool, perhaps after the call's number. */
function nameAhead(region: CallsRegion): Evidence | null {
  const [first, ...rest] = region.holes;
  const counts = typeof first === 'object' && first.hole === 'index';
  const nameFollows = textsAfterName(region, counts ? fromFirstHole(rest) : region.holes);
  if (nameFollows === null) return null;
  return counts ? { nameFollows, afterNumber: leadingLiteral(rest).text } : { nameFollows };
}

/**
 * After an opener and any name, only the beginning of its arguments shows a call: prose has names at its ends, and the
 * opener again (`>>> x`). A single character opens much else: `[f(x)]`.
 */
function anyNameAhead(
  { opener, argumentEnds }: CallsRegion,
  { nameFollows = [], afterNumber }: Evidence,
): Pick<Evidence, 'anyNameFollows'> {
  const ends = argumentEnds.map(({ core }) => core);
  const begins = nameFollows.filter((text) => text.trim() !== '' && !ends.includes(text));
  return opener.core.length > 1 && afterNumber === undefined && begins.length > 0
    ? { anyNameFollows: begins }
    : {};
}

/**
 * Texts that may follow the tool's name; `' '` stands for white space before a key, and `''` for the end of the
 * response. An empty list: white space and then any key must follow. `null`: the holes do not begin with the name.
 */
function textsAfterName(region: CallsRegion, holes: readonly CallPart[]): readonly string[] | null {
  const [first, ...rest] = holes;
  if (typeof first !== 'object' || first.hole !== 'name') return null;
  const { argumentsOpen, argumentBegins, call, endsWithTurn, argumentsAtOnce, headWithoutId } = region;
  const literal = leadingLiteral(rest);
  const withoutId = headWithoutId === null ? [] : [leadingLiteral(fromFirstHole(headWithoutId).slice(1))];
  if (!literal.isBlank)
    return [literal, ...withoutId].map(({ firstWord }) => firstWord).concat(argumentsAtOnce ? ['{'] : []);
  if (literal.text !== '' && argumentsOpen.isBlank) return [];
  if (region.arguments.kind !== 'entries' || call.open.isBlank) return argumentBegins;
  return [...argumentBegins, ...(argumentsOpen.isSpace ? [' '] : []), ...(endsWithTurn ? [''] : [])];
}

/** In text, calls that only have a number in front begin with the first number. */
function firstNumber(region: CallsRegion): readonly CallOpener[] {
  const [first, ...rest] = region.head;
  if (typeof first !== 'object' || first.hole !== 'index') return [];
  const nameFollows = textsAfterName(region, fromFirstHole(rest));
  if (nameFollows === null) return [];
  const marker = new Marker(
    region.gap + region.call.open.text + String(first.base) + leadingLiteral(rest).text,
  );
  return [{ name: 'firstCall', marker, read: 0, peek: true, nameFollows }];
}

/** Another call after mere white space. Inside a section there are only calls; elsewhere, only the name tells. */
function againByName(
  { sectionLength: read }: CallsRegion,
  [first, ...rest]: readonly CallPart[],
  nameEnds: readonly string[] | null,
  named: Evidence | null,
): readonly CallOpener[] {
  if (typeof first === 'object' && first.hole === 'composed-id') {
    const [begin] = first.parts;
    return typeof begin === 'string'
      ? [{ name: 'nextCall', marker: new Marker(begin), read, peek: true }]
      : [];
  }
  if (read === 0) return named === null ? [] : [{ ...unmarked, read, ...named }];
  const afterNumber = typeof first === 'object' && first.hole === 'index' ? leadingLiteral(rest) : null;
  const ends = afterNumber === null || afterNumber.isBlank ? nameEnds : [afterNumber.firstWord];
  return ends === null ? [] : [{ ...unmarked, read, followedBy: { nameEnds: ends } }];
}
