/** What can follow a call, and how the reader knows that it is another one. */
import type { CallsFormat, ChatFormat } from '../format/chat-format.ts';
import type { KeyedText } from '../parser/module-contract.ts';
import {
  core,
  isBlank,
  isTurnEnd,
  leadingLiteral,
  type MarkerChoice,
  nameAhead,
  openingChain,
  sectionEndChoices,
  textsAfterName,
  turnStartChoices,
  withoutRestart,
} from './format-markers.ts';
import { regionChoices } from './region-choices.ts';
import { stateAfterLink } from './state-names.ts';

/** What can follow a call: another one, the end of the section, other regions, the end of the turn. */
export function followingChoices(format: ChatFormat, calls: CallsFormat): readonly MarkerChoice[] {
  const role = 'call' as const;
  const section = sectionLength(calls);
  const next = stateAfterLink(format, section);
  const { separator } = calls;
  const restarts = withoutRestart(format, separator) !== separator;
  const separators =
    isBlank(separator) || restarts || isTurnEnd(format, separator) ? [] : [{ marker: separator, next, role }];
  const again = openingChain(calls)
    .slice(section)
    .slice(0, 1)
    .map(({ marker }) => ({ marker, next: stateAfterLink(format, section + 1), role }));
  return [
    ...separators,
    ...sectionEndChoices(format, 'afterCalls'),
    ...again,
    ...markerlessAgain(format, calls, section),
    ...turnStartChoices(format, 'turnBegun'),
    ...regionChoices(format),
  ];
}

/** How many links of the opening chain open the section. */
function sectionLength(calls: CallsFormat): number {
  return openingChain(calls).filter((link) => link.section).length;
}

/** Calls that only white space separates: the next one is recognised by itself. */
function markerlessAgain(format: ChatFormat, calls: CallsFormat, section: number): readonly MarkerChoice[] {
  if (openingChain(calls).length > section || !isBlank(calls.separator)) return [];
  const next = stateAfterLink(format, section);
  if (calls.envelope !== null) {
    return [{ marker: '{', next, role: 'call', peek: true, envelopeFollows: calls.envelope }];
  }
  const [first] = calls.head;
  if (typeof first === 'object' && first.hole === 'composed-id') {
    const [begin] = first.parts;
    return typeof begin === 'string' ? [{ marker: begin, next, role: 'call', peek: true }] : [];
  }
  const again = { marker: '', next, role: 'call' } as const;
  // Inside a section only calls stand; elsewhere it takes the name of a tool to tell a call from an answer.
  if (section === 0) {
    const named = nameAhead(format, calls);
    return named === null ? [] : [{ ...again, ...named }];
  }
  const afterNumber = textAfterNumber(calls);
  const nameEnds = afterNumber === '' ? textsAfterName(format, calls) : [afterNumber];
  return nameEnds === null ? [] : [{ ...again, goesOn: { texts: [], nameEnds } }];
}

/** What stands after the number with which a call begins; empty where it begins with none. */
function textAfterNumber({ head: [first, ...rest] }: CallsFormat): string {
  if (typeof first !== 'object' || first.hole !== 'index') return '';
  return core(leadingLiteral(rest)).split(/\s/)[0] ?? '';
}

/** How another call begins that nothing but its name shows. */
export function nextCall(format: ChatFormat, calls: CallsFormat): readonly KeyedText[] {
  const afterNumber = textAfterNumber(calls);
  return markerlessAgain(format, calls, sectionLength(calls)).flatMap(({ goesOn, nameFollows }) => {
    const ends = afterNumber === '' ? (goesOn?.nameEnds ?? nameFollows ?? []) : [afterNumber];
    return ends.filter((end) => !isBlank(end)).map((end) => [{ hole: 'key' as const }, end]);
  });
}
