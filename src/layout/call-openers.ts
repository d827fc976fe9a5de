/**
 * What opens a call and what leads to another one, each with what must follow it. Grammars wait for the same openers
 * that parsers read: both take them from here.
 */
import { type CallOpener, type NotationRules, notationOf } from './call-notation.ts';
import type { CallBeginning, CallsRegion, OpeningLink } from './calls-region.ts';
import type { Evidence } from './evidence.ts';
import { Marker } from './marker.ts';

/** The openers of calls. */
export type CallOpeners = Readonly<ReturnType<typeof callOpeners>>;

/** The openers of the calls in `region`. */
export function callOpeners(region: CallsRegion) {
  const notation = notationOf(region);
  const again = region.hasOpener || !region.separator.isBlank ? [] : notation.again;
  return {
    notation,
    ...placesOf(region, notation)[region.beginning],
    /** What leads from a call to the next: the format's separator, and others that models write. */
    separators: separators(region, notation),
    /** The first marker of another call in the section or, if it has none, its own beginning. */
    another: [...nextCall(region), ...again],
    /** Texts that follow the name of another call if only its name marks it. */
    anotherNameEnds: again.flatMap(nameEndsOf).filter((end) => !new Marker(end).isBlank),
  };
}

/** Where calls may be opened. */
interface CallPlaces {
  /** Openers in the middle of text, with the white space between text and calls. */
  readonly inText: readonly CallOpener[];
  /** Openers where a region may begin. */
  readonly atRegion: readonly CallOpener[];
  /** Possible beginnings of JSON calls in text, which have no marker: only the end of the turn decides. */
  readonly speculative: readonly CallOpener[];
}

/** The openers of each kind of calls. In text, a bracket by itself is read speculatively. */
function placesOf(region: CallsRegion, notation: NotationRules): Readonly<Record<CallBeginning, CallPlaces>> {
  const marked = region.opening.flatMap((_, at) => linkOpener(region, notation, at) ?? []);
  const guesses = speculative(region, notation);
  return {
    header: { inText: [], atRegion: [], speculative: [] },
    nothing: { inText: notation.inText, atRegion: notation.atRegion, speculative: guesses },
    bracket: { inText: [], atRegion: marked, speculative: guesses },
    marker: { inText: marked, atRegion: [...marked, ...nameFirst(region, notation)], speculative: [] },
  };
}

/**
 * The opener at one link of the opening; `null` if it can open no call. A significant marker counts by itself; a weak
 * one counts only with what must follow it: all markers of the opening, a tool's name, or a JSON call.
 */
function linkOpener(region: CallsRegion, notation: NotationRules, at: number): CallOpener | null {
  const { opening } = region;
  const link = opening[at];
  if (link === undefined) return null;
  const [isFirst, isLast] = [at === 0, at === opening.length - 1];
  const { marker, section } = link;
  if (isFirst && region.firstEndsTurn) return wholeOpener(region);
  const opener = {
    name: section ? 'callsOpen' : 'callOpen',
    marker: isFirst ? new Marker(region.gap + marker.text) : marker,
    read: at + 1,
  };
  if (marker.isSignificant && (isFirst || link.opensCall)) {
    const followedBy = notation.afterMarker(opening[at + 1]);
    return {
      ...opener,
      ...(followedBy === null ? {} : { followedBy }),
      ...(isFirst ? emptyBlock(region) : withoutFirst),
    };
  }
  if (marker.isSignificant && !section && isLast) {
    const followedBy = notation.afterInner;
    return followedBy === null ? null : { ...opener, name: 'innerOpen', followedBy, ...withoutFirst };
  }
  const evidence: Evidence | null = isFirst || isLast ? notation.afterWeak(isFirst) : null;
  return evidence === null ? null : { ...(isLast ? opener : wholeOpener(region)), ...evidence };
}

/** The first marker of the opening is missing. */
const withoutFirst = { ownLine: true, repairs: 'opener' } as const;

/** All markers of the opening as one, for a section whose first marker is weak or also ends a turn. */
function wholeOpener({ gap, opening }: CallsRegion): CallOpener {
  const marker = new Marker(gap + opening.map((link) => link.marker.text).join(''));
  return { name: 'callsOpen', marker, read: opening.length };
}

/** The last closer of a block; directly after the opener's first marker, it makes an empty block. */
function emptyBlock({ close, call }: CallsRegion): Pick<Evidence, 'blockEnd'> {
  const last = new Marker((close.isBlank ? call.close : close).core).pieces.at(-1);
  return last?.isSignificant === true ? { blockEnd: last.core } : {};
}

/** A tool's name before a marker that never follows it in prose: the opener is missing. */
function nameFirst(
  { opening }: CallsRegion,
  { significantNameEnds: nameEnds }: NotationRules,
): readonly CallOpener[] {
  const name = { name: 'nameFirst', marker: new Marker(''), read: opening.length } as const;
  return nameEnds.length === 0 ? [] : [{ ...name, followedBy: { nameEnds }, repairs: 'opener' }];
}

function speculative({ gap, opener, opening }: CallsRegion, { paths }: NotationRules): readonly CallOpener[] {
  if (paths === null) return [];
  const marker = new Marker(gap + (opener.isBlank ? '{' : opener.core));
  return [{ name: 'jsonCalls', marker, read: opening.length, envelopeFollows: paths, speculative: true }];
}

function separators(
  { separator, separatorEndsTurn, sectionLength: read }: CallsRegion,
  { otherSeparators }: NotationRules,
): readonly CallOpener[] {
  if (separatorEndsTurn) return [];
  const own = separator.isBlank ? [] : [{ name: 'callSeparator', marker: separator, read }];
  return [...own, ...otherSeparators];
}

function nextCall(region: CallsRegion): readonly CallOpener[] {
  const { opening, sectionLength } = region;
  const link: OpeningLink | undefined = opening[sectionLength];
  if (link === undefined) return [];
  const block = sectionLength === 0 ? emptyBlock(region) : {};
  return [{ name: 'nextCall', marker: link.marker, read: sectionLength + 1, ...block }];
}

function nameEndsOf({ followedBy, nameFollows, afterNumber = '' }: CallOpener): readonly string[] {
  const { firstWord } = new Marker(afterNumber);
  return firstWord === '' ? (followedBy?.nameEnds ?? nameFollows ?? []) : [firstWord];
}
