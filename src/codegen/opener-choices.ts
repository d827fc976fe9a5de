/** What can open a call: in text, and where a region may begin. */
import type { CallsFormat, ChatFormat } from '../format/chat-format.ts';
import type { GoingOn } from '../parser/module-contract.ts';
import {
  type ChainLink,
  core,
  headerEnd,
  isStrong,
  isTurnEnd,
  leadingLiteral,
  type MarkerChoice,
  nameAhead,
  openingChain,
  textsAfterName,
} from './format-markers.ts';
import { stateAfterLink } from './state-names.ts';

/** Where a call may open. */
export interface OpenerPlace {
  /** White space that belongs to the opener when text stands before it. */
  readonly lead: string;
  /** Only openers that may stand anywhere in text. */
  readonly inText: boolean;
}

/**
 * Choices that open a call. A marker that is telling enough counts by itself; a weak one counts only with
 * what must follow it: all the markers of the way into a call, a tool's name, or a JSON call.
 */
export function openerChoices(format: ChatFormat, place: OpenerPlace): readonly MarkerChoice[] {
  const { calls } = format;
  if (calls === null || headerEnd(format) !== null) return [];
  const chain = openingChain(calls);
  if (chain.length === 0) {
    return place.inText ? firstNumber(format, calls, place) : markerlessChoices(format, calls);
  }
  return chain.flatMap((_, index) => linkChoices(format, calls, chain, index, place));
}

/** The choices of one link of the chain: one at the most. */
function linkChoices(
  format: ChatFormat,
  calls: CallsFormat,
  chain: readonly ChainLink[],
  index: number,
  place: OpenerPlace,
): readonly MarkerChoice[] {
  const link = chain[index];
  if (link === undefined) return [];
  const isFirst = index === 0;
  if (isFirst && isTurnEnd(format, link.marker)) return [wholeOpener(format, chain, place)];
  const marker = (isFirst ? place.lead : '') + link.marker;
  const choice = { marker, next: stateAfterLink(format, index + 1), role: 'call' as const };
  if (isStrong(link.marker) && (isFirst || link.opensCall)) {
    const goesOn = afterLink(format, calls, chain, index);
    return [goesOn === null ? choice : { ...choice, goesOn }];
  }
  if (index < chain.length - 1) return isFirst ? weakOpener(format, calls, chain, place) : [];
  if (calls.envelope !== null) {
    // In text, what opens by a bracket alone is on trial to the end of the turn.
    const counts = isFirst && !(place.inText && speculativeOpener(format) !== null);
    return counts ? [{ ...choice, envelopeFollows: calls.envelope }] : [];
  }
  const named = nameAhead(format, calls);
  return named === null ? [] : [{ ...choice, ...named }];
}

/** What has to stand after a link of the chain for a call to be meant; `null` where anything may. */
function afterLink(
  format: ChatFormat,
  calls: CallsFormat,
  chain: readonly ChainLink[],
  index: number,
): GoingOn | null {
  const following = chain[index + 1];
  const begin = following === undefined ? '' : (core(following.marker).split(/\s/)[0] ?? '');
  if (calls.envelope !== null)
    return { texts: [...new Set([begin, '[', '{'])].filter((text) => text !== '') };
  if (following !== undefined) return begin === '' ? null : { texts: [begin] };
  const nameEnds = textsAfterName(format, calls);
  return nameEnds === null ? null : { texts: [], nameEnds };
}

/** A section whose first marker says little is recognised by all of its markers, and the call after them. */
function weakOpener(
  format: ChatFormat,
  calls: CallsFormat,
  chain: readonly ChainLink[],
  place: OpenerPlace,
): readonly MarkerChoice[] {
  const whole = wholeOpener(format, chain, place);
  if (calls.envelope !== null) return [{ ...whole, envelopeFollows: calls.envelope }];
  const named = nameAhead(format, calls);
  return named === null ? [] : [{ ...whole, ...named }];
}

/** All markers of the chain together, for a section whose first marker also ends a turn or says little. */
function wholeOpener(format: ChatFormat, chain: readonly ChainLink[], place: OpenerPlace): MarkerChoice {
  const marker = place.lead + chain.map((link) => link.marker).join('');
  return { marker, next: stateAfterLink(format, chain.length), role: 'call' };
}

/** A format without markers: a call can only begin where a region begins. */
function markerlessChoices(format: ChatFormat, calls: CallsFormat): readonly MarkerChoice[] {
  const next = stateAfterLink(format, 0);
  if (calls.envelope !== null) {
    return [{ marker: '{', next, role: 'call', peek: true, envelopeFollows: calls.envelope }];
  }
  const named = nameAhead(format, calls);
  return named === null ? [] : [{ marker: '', next, role: 'call', ...named }];
}

/** In text, calls that have nothing but their numbers in front begin with the first number. */
function firstNumber(format: ChatFormat, calls: CallsFormat, place: OpenerPlace): readonly MarkerChoice[] {
  const [first, ...rest] = calls.head;
  const nameFollows = textsAfterName(format, { ...calls, head: rest });
  if (typeof first !== 'object' || first.hole !== 'index' || nameFollows === null) return [];
  const marker = place.lead + calls.call.open + String(first.base) + leadingLiteral(rest);
  return [{ marker, next: stateAfterLink(format, 0), role: 'call', peek: true, nameFollows }];
}

/**
 * What begins calls in text where nothing marks them: a JSON call, or a list of them. Whether it is one
 * shows only at the end of the turn. `null` where calls have openers of their own, or no JSON envelope.
 */
export function speculativeOpener(format: ChatFormat): '{' | '[' | null {
  const { calls } = format;
  if (calls === null || calls.envelope === null || headerEnd(format) !== null) return null;
  const opener = openingChain(calls)
    .map(({ marker }) => core(marker))
    .join('');
  if (opener === '') return '{';
  return opener === '[' ? opener : null;
}

/** The choice of that opener, after the white space `lead`; none where there is no such opener. */
export function speculativeTransitions(format: ChatFormat, lead: string): readonly MarkerChoice[] {
  const opener = speculativeOpener(format);
  const envelopeFollows = format.calls?.envelope ?? null;
  if (opener === null || envelopeFollows === null) return [];
  return [{ marker: lead + opener, next: 'perhapsCalls', role: 'call', envelopeFollows, speculating: true }];
}
