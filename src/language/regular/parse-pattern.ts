/**
 * Converts JavaScript regular expressions to terms: the texts in which the pattern matches somewhere.
 *
 * A piece of a pattern is read together with its continuation: `before(piece, rest)` is the language of "piece, then
 * rest". Anchors, word boundaries and lookaheads thus become conditions on what follows and on the preceding
 * character. For the latter, each language has three versions: at the start of the text, after a word character,
 * after any other character.
 */
import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { foldCase } from './case-folding.ts';
import { allCharacters, type CharacterSet, characterSet, complementSet, uniteSets } from './character-set.ts';
import { toEcmaScript, UnsupportedPattern } from './pattern-dialects.ts';
import type { Term, Terms } from './terms.ts';
import { digits, spaces, unicodeProperty, withoutLineEnds, wordCharacters } from './unicode-classes.ts';

/** A continuation, by what precedes it. */
interface Following {
  readonly start: Term;
  readonly word: Term;
  readonly other: Term;
}

interface Flags {
  readonly anyCase: boolean;
  readonly dotAll: boolean;
}

const maxUnrolled = 60;
const notWord = complementSet(wordCharacters);

/** The texts that contain a match of `pattern`. Throws `UnsupportedPattern`. */
export function patternTerm(terms: Terms, pattern: string): Term {
  return new PatternReader(terms).read(parse(toEcmaScript(pattern)));
}

function parse(pattern: string): AST.Pattern {
  const parser = new RegExpParser({ ecmaVersion: 2025 });
  try {
    return parser.parsePattern(pattern, 0, pattern.length, { unicode: true });
  } catch {
    try {
      return parser.parsePattern(pattern);
    } catch (error) {
      throw new UnsupportedPattern(error instanceof Error ? error.message : String(error));
    }
  }
}

class PatternReader {
  readonly #terms: Terms;
  /** The flags `i` and `s` of the current group. */
  #flags: Flags = { anyCase: false, dotAll: false };

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  read(pattern: AST.Pattern): Term {
    const terms = this.#terms;
    const { everything } = terms;
    const matched = this.#oneOf(pattern.alternatives, {
      start: everything,
      word: everything,
      other: everything,
    });
    return this.#pure(everything, matched).start;
  }

  #oneOf(alternatives: readonly AST.Alternative[], rest: Following): Following {
    const each = alternatives.map((alternative) => this.#all(alternative.elements, rest));
    return this.#map((context) => this.#terms.or(...each.map((following) => following[context])));
  }

  #all(elements: readonly AST.Element[], rest: Following): Following {
    return elements.reduceRight((following, element) => this.#before(element, following), rest);
  }

  #map(make: (context: keyof Following) => Term): Following {
    return { start: make('start'), word: make('word'), other: make('other') };
  }

  #before(element: AST.Element, rest: Following): Following {
    const plain = this.#plain(element);
    if (plain !== null) return this.#pure(plain, rest);
    switch (element.type) {
      case 'Assertion':
        return this.#assertion(element, rest);
      case 'Group':
        return this.#within(element, () => this.#oneOf(element.alternatives, rest));
      case 'CapturingGroup':
        return this.#oneOf(element.alternatives, rest);
      case 'Quantifier':
        return this.#quantified(element, rest);
      default:
        throw new UnsupportedPattern(`it has a ${element.type.toLowerCase()}`);
    }
  }

  /** `piece`, which has no assertions, then `rest`. */
  #pure(piece: Term, rest: Following): Following {
    const terms = this.#terms;
    if (rest.word === rest.other) {
      if (rest.start === rest.word || !piece.nullable) {
        const all = terms.sequence(piece, rest.word);
        return { start: all, word: all, other: all };
      }
      const all = terms.sequence(piece, rest.word);
      const some = terms.sequence(terms.and(piece, terms.not(terms.epsilon)), rest.word);
      return { start: terms.or(some, rest.start), word: all, other: all };
    }
    const endingIn = (set: CharacterSet) =>
      terms.and(piece, terms.sequence(terms.everything, terms.set(set)));
    const some = terms.or(
      terms.sequence(endingIn(wordCharacters), rest.word),
      terms.sequence(endingIn(notWord), rest.other),
    );
    return this.#map((context) => (piece.nullable ? terms.or(some, rest[context]) : some));
  }

  #assertion(assertion: AST.Assertion, rest: Following): Following {
    const terms = this.#terms;
    switch (assertion.kind) {
      case 'start':
        return { start: rest.start, word: terms.nothing, other: terms.nothing };
      case 'end':
        return this.#map((context) => terms.and(rest[context], terms.epsilon));
      case 'word':
        return this.#boundary(assertion.negate, rest);
      case 'lookahead': {
        const { everything } = terms;
        const seen = this.#oneOf(assertion.alternatives, {
          start: everything,
          word: everything,
          other: everything,
        });
        return this.#map((context) =>
          terms.and(rest[context], assertion.negate ? terms.not(seen[context]) : seen[context]),
        );
      }
      case 'lookbehind':
        throw new UnsupportedPattern('it has a lookbehind');
    }
  }

  #boundary(negate: boolean, rest: Following): Following {
    const terms = this.#terms;
    const wordNext = terms.sequence(terms.set(wordCharacters), terms.everything);
    return this.#map((context) =>
      terms.and(rest[context], (context === 'word') !== negate ? terms.not(wordNext) : wordNext),
    );
  }

  /** A repetition of something with assertions. */
  #quantified({ element, min, max }: AST.Quantifier, rest: Following): Following {
    if (min > maxUnrolled || (max !== Number.POSITIVE_INFINITY && max > maxUnrolled)) {
      throw new UnsupportedPattern('it repeats a lookaround too often');
    }
    let following = rest;
    if (max === Number.POSITIVE_INFINITY) {
      following = this.#unboundedRepeat(element, rest);
    } else {
      for (let count = min; count < max; count += 1) {
        const again = this.#before(element, following);
        following = this.#either(rest, again);
      }
    }
    for (let count = 0; count < min; count += 1) following = this.#before(element, following);
    return following;
  }

  #either(a: Following, b: Following): Following {
    return this.#map((context) => this.#terms.or(a[context], b[context]));
  }

  /**
   * "Stop, or one more iteration and the same again", as a recursive variable. An iteration that consumes nothing
   * would only repeat itself and does not count.
   */
  #unboundedRepeat(element: AST.QuantifiableElement, rest: Following): Following {
    const terms = this.#terms;
    const variables = this.#map((context) => terms.variable(rest[context].nullable));
    const again = this.#advancing(element, variables);
    for (const context of ['start', 'word', 'other'] as const) {
      terms.define(variables[context], terms.or(rest[context], again[context]));
    }
    return variables;
  }

  /** `element`, consuming at least one character, then `rest`. */
  #advancing(element: AST.Element, rest: Following): Following {
    const terms = this.#terms;
    const plain = this.#plain(element);
    if (plain !== null) return this.#pure(terms.and(plain, terms.not(terms.epsilon)), rest);
    switch (element.type) {
      case 'Group':
      case 'CapturingGroup': {
        const each = this.#within(element, () =>
          element.alternatives.map(({ elements }) => this.#allAdvancing(elements, rest)),
        );
        return this.#map((context) => terms.or(...each.map((following) => following[context])));
      }
      case 'Assertion':
        return this.#map(() => terms.nothing);
      case 'Quantifier':
        return this.#advancingQuantified(element, rest);
      default:
        throw new UnsupportedPattern(`it has a ${element.type.toLowerCase()}`);
    }
  }

  /** `elements`, at least one of which consumes a character, then `rest`. */
  #allAdvancing(elements: readonly AST.Element[], rest: Following): Following {
    let found = this.#map(() => this.#terms.nothing);
    let after = rest;
    for (const element of [...elements].reverse()) {
      found = this.#either(this.#advancing(element, after), this.#standing(element, found));
      after = this.#before(element, after);
    }
    return found;
  }

  #advancingQuantified(quantifier: AST.Quantifier, rest: Following): Following {
    const { element, min, max } = quantifier;
    if (max === 0) return this.#map(() => this.#terms.nothing);
    const more = (least: number) => ({ ...quantifier, min: least, max: max - 1 });
    const first = this.#advancing(element, this.#quantified(more(Math.max(0, min - 1)), rest));
    if (min < 2) return first;
    const later = this.#advancing(element, this.#quantified(more(0), rest));
    return this.#either(first, this.#standing(element, later));
  }

  /** `element`, consuming nothing, then `rest`. */
  #standing(element: AST.Element, rest: Following): Following {
    const nothing = this.#map(() => this.#terms.nothing);
    const plain = this.#plain(element);
    if (plain !== null) return plain.nullable ? rest : nothing;
    switch (element.type) {
      case 'Group':
      case 'CapturingGroup':
        return this.#within(element, () =>
          element.alternatives
            .map(({ elements }) => elements.reduceRight((all, each) => this.#standing(each, all), rest))
            .reduce((all, each) => this.#either(all, each), nothing),
        );
      case 'Assertion':
        return this.#assertion(element, rest);
      case 'Quantifier':
        return element.min === 0 ? rest : this.#standing(element.element, rest);
      default:
        return nothing;
    }
  }

  /** The language of an element without assertions; `null` if it has any. */
  #plain(element: AST.Element): Term | null {
    const terms = this.#terms;
    switch (element.type) {
      case 'Character':
      case 'CharacterSet':
      case 'CharacterClass':
        return terms.set(this.#set(element));
      case 'Group':
        return this.#within(element, () => this.#plainAlternatives(element.alternatives));
      case 'CapturingGroup':
        return this.#plainAlternatives(element.alternatives);
      case 'Quantifier': {
        const item = this.#plain(element.element);
        const max = element.max === Number.POSITIVE_INFINITY ? null : element.max;
        return item === null ? null : terms.loop(item, element.min, max);
      }
      default:
        return null;
    }
  }

  #set(element: AST.Character | AST.CharacterSet | AST.CharacterClass): CharacterSet {
    const { anyCase, dotAll } = this.#flags;
    if (dotAll && element.type === 'CharacterSet' && element.kind === 'any') return allCharacters;
    const negated = element.type === 'CharacterClass' && element.negate;
    if (!anyCase) return classSet(element);
    // A negated class excludes both cases of its letters.
    return negated ? complementSet(foldCase(complementSet(classSet(element)))) : foldCase(classSet(element));
  }

  /** Reads a group under its own flags. */
  #within<T>(group: AST.Group | AST.CapturingGroup, read: () => T): T {
    const modifiers = group.type === 'Group' ? group.modifiers : null;
    if (modifiers === null) return read();
    const { add, remove } = modifiers;
    if (add.multiline || remove?.multiline) throw new UnsupportedPattern('it has the flag m inside');
    const outer = this.#flags;
    this.#flags = {
      anyCase: (outer.anyCase || add.ignoreCase) && remove?.ignoreCase !== true,
      dotAll: (outer.dotAll || add.dotAll) && remove?.dotAll !== true,
    };
    try {
      return read();
    } finally {
      this.#flags = outer;
    }
  }

  #plainAlternatives(alternatives: readonly AST.Alternative[]): Term | null {
    const all: Term[] = [];
    for (const alternative of alternatives) {
      const items = alternative.elements.map((element) => this.#plain(element));
      if (items.includes(null)) return null;
      all.push(this.#terms.sequence(...items.filter((item) => item !== null)));
    }
    return this.#terms.or(...all);
  }
}

function classSet(
  element: AST.ClassRangesCharacterClassElement | AST.CharacterSet | AST.CharacterClass,
): CharacterSet {
  switch (element.type) {
    case 'Character':
      return characterSet([element.value, element.value]);
    case 'CharacterClassRange':
      return characterSet([element.min.value, element.max.value]);
    case 'CharacterSet':
      return namedSet(element);
    case 'CharacterClass': {
      const parts = element.elements.map((each) => {
        if (
          each.type === 'Character' ||
          each.type === 'CharacterClassRange' ||
          each.type === 'CharacterSet'
        ) {
          return classSet(each);
        }
        throw new UnsupportedPattern('it has set operations');
      });
      const set = parts.reduce<CharacterSet>(uniteSets, []);
      return element.negate ? complementSet(set) : set;
    }
  }
}

function namedSet(element: AST.CharacterSet): CharacterSet {
  const signed = (set: CharacterSet, negate: boolean) => (negate ? complementSet(set) : set);
  switch (element.kind) {
    case 'any':
      return withoutLineEnds;
    case 'digit':
      return signed(digits, element.negate);
    case 'space':
      return signed(spaces, element.negate);
    case 'word':
      return signed(wordCharacters, element.negate);
    case 'property': {
      const value = element.value === null ? '' : `=${element.value}`;
      return signed(unicodeProperty(`${element.key}${value}`), element.negate);
    }
  }
}
