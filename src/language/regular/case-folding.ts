/** Case-insensitive letters, as with the flags `i` and `u`: simple case folding. */
import { type CharacterSet, characterSet, setHas, uniteSets } from './character-set.ts';

/** `set`, with the other cases of its letters. */
export function foldCase(set: CharacterSet): CharacterSet {
  const added = casePairs().flatMap(([one, other]): [number, number][] => {
    const [hasOne, hasOther] = [setHas(set, one), setHas(set, other)];
    return hasOne === hasOther ? [] : [hasOne ? [other, other] : [one, one]];
  });
  return added.length === 0 ? set : uniteSets(set, characterSet(...added));
}

let pairs: readonly (readonly [number, number])[] | null = null;

/** Pairs of single-character letters that differ only in case. */
function casePairs(): readonly (readonly [number, number])[] {
  pairs ??= Array.from(cased()).flatMap((char): (readonly [number, number])[] =>
    [...new Set([char.toLowerCase(), char.toUpperCase()])]
      .filter((other) => other !== char && Array.from(other).length === 1)
      .map((other) => [char.codePointAt(0) ?? 0, other.codePointAt(0) ?? 0]),
  );
  return pairs;
}

/** Letters that have another case; there are none beyond the first two planes. */
function* cased(): Generator<string> {
  for (let code = 0x41; code < 0x20000; code += 1) {
    if (code === 0xd800) code = 0xe000;
    const char = String.fromCodePoint(code);
    if (char.toLowerCase() !== char || char.toUpperCase() !== char) yield char;
  }
}
