/**
 * Converts JavaScript regular expressions to terms: the texts in which the pattern matches somewhere.
 *
 * A piece of a pattern is read together with its continuation: `before(piece, rest)` is the language of "piece, then
 * rest". Anchors, word boundaries and lookarounds thus become conditions on what follows and on what precedes. For the
 * latter, each language has a version for each context: at the start of the text, after a word character, after any
 * other character, and more if there are lookbehinds.
 */
import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { allCharacters, type CharacterSet, complementSet, uniteSets } from './character-set.ts';
import { classSet, foldCase } from './pattern-classes.ts';
import { finerContexts, type PatternContexts, plainContexts } from './pattern-contexts.ts';
import { toEcmaScript, UnsupportedPattern } from './pattern-dialects.ts';
import { hasBackReference, withoutBackReferences } from './pattern-references.ts';
import type { Term, Terms } from './terms.ts';
import { otherWordCharacters, wordCharacters } from './unicode-classes.ts';

/** A continuation, by the context that precedes it: see `PatternContexts`. */
type Following = readonly Term[];

interface Flags {
  readonly anyCase: boolean;
  readonly dotAll: boolean;
}

const maxUnrolled = 60;
const foldedWords = uniteSets(wordCharacters, otherWordCharacters);

/** The texts that contain a match of `pattern`. Throws `UnsupportedPattern`. */
export function patternTerm(terms: Terms, pattern: string): Term {
  const read = parse(toEcmaScript(pattern));
  if (!hasBackReference(read)) return new PatternReader(terms).read(read);
  const written = withoutBackReferences(read, (part) => patternTerm(terms, `^(?:${part})$`), terms);
  return new PatternReader(terms).read(parse(written));
}

function parse(pattern: string): AST.Pattern {
  const parser = new RegExpParser({ ecmaVersion: 2025 });
  try {
    return parser.parsePattern(pattern, 0, pattern.length, { unicode: true });
  } catch {
    if (/[\ud800-\udfff]/.test(pattern))
      throw new UnsupportedPattern(
        'it is no pattern with the flag u, and has characters that are pairs without it',
      );
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
  #contexts: PatternContexts = plainContexts;
  /** Whether a word boundary is under the flag `i`. */
  #hasFoldedBoundary = false;

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  read(pattern: AST.Pattern): Term {
    const { everything } = this.#terms;
    const lookbehinds = new Map<AST.LookbehindAssertion, Term>();
    this.#lookBack(pattern.alternatives, lookbehinds);
    if (lookbehinds.size > 0 || this.#hasFoldedBoundary)
      this.#contexts = finerContexts(this.#terms, lookbehinds, this.#hasFoldedBoundary);
    const matched = this.#oneOf(
      pattern.alternatives,
      this.#map(() => everything),
    );
    return this.#anywhere(matched);
  }

  #anywhere(matched: Following): Term {
    return this.#pure(this.#terms.everything, matched)[0] ?? this.#terms.nothing;
  }

  /** Finds what contexts have to tell: the texts after which each lookbehind holds, read without other lookarounds. */
  #lookBack(alternatives: readonly AST.Alternative[], found: Map<AST.LookbehindAssertion, Term>): void {
    for (const element of alternatives.flatMap(({ elements }) => elements)) {
      const inner = element.type === 'Quantifier' ? element.element : element;
      if (inner.type === 'Assertion' && inner.kind === 'lookbehind') {
        if (/\(\?<?[=!]|\\b|\$/i.test(inner.raw.slice(4)))
          throw new UnsupportedPattern('it has a lookaround in a lookbehind');
        const end = this.#map(() => this.#terms.epsilon);
        found.set(inner, this.#anywhere(this.#oneOf(inner.alternatives, end)));
      } else if (inner.type === 'Assertion') {
        if (inner.kind === 'lookahead') this.#lookBack(inner.alternatives, found);
        if (inner.kind === 'word' && this.#flags.anyCase) this.#hasFoldedBoundary = true;
      } else if (inner.type === 'Group' || inner.type === 'CapturingGroup') {
        this.#within(inner, () => this.#lookBack(inner.alternatives, found));
      }
    }
  }

  #oneOf(alternatives: readonly AST.Alternative[], rest: Following): Following {
    const each = alternatives.map((alternative) => this.#all(alternative.elements, rest));
    return this.#map((context) => this.#terms.or(...each.map((following) => this.#at(following, context))));
  }

  #all(elements: readonly AST.Element[], rest: Following): Following {
    return elements.reduceRight((following, element) => this.#before(element, following), rest);
  }

  #map(make: (context: number) => Term): Following {
    return Array.from({ length: this.#contexts.size }, (_, context) => make(context));
  }

  #at(following: Following, context: number): Term {
    return following[context] ?? this.#terms.nothing;
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
    const [start, first = terms.nothing, ...others] = rest;
    if (others.every((each) => each === first)) {
      const all = terms.sequence(piece, first);
      if (start === first || !piece.nullable) return this.#map(() => all);
      const some = terms.sequence(this.#unlessEmpty(piece), first);
      return this.#map((context) => (context === 0 ? terms.or(some, this.#at(rest, 0)) : all));
    }
    const inner = this.#unlessEmpty(piece);
    return this.#map((context) => {
      const parts = [...new Set(rest.slice(1))].map((next) => {
        const before = this.#contexts.leadingTo(terms, context, (other) => rest[other] === next);
        return terms.sequence(terms.and(inner, before), next);
      });
      return terms.or(...parts, piece.nullable ? this.#at(rest, context) : terms.nothing);
    });
  }

  #unlessEmpty(piece: Term): Term {
    return piece.nullable ? this.#terms.and(piece, this.#terms.not(this.#terms.epsilon)) : piece;
  }

  #assertion(assertion: AST.Assertion, rest: Following): Following {
    const terms = this.#terms;
    switch (assertion.kind) {
      case 'start':
        return this.#map((context) => (context === 0 ? this.#at(rest, 0) : terms.nothing));
      case 'end':
        return this.#map((context) => terms.and(this.#at(rest, context), terms.epsilon));
      case 'word':
        return this.#boundary(assertion.negate, rest);
      case 'lookahead': {
        const seen = this.#oneOf(
          assertion.alternatives,
          this.#map(() => terms.everything),
        );
        return this.#map((context) => {
          const ahead = this.#at(seen, context);
          return terms.and(this.#at(rest, context), assertion.negate ? terms.not(ahead) : ahead);
        });
      }
      case 'lookbehind':
        return this.#map((context) =>
          this.#contexts.holds(assertion, context) === assertion.negate
            ? terms.nothing
            : this.#at(rest, context),
        );
    }
  }

  #boundary(negate: boolean, rest: Following): Following {
    const terms = this.#terms;
    const { anyCase } = this.#flags;
    const wordNext = terms.sequence(terms.set(anyCase ? foldedWords : wordCharacters), terms.everything);
    return this.#map((context) => {
      const isBetween = this.#contexts.isAfterWord(context, anyCase) !== negate;
      return terms.and(this.#at(rest, context), isBetween ? terms.not(wordNext) : wordNext);
    });
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
    return this.#map((context) => this.#terms.or(this.#at(a, context), this.#at(b, context)));
  }

  /**
   * "Stop, or one more iteration and the same again", as a recursive variable. An iteration that consumes nothing
   * would only repeat itself and does not count.
   */
  #unboundedRepeat(element: AST.QuantifiableElement, rest: Following): Following {
    const terms = this.#terms;
    const variables = this.#map((context) => terms.variable(this.#at(rest, context).nullable));
    const again = this.#advancing(element, variables);
    for (const [context, variable] of variables.entries()) {
      terms.define(variable, terms.or(this.#at(rest, context), this.#at(again, context)));
    }
    return variables;
  }

  /** `element`, consuming at least one character, then `rest`. */
  #advancing(element: AST.Element, rest: Following): Following {
    const terms = this.#terms;
    const plain = this.#plain(element);
    if (plain !== null) return this.#pure(this.#unlessEmpty(plain), rest);
    switch (element.type) {
      case 'Group':
      case 'CapturingGroup': {
        const each = this.#within(element, () =>
          element.alternatives.map(({ elements }) => this.#allAdvancing(elements, rest)),
        );
        return this.#map((context) => terms.or(...each.map((following) => this.#at(following, context))));
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
    const set = classSet(element, foldedWords);
    // A negated class excludes both cases of its letters.
    return negated ? complementSet(foldCase(complementSet(set))) : foldCase(set);
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
