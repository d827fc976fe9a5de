/** Writes strings as expressions, in the notations of a syntax. */

import { unless } from '../../format/error-class.ts';
import { commonPrefix } from '../../language/expression/alternatives.ts';
import { BudgetExceeded } from '../../language/expression/budget.ts';
import {
  choice,
  type Expression,
  empty,
  literal,
  sequence,
  until,
} from '../../language/expression/expression.ts';
import type { RuleSet } from '../../language/expression/rule-set.ts';
import { isEmptyAutomaton } from '../../language/regular/automaton.ts';
import { allCharacters } from '../../language/regular/character-set.ts';
import { countedRepeat } from '../../language/regular/counted.ts';
import { plainSpelling } from '../../language/regular/spelling.ts';
import { listedWords, type Term } from '../../language/regular/terms.ts';
import { writeAutomaton } from '../../language/regular/write-automaton.ts';
import { spelledCharacter } from '../../language/regular/write-characters.ts';
import { writeCountedLoops } from '../../language/regular/write-counted-loops.ts';
import type { Compilation } from '../plan/compilation.ts';
import type { Constraint } from '../shapes/constraints.ts';
import { fitsLength, type Shape, type StringShape } from '../shapes/shapes.ts';
import { lenientCharacter } from './lenient-json.ts';
import type { StringNotation, Syntax } from './syntax.ts';
import { reportUnwritten } from './unwritten-texts.ts';

/** Writes the strings of one compilation. A result is empty if no string can be written. */
export class StringWriter {
  readonly #compilation: Compilation;
  readonly #rules: RuleSet;
  readonly #syntax: Syntax;

  constructor(compilation: Compilation, rules: RuleSet, syntax: Syntax) {
    this.#compilation = compilation;
    this.#rules = rules;
    this.#syntax = syntax;
  }

  /** Strings of any of the shapes, in the syntax's notations for strings. */
  inSyntax(shapes: readonly StringShape[], constraint: Constraint): readonly Expression[] {
    const { terms } = this.#compilation;
    const { string, alternativeString } = this.#syntax;
    if (alternativeString === null) return this.inNotation(shapes, string, constraint);
    if (alternativeString.when === null) {
      return [string, alternativeString].flatMap((notation) => this.inNotation(shapes, notation, constraint));
    }
    const holdsOne = terms.or(
      ...alternativeString.when.map((text) =>
        terms.sequence(terms.everything, terms.text(text), terms.everything),
      ),
    );
    const among = (language: Term) =>
      this.#compilation.satisfiable(
        shapes.map((shape): Shape => ({ ...shape, language: terms.and(shape.language, language) })),
      );
    const restricted = (notation: StringNotation, language: Term): readonly Expression[] => {
      const left = among(language).filter((shape): shape is StringShape => shape.type === 'string');
      return left.length === 0 ? [] : this.inNotation(left, notation, constraint);
    };
    return [...restricted(string, terms.not(holdsOne)), ...restricted(alternativeString, holdsOne)];
  }

  /** Strings of any of the shapes in one notation, with its delimiters. */
  inNotation(
    shapes: readonly StringShape[],
    notation: StringNotation,
    constraint: Constraint,
  ): readonly Expression[] {
    if (notation.spelling === null) reportUnwritten(this.#compilation, constraint, shapes, notation.close);
    const text =
      this.#plain(shapes, notation, constraint) ??
      this.#listed(shapes, notation) ??
      this.#inLoops(shapes, notation, constraint) ??
      this.#automaton(shapes, notation, constraint);
    return text === null ? [] : [sequence(literal(notation.open), text)];
  }

  /** Any string, with a report that those of `constraint` cannot be written, because all contain what ends them. */
  any(constraint: Constraint, close: string): Expression {
    const reason = `each of its texts holds ${JSON.stringify(close)}, which ends a text in this format; it is not enforced`;
    this.#compilation.reportConstraint(constraint, 'string', reason);
    const { string } = this.#syntax;
    return sequence(literal(string.open), this.#anyText({ ...string, close }, constraint));
  }

  #anyText(notation: StringNotation, constraint: Constraint): Expression {
    const language = this.#compilation.terms.everything;
    return this.#plain([{ type: 'string', language, min: 0, max: null }], notation, constraint) ?? empty;
  }

  /** Strings restricted only by length need no automaton. */
  #plain(
    shapes: readonly StringShape[],
    { spelling, close }: StringNotation,
    constraint: Constraint,
  ): Expression | null {
    const [shape, second] = shapes;
    const { terms } = this.#compilation;
    if (shape === undefined || second !== undefined || shape.language !== terms.everything) return null;
    if (spelling === null) {
      return shape.min === 0 && shape.max === null ? until({ delimiter: close, next: empty }) : null;
    }
    const item = this.#syntax.lenient
      ? this.#rules.remember('lenient character', () => this.#rules.add('json-character', lenientCharacter))
      : spelledCharacter(allCharacters, spelling, this.#rules);
    const max = this.#compilation.countable(shape.max, constraint, 'maxLength');
    return sequence(countedRepeat(item, shape.min, max, this.#rules), literal(close));
  }

  /** Listed strings, which may be long, need no automaton either. */
  #listed(shapes: readonly StringShape[], { spelling, close }: StringNotation): Expression | null {
    if (spelling === null) return null;
    const texts: string[] = [];
    for (const { language, min, max } of shapes) {
      const words = listedWords(language);
      if (words === null) return null;
      this.#rules.charge(words.length);
      for (const word of words) {
        if (/\p{Cs}/u.test(word)) return null;
        if (fitsLength(word, min, max)) texts.push(spelling.text(word) + close);
      }
    }
    return wordTrie(texts);
  }

  /** Long strings of one shape, whose loops are counted if a counter for the whole would be too large. */
  #inLoops(
    shapes: readonly StringShape[],
    { spelling, close }: StringNotation,
    constraint: Constraint,
  ): Expression | null {
    const [shape, second] = shapes;
    const { languages } = this.#compilation;
    if (spelling === null || shape === undefined || second !== undefined) return null;
    const long = unless(BudgetExceeded, () => languages.loops(shape));
    if (long === null) return null;
    const { loops, shorter, complete } = long;
    if (complete < (shape.max ?? 0)) {
      const reason = `the pattern is too large for texts this long: some of more than ${complete} characters are not written`;
      this.#compilation.reportConstraint(constraint, 'maxLength', reason, 'narrowed');
    }
    const end = literal(close);
    const counted = writeCountedLoops(loops, spelling, end, this.#rules, 'string');
    if (shorter === null) return counted;
    return choice(counted, writeAutomaton(shorter, spelling, end, this.#rules, 'string'));
  }

  /** `null` if no string is left. */
  #automaton(
    shapes: readonly StringShape[],
    notation: StringNotation,
    constraint: Constraint,
  ): Expression | null {
    const { terms, languages } = this.#compilation;
    const { spelling, close } = notation;
    const automatonOf = (wanted: readonly StringShape[]) => {
      const [only, second] = wanted;
      if (spelling !== null && only !== undefined && second === undefined) return languages.strings(only);
      const language = terms.or(...wanted.map((shape) => languages.stringTerm(shape)));
      return languages.of(spelling === null ? this.#untilClose(language, close) : language);
    };
    const automaton = this.#compilation.within(constraint, 'string', () =>
      automatonOf(shapes.map((shape) => this.#fitting(shape, constraint))),
    );
    if (automaton === null) return this.#anyText(notation, constraint);
    if (isEmptyAutomaton(automaton)) return null;
    const end = spelling === null ? empty : literal(close);
    return writeAutomaton(automaton, spelling ?? plainSpelling, end, this.#rules, 'string');
  }

  /** `shape` without the strings that are too long for its pattern; reports that. */
  #fitting(shape: StringShape, constraint: Constraint): StringShape {
    const fitting = this.#compilation.languages.fitting(shape);
    if (fitting !== shape) {
      const reason = `the pattern is too large for texts this long: texts of more than ${fitting.max} characters are not written`;
      this.#compilation.reportConstraint(constraint, 'maxLength', reason, 'narrowed');
    }
    return fitting;
  }

  /** Texts of `language`, then the first occurrence of `close`. */
  #untilClose(language: Term, close: string): Term {
    const { terms } = this.#compilation;
    const { everything } = terms;
    const early = terms.sequence(everything, terms.text(close), terms.anyOne, everything);
    return terms.and(terms.sequence(language, terms.text(close)), terms.not(early));
  }
}

/** Maximum number of nested branches; beyond, rules of an automaton are easier on recursive readers. */
const maxDepth = 100;

/** One of `texts`, as a trie of literals in which the next character decides; `null` if they nest too deeply. */
export function wordTrie(texts: readonly string[]): Expression | null {
  const sorted = [...new Set(texts)].sort();
  return sorted.length === 0 ? null : trieOf(sorted, 0, sorted.length, 0, 0);
}

/** The texts of `sorted` from `low` to `high` (exclusive), without their first `from` code units, which are equal. */
function trieOf(
  sorted: readonly string[],
  low: number,
  high: number,
  from: number,
  depth: number,
): Expression | null {
  const first = sorted[low] ?? '';
  const common = commonPrefix(first, sorted[high - 1] ?? '').length;
  const lead = literal(first.slice(from, common));
  if (high - low === 1) return lead;
  if (depth >= maxDepth) return null;
  const branches: Expression[] = [];
  const ends = first.length === common;
  for (let at = ends ? low + 1 : low; at < high; ) {
    const start = at;
    const point = sorted[start]?.codePointAt(common);
    while (at < high && sorted[at]?.codePointAt(common) === point) at += 1;
    const branch = trieOf(sorted, start, at, common, depth + 1);
    if (branch === null) return null;
    branches.push(branch);
  }
  return sequence(lead, choice(...branches, ...(ends ? [empty] : [])));
}
