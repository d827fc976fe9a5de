/** How characters are written: literally, escaped, or escaped within escapes. */
import { type CodePointRange, maxCodePoint } from '../expression/expression.ts';
import {
  type CharacterSet,
  characterSet,
  charactersOf,
  codePoint,
  intersectSets,
  setKey,
  subtractSets,
  uniteSets,
} from './character-set.ts';

/** One way to write a character, as a set per position: `["\\"], ["n"]`. */
export type SpelledCharacter = readonly CharacterSet[];

/** How single characters are written. Spellings are prefix-free: none is a prefix of another character's. */
export interface Spelling {
  /** Identifies the spelling. */
  readonly id: string;
  /** All ways to write a character of `set`. */
  spell(set: CharacterSet): readonly SpelledCharacter[];
  /** Writes a fixed text. */
  text(text: string): string;
}

/** Every character is written literally. */
export const plainSpelling: Spelling = {
  id: 'plain',
  spell: (set) => (set.length === 0 ? [] : [[set]]),
  text: (text) => text,
};

const remembered = 2000;

/** Memoises `spelling`. */
function memoized(spelling: Spelling): Spelling {
  const known = new Map<string, readonly SpelledCharacter[]>();
  const spell = (set: CharacterSet) => {
    const key = setKey(set);
    const found = known.get(key);
    if (found !== undefined) return found;
    const spelled = spelling.spell(set);
    // Clear it, so that old entries do not keep out new ones in a long-running process.
    if (known.size >= remembered) known.clear();
    known.set(key, spelled);
    return spelled;
  };
  return { ...spelling, spell };
}

const controls = characterSet([1, 0x1f]);
const shortEscapes: ReadonlyMap<number, string> = new Map([
  [0x08, '\\b'],
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0c, '\\f'],
  [0x0d, '\\r'],
  [0x22, '\\"'],
  [0x5c, '\\\\'],
]);

/**
 * Characters in a JSON string, each in its canonical spelling: short escapes where JSON has them, `\u001f` for other
 * control characters, with `ascii` also for everything beyond ASCII, and otherwise the character itself (so `/` is
 * `/`).
 */
export function jsonSpelling(ascii: boolean): Spelling {
  return ascii ? asciiJson : json;
}

function makeJsonSpelling(ascii: boolean): Spelling {
  const alwaysEscaped = characterSet([1, 0x1f], [0x22, 0x22], [0x5c, 0x5c]);
  const beyond = ascii ? characterSet([0x7f, maxCodePoint]) : [];
  return memoized({
    id: ascii ? 'json-ascii' : 'json',
    spell: (set) => {
      // NUL is outside the universe of sets, but a constant may contain it, because its escape is ordinary text.
      const nul = set[0]?.[0] === 0 ? [0] : [];
      const plain = subtractSets(subtractSets(set, [[0, 0]]), uniteSets(alwaysEscaped, beyond));
      return [
        ...(plain.length === 0 ? [] : [[plain]]),
        ...[...nul, ...points(intersectSets(set, alwaysEscaped))].map(jsonEscapeWord),
        ...(ascii ? intersectSets(set, beyond).flatMap(hexEscapes) : []),
      ];
    },
    text: (text) => {
      const escaped = JSON.stringify(text).slice(1, -1);
      return ascii ? escaped.replace(/[^ -~]/g, (unit) => `\\u${hex(unit.charCodeAt(0))}`) : escaped;
    },
  });
}

// Single instances, so that memoised spellings are shared.
const json = makeJsonSpelling(false);
const asciiJson = makeJsonSpelling(true);

/** Characters in a Python string literal delimited by `quote`. */
export function pythonSpelling(quote: string): Spelling {
  const escaped = characterSet(...controls, ...charactersOf(`\\${quote}`));
  const names: ReadonlyMap<string, string> = new Map([
    ['\n', '\\n'],
    ['\r', '\\r'],
    ['\t', '\\t'],
  ]);
  const escapeCharacter = (character: string) => {
    if (setContains(controls, character)) {
      return names.get(character) ?? `\\x${hex(codePoint(character)).slice(2)}`;
    }
    return setContains(escaped, character) ? `\\${character}` : character;
  };
  return {
    id: `python ${quote}`,
    spell: (set) => {
      const plain = subtractSets(set, escaped);
      const rest = points(intersectSets(set, escaped)).map((point) =>
        word(escapeCharacter(String.fromCodePoint(point))),
      );
      return plain.length === 0 ? rest : [[plain], ...rest];
    },
    text: (text) => Array.from(text, escapeCharacter).join(''),
  };
}

/** Characters written literally, except those that `escapes` maps to something else. */
export function escapedSpelling(escapes: readonly (readonly [string, string])[]): Spelling {
  const written = new Map(escapes);
  const escaped = charactersOf([...written.keys()].join(''));
  return {
    id: `escaped ${JSON.stringify(escapes)}`,
    spell: (set) => {
      const plain = subtractSets(set, escaped);
      const rest = points(intersectSets(set, escaped)).map((point) =>
        word(written.get(String.fromCodePoint(point)) ?? ''),
      );
      return plain.length === 0 ? rest : [[plain], ...rest];
    },
    text: (text) => Array.from(text, (character) => written.get(character) ?? character).join(''),
  };
}

/** Text in `inner` spelling, itself written in `outer` spelling: JSON within a JSON string. */
export function nestSpelling(inner: Spelling, outer: Spelling): Spelling {
  if (outer === plainSpelling) return inner;
  const id = `${inner.id} in ${outer.id}`;
  const known = nested.get(id) ?? makeNestedSpelling(inner, outer, id);
  nested.set(id, known);
  return known;
}

/** Keyed by both ids; there are few. */
const nested = new Map<string, Spelling>();

function makeNestedSpelling(inner: Spelling, outer: Spelling, id: string): Spelling {
  return memoized({
    id,
    spell: (set) =>
      inner
        .spell(set)
        .flatMap((spelled) =>
          spelled.reduce<readonly SpelledCharacter[]>(
            (all, place) => all.flatMap((before) => outer.spell(place).map((after) => [...before, ...after])),
            [[]],
          ),
        ),
    text: (text) => outer.text(inner.text(text)),
  });
}

function setContains(set: CharacterSet, character: string): boolean {
  return intersectSets(set, charactersOf(character)).length > 0;
}

function points(set: CharacterSet): readonly number[] {
  return set.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, index) => from + index));
}

function word(text: string): SpelledCharacter {
  return Array.from(text, charactersOf);
}

function hex(value: number): string {
  return value.toString(16).padStart(4, '0');
}

function jsonEscape(point: number): string {
  return shortEscapes.get(point) ?? `\\u${hex(point)}`;
}

/** Single instances: spelled sets contain most of them. */
const escapeWords = new Map<number, SpelledCharacter>();

function jsonEscapeWord(point: number): SpelledCharacter {
  const known = escapeWords.get(point) ?? word(jsonEscape(point));
  escapeWords.set(point, known);
  return known;
}

/** `\uXXXX` for a range of characters beyond ASCII; as two surrogates above 0xffff. */
function hexEscapes([from, to]: CodePointRange): readonly SpelledCharacter[] {
  const low = from <= 0xffff ? hexRange(from, Math.min(to, 0xffff)) : [];
  if (to <= 0xffff) return low;
  return [...low, ...surrogatePairs(Math.max(from, 0x10000) - 0x10000, to - 0x10000)];
}

function surrogatePairs(from: number, to: number): readonly SpelledCharacter[] {
  const [firstHigh, lastHigh] = [from >> 10, to >> 10];
  const found: SpelledCharacter[] = [];
  const add = (high: number, lastOfRun: number, low: number, lastLow: number) => {
    for (const left of hexRange(0xd800 + high, 0xd800 + lastOfRun)) {
      for (const right of hexRange(0xdc00 + low, 0xdc00 + lastLow)) found.push([...left, ...right]);
    }
  };
  if (firstHigh === lastHigh) {
    add(firstHigh, firstHigh, from & 0x3ff, to & 0x3ff);
    return found;
  }
  add(firstHigh, firstHigh, from & 0x3ff, 0x3ff);
  if (lastHigh > firstHigh + 1) add(firstHigh + 1, lastHigh - 1, 0, 0x3ff);
  add(lastHigh, lastHigh, 0, to & 0x3ff);
  return found;
}

/** `\uXXXX` for a range of 16-bit numbers. */
function hexRange(from: number, to: number): readonly SpelledCharacter[] {
  return digitRange(from, to, 4).map((digits) => [...word('\\u'), ...digits]);
}

/** Hexadecimal numbers of `length` digits from `from` to `to`, as products of digit sets. */
function digitRange(from: number, to: number, length: number): readonly SpelledCharacter[] {
  if (from > to) return [];
  if (length === 1) return [[hexDigits(from, to)]];
  const unit = 16 ** (length - 1);
  const [first, last] = [Math.floor(from / unit), Math.floor(to / unit)];
  const lead = (digit: number, until: number, low: number, high: number) =>
    digit > until ? [] : digitRange(low, high, length - 1).map((rest) => [hexDigits(digit, until), ...rest]);
  if (first === last) return lead(first, first, from % unit, to % unit);
  const wholeFirst = from % unit === 0 ? first : first + 1;
  const wholeLast = to % unit === unit - 1 ? last : last - 1;
  return [
    ...(wholeFirst === first ? [] : lead(first, first, from % unit, unit - 1)),
    ...lead(wholeFirst, wholeLast, 0, unit - 1),
    ...(wholeLast === last ? [] : lead(last, last, 0, to % unit)),
  ];
}

function hexDigits(from: number, to: number): CharacterSet {
  const digits = Array.from({ length: to - from + 1 }, (_, index) => (from + index).toString(16)).join('');
  return charactersOf(digits);
}
