/**
 * Other spellings of the markers of calls, derived from the markers: the same word with or without the bars of a
 * special token, the first marker twice, a list without its bracket, an empty block of calls, other text after the
 * opener of a section, and markers with missing parts. Only a lenient parser reads them, and reports them.
 */
import { withoutUndefined } from '../../format/option-rules.ts';
import type { Transition } from '../state-tables.ts';

/** The choices, with other spellings added for those that open calls. */
export function withOtherSpellings<Ref>(choices: readonly Transition<Ref>[]): readonly Transition<Ref>[] {
  const others = choices.flatMap((choice) => [
    ...(opensCall(choice) ? otherOpeners(choice) : []),
    ...inOtherCharacters(choice),
    ...endsOfFencedList(choice),
  ]);
  const known = new Set(choices.map(({ marker }) => marker.trim()));
  return [
    ...choices,
    ...others.filter(
      ({ marker, repairs }) => repairs === 'fence' || repairs === 'noise' || !known.has(marker.trim()),
    ),
  ];
}

/** Whether other spellings apply: not for markers of punctuation alone, or inside thoughts. */
function opensCall({ marker, role, peek, ambiguous, speculative, repairs }: Transition<unknown>): boolean {
  if (role !== 'call' || peek || ambiguous || speculative || repairs !== undefined) return false;
  return minOpener.test(marker);
}

/** Two or more characters in brackets of any kind. */
const minOpener = /^\s*[<[]\S{2,}[\]>]/;

function otherOpeners<Ref>(choice: Transition<Ref>): readonly Transition<Ref>[] {
  const { blockEnd: _, ...opener } = choice;
  const { marker } = choice;
  const spellings = [
    ...spellingsOf(marker),
    ...repeated(marker),
    ...withoutBracket(choice),
    ...(choice.followedBy?.nameEnds === undefined
      ? []
      : withoutParts(marker).filter((rest) => /[>\]]/.test(rest))),
  ];
  return [
    ...spellings.map((marker): Transition<Ref> => ({ ...opener, marker, repairs: 'opener' })),
    ...beforeFence(opener),
    ...beforeNoise(opener),
    ...emptyBlock(choice),
  ];
}

/** Substitutes for the full-width bar and the low block in the special tokens of some vocabularies. */
const otherCharacters: readonly ((text: string) => string)[] = [
  (text) => text.replaceAll('｜', '|'),
  (text) => text.replaceAll('▁', '_'),
  (text) => text.replaceAll('｜', '|').replaceAll('▁', '_'),
  (text) => text.replaceAll('▁', ' '),
  (text) => text.replaceAll('▁', '\\_'),
];

/** `<｜tool_sep｜>` and `<|tool▁sep|>` for `<｜tool▁sep｜>`, in the marker and in the text required after it. */
function inOtherCharacters<Ref>(choice: Transition<Ref>): readonly Transition<Ref>[] {
  const { marker, role, repairs, followedBy, blockEnd } = choice;
  if (!/<｜[^<>]*｜>/.test(marker) || role === 'thought' || repairs !== undefined) return [];
  return otherCharacters.flatMap((spell): readonly Transition<Ref>[] => {
    if (spell(marker) === marker) return [];
    const { texts, nameEnds } = followedBy ?? {};
    const following = withoutUndefined({ texts: texts?.map(spell), nameEnds: nameEnds?.map(spell) });
    return [
      {
        ...choice,
        marker: spell(marker),
        ...withoutUndefined({ followedBy: followedBy && following, blockEnd: blockEnd && spell(blockEnd) }),
        repairs: 'spelling',
      },
    ];
  });
}

/** The end of an array of JSON calls in a code fence. */
function endsOfFencedList<Ref>(choice: Transition<Ref>): readonly Transition<Ref>[] {
  if (choice.marker.trim() !== ']' || choice.repairs !== undefined) return [];
  return [{ ...choice, marker: ']\n```', repairs: 'fence' }];
}

/** The marker before JSON in a code fence. */
function beforeFence<Ref>(opener: Transition<Ref>): readonly Transition<Ref>[] {
  if (!opener.followedBy?.texts?.includes('{')) return [];
  return [{ ...opener, followedBy: { texts: ['```'] }, repairs: 'fence' }];
}

/** A special token. */
const barred = /^\s*<[|｜][^<>]*>/;

/** The marker of a section, if other text precedes the marker of its first call: both are special tokens. */
function beforeNoise<Ref>(opener: Transition<Ref>): readonly Transition<Ref>[] {
  const texts = (opener.followedBy?.texts ?? []).filter((text) => barred.test(text));
  if (texts.length === 0 || !barred.test(opener.marker)) return [];
  return [{ ...opener, followedBy: { texts }, unlessMentioned: '', repairs: 'noise' }];
}

/** `<|tool_call|>` for `<tool_call>`, and the other way round. */
function spellingsOf(marker: string): readonly string[] {
  const bare = marker.replace(/^(\s*)<\|?([^<>|\s]+)\|?>/, '$1<$2>');
  if (bare !== marker) return [bare];
  const barred = marker.replace(/^(\s*)<([^<>|｜=\s]+)>/, '$1<|$2|>');
  return barred === marker ? [] : [barred];
}

/** The first marker of a call's opening twice. */
function repeated(marker: string): readonly string[] {
  const first = /^\s*(<[^<>\s]+>|\[[^[\]\s]+\])/.exec(marker)?.[1];
  return first === undefined ? [] : [marker.replace(first, () => `${first}\n${first}`)];
}

/** An array of calls without its bracket, if each call begins with its name. */
function withoutBracket({ marker, followedBy }: Transition<unknown>): readonly string[] {
  if (followedBy?.nameEnds === undefined || !/\S\s*\[\s*$/.test(marker)) return [];
  return [marker.trimEnd().slice(0, -1)];
}

/** The opener and the closer with nothing between them, in full or only their first and last markers. */
function emptyBlock<Ref>({ marker, next, blockEnd }: Transition<Ref>): readonly Transition<Ref>[] {
  if (blockEnd === undefined) return [];
  return [
    { marker: `${marker.trimEnd()}\n${blockEnd}`, next, role: 'call', passes: true, repairs: 'empty-block' },
  ];
}

/**
 * The choices and, for each marker of several parts, the marker without some of them. Only for places inside a
 * call, where no prose can look like that.
 */
export function withLostParts<Ref>(choices: readonly Transition<Ref>[]): readonly Transition<Ref>[] {
  const known = new Set(choices.map(({ marker }) => marker.trim()));
  const others = choices.flatMap((choice): readonly Transition<Ref>[] => {
    if (choice.role !== undefined || choice.repairs !== undefined || choice.onlyAtEnd) return [];
    const rests = withoutParts(choice.marker).filter((rest) => !known.has(rest));
    return rests.map((marker) => ({ ...choice, marker, repairs: 'marker-part' }));
  });
  return [...choices, ...others];
}

/** The parts of a marker: each tag, and the text between tags. */
export function markerParts(marker: string): readonly string[] {
  return (marker.match(/<[^<>\s]+>|<?[^<]+/g) ?? []).map((part) => part.trim()).filter((part) => part !== '');
}

/** A marker of two or three parts without one or two of them. */
function withoutParts(marker: string): readonly string[] {
  const parts = markerParts(marker);
  if (parts.length < 2 || parts.length > 3) return [];
  const rests = parts.flatMap((part, at) => [part, parts.filter((_, index) => index !== at).join('')]);
  return [...new Set(rests)];
}
