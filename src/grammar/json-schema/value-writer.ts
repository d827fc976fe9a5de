/** States as expressions in a syntax. Equal states at equal places become one rule. */
import { alternatives } from '../alternatives.ts';
import { type Expression, empty, literal, oneOf, sequence, until } from '../expression.ts';
import { type Automaton, isEmptyAutomaton } from '../regular/automaton.ts';
import { BudgetExceeded, DeadEnd } from '../regular/budget.ts';
import { allCharacters } from '../regular/character-set.ts';
import { countedRepeat } from '../regular/counted.ts';
import { plainSpelling } from '../regular/spelling.ts';
import { listedWords, type Term } from '../regular/terms.ts';
import { writeAutomaton } from '../regular/write-automaton.ts';
import { spelledCharacter } from '../regular/write-characters.ts';
import { writeArray } from './array-writer.ts';
import type { Compilation } from './compilation.ts';
import { numbersNearZero } from './number-values.ts';
import { writeObject } from './object-writer.ts';
import type { Place } from './places.ts';
import type { RuleSet } from './rule-set.ts';
import { saysNothing } from './schema-document.ts';
import {
  type ArrayShape,
  fitsRange,
  type NumberShape,
  type ObjectShape,
  type Shape,
  type StringShape,
  type ValueType,
} from './shapes.ts';
import type { State } from './states.ts';
import type { StringNotation, Syntax } from './syntax.ts';
import { wordTrie } from './word-trie.ts';

/**
 * Levels that are written with indentation of their own; values inside of deeper ones are indented like these.
 * A schema may allow values of any depth, and each indentation has rules of its own.
 */
const deepestIndentation = 6;

/** Writes the values of one compilation. */
export class ValueWriter {
  readonly compilation: Compilation;
  readonly rules: RuleSet;
  readonly syntax: Syntax;
  readonly #key: string;
  #anything: string | null = null;

  /** `key` is different for different compilations and syntaxes that write into the same rules. */
  constructor(compilation: Compilation, rules: RuleSet, syntax: Syntax, key: string) {
    this.compilation = compilation;
    this.rules = rules;
    this.syntax = syntax;
    this.#key = key;
  }

  /** A value of `state`, which is productive; `margin` is the indentation of its line. */
  value(state: State, place: Place, hint: string, margin: number): Expression {
    const column = this.syntax.indent === null ? 0 : margin;
    return this.rules.remember(`${this.#key} ${state.id} ${place.id} ${column}`, () =>
      this.#value(state, place, hint, margin, column),
    );
  }

  #value(state: State, place: Place, hint: string, margin: number, column: number): Expression {
    const scalars = this.#scalars(state, place, hint, margin);
    const [only, second] = scalars ?? [];
    if (only !== undefined && second === undefined && isShort(only)) return only;
    const anything = state === this.compilation.states.anything && this.#isBlank(place);
    // Schemas of one rule set share the rules for any value at all.
    const key = anything ? this.#anythingKey() : `${this.#key} ${state.id} ${place.id}`;
    return this.rules.named(`${key} ${column}`, anything ? 'anything' : hint, () =>
      alternatives(...(scalars ?? this.#alternatives(state, place, anything ? 'anything' : hint, margin))),
    );
  }

  /** Whether all values look alike there; a report of what is not written needs the place, though. */
  #isBlank({ nodes }: Place): boolean {
    if (!this.compilation.openObjects) return nodes.length === 0;
    return nodes.every(({ schema }) => saysNothing(schema));
  }

  /**
   * A value and the text that closes its place in a container. Where nothing of their own ends strings, that
   * text does.
   */
  closed(state: State, place: Place, hint: string, margin: number, close: string): Expression {
    const { string, alternativeString } = this.syntax;
    const bare = string.spelling === null && string.close === '' && alternativeString === null;
    if (!bare || close === '') return sequence(this.value(state, place, hint, margin), literal(close));
    return this.rules.named(`${this.#key} ${state.id} ${place.id} up to ${close}`, hint, () => {
      const found: Expression[] = [];
      for (const [type, all] of this.compilation.shapes(state)) {
        const shapes = this.compilation.productive(all);
        const strings = shapes.filter((shape): shape is StringShape => shape.type === 'string');
        if (strings.length > 0) found.push(this.string(strings, { ...string, close }, state));
        else
          found.push(
            ...this.ofType(type, shapes, state, place, hint, margin).map((each) =>
              sequence(each, literal(close)),
            ),
          );
      }
      if (found.length === 0) throw new BudgetExceeded('conditions');
      return alternatives(...found);
    });
  }

  #anythingKey(): string {
    this.#anything ??= this.rules.shortKey(
      `anything ${JSON.stringify(this.syntax)} ${this.compilation.openObjects}`,
    );
    return this.#anything;
  }

  /** The alternatives of a state without containers, which may need no rule; else `null`. */
  #scalars(state: State, place: Place, hint: string, margin: number): readonly Expression[] | null {
    const shapes = this.compilation.shapes(state);
    return shapes.has('array') || shapes.has('object')
      ? null
      : this.#alternatives(state, place, hint, margin);
  }

  /** One expression per type, or per shape of a container. */
  #alternatives(state: State, place: Place, hint: string, margin: number): readonly Expression[] {
    const found: Expression[] = [];
    for (const [type, shapes] of this.compilation.shapes(state)) {
      found.push(...this.ofType(type, this.compilation.productive(shapes), state, place, hint, margin));
    }
    if (found.length === 0) throw new BudgetExceeded('conditions');
    return found;
  }

  /** The values of some shapes of one type. */
  ofType(
    type: ValueType,
    shapes: readonly Shape[],
    state: State,
    place: Place,
    hint: string,
    margin: number,
  ): readonly Expression[] {
    if (shapes.length === 0) return [];
    switch (type) {
      case 'null':
        return [literal(this.syntax.null)];
      case 'boolean':
        return [this.#booleans(shapes)];
      case 'number':
        return [
          this.numbers(
            shapes.filter((shape): shape is NumberShape => shape.type === 'number'),
            state,
          ),
        ];
      case 'string':
        return this.strings(
          shapes.filter((shape): shape is StringShape => shape.type === 'string'),
          state,
        );
      case 'array':
      case 'object':
        return shapes.flatMap((shape) => this.#container(shape, place, hint, margin, state));
    }
  }

  #container(shape: Shape, place: Place, hint: string, margin: number, state: State): readonly Expression[] {
    try {
      if (shape.type === 'array') return [this.#array(shape, place, hint, margin, state)];
      return shape.type === 'object' ? [this.#object(shape, place, hint, margin)] : [];
    } catch (error) {
      if (error instanceof DeadEnd) return [];
      throw error;
    }
  }

  #booleans(shapes: readonly Shape[]): Expression {
    const values = shapes.flatMap((shape) => (shape.type === 'boolean' ? shape.values : []));
    const words = values.map((value) => (value ? this.syntax.true : this.syntax.false));
    return this.rules.remember(`one of ${words.join()}`, () => oneOf(words));
  }

  #array(shape: ArrayShape, place: Place, hint: string, margin: number, state: State): Expression {
    return writeArray(shape, place, hint, margin, state, this);
  }

  /** Indentation of what stands inside a container whose own line is indented by `margin`. */
  innerMargin(margin: number): number {
    const step = this.syntax.indent ?? 0;
    return Math.min(margin + step, this.syntax.margin + step * deepestIndentation);
  }

  #object(shape: ObjectShape, place: Place, hint: string, margin: number): Expression {
    const inner = this.innerMargin(margin);
    const { some, mayBeEmpty } = writeObject(shape, place, hint, {
      compilation: this.compilation,
      rules: this.rules,
      object: indented(this.syntax.object, this.syntax.indent, margin),
      value: (state, valuePlace, key, close) => this.closed(state, valuePlace, key ?? hint, inner, close),
    });
    const none = mayBeEmpty ? [literal(this.syntax.object.empty)] : [];
    return alternatives(...(some === null ? [] : [some]), ...none);
  }

  /** Numbers of any of the shapes. */
  numbers(shapes: readonly NumberShape[], state: State): Expression {
    const together = this.#numberAutomaton(shapes);
    const automata =
      together === null ? shapes.flatMap((shape) => this.#numbersOf(shape, state) ?? []) : [together];
    if (automata.length === 0) {
      this.compilation.reportState(
        state,
        'number',
        'its numbers are too many to tell apart; it is not enforced',
      );
      automata.push(this.compilation.languages.numbers([anyNumber]));
    }
    return alternatives(
      ...automata.map((each) => writeAutomaton(each, plainSpelling, empty, this.rules, numberHint(shapes))),
    );
  }

  /** `null` where it would be too large. */
  #numberAutomaton(shapes: readonly NumberShape[]): Automaton | null {
    try {
      return this.compilation.languages.numbers(shapes);
    } catch (error) {
      if (error instanceof BudgetExceeded) return null;
      throw error;
    }
  }

  /** The numbers of a shape, or the first of them (with a report); `null` where none is found. */
  #numbersOf(shape: NumberShape, state: State): Automaton | null {
    const automaton = this.#numberAutomaton([shape]);
    if (automaton !== null) return automaton;
    const listed = numbersNearZero(shape);
    if (listed.values.length === 0) return null;
    if (!listed.complete) {
      const reason = `too large for an automaton: only the ${listed.values.length} values nearest to zero are written`;
      this.compilation.reportState(state, 'multipleOf', reason, 'narrowed');
    }
    return this.#numberAutomaton([{ ...shape, only: listed.values }]);
  }

  /** Strings of any of the shapes, in the notations that the syntax has for strings. */
  strings(shapes: readonly StringShape[], state: State): readonly Expression[] {
    const { terms } = this.compilation;
    const { string, alternativeString } = this.syntax;
    if (alternativeString === null) return [this.string(shapes, string, state)];
    const holdsOne = terms.or(
      ...alternativeString.when.map((text) =>
        terms.sequence(terms.everything, terms.text(text), terms.everything),
      ),
    );
    const among = (language: Term) =>
      this.compilation.productive(
        shapes.map((shape): Shape => ({ ...shape, language: terms.and(shape.language, language) })),
      );
    const restricted = (notation: StringNotation, language: Term): readonly Expression[] => {
      const left = among(language).filter((shape): shape is StringShape => shape.type === 'string');
      return left.length === 0 ? [] : [this.string(left, notation, state)];
    };
    if (alternativeString.spelling !== null) {
      // Both notations can hold any string; the first is kept simple.
      return [this.string(shapes, string, state), ...restricted(alternativeString, holdsOne)];
    }
    return [...restricted(string, terms.not(holdsOne)), ...restricted(alternativeString, holdsOne)];
  }

  /** Strings of any of the shapes in one notation, with what opens and closes them. */
  string(shapes: readonly StringShape[], notation: StringNotation, state: State): Expression {
    const open = literal(notation.open);
    const text =
      this.#plainString(shapes, notation, state) ??
      this.#listedStrings(shapes, notation) ??
      this.#stringAutomaton(shapes, notation, state);
    return sequence(open, text);
  }

  /** Strings that only their length restricts need no automaton. */
  #plainString(
    shapes: readonly StringShape[],
    { spelling, close }: StringNotation,
    state: State,
  ): Expression | null {
    const [shape, second] = shapes;
    const { terms } = this.compilation;
    if (shape === undefined || second !== undefined || shape.language !== terms.everything) return null;
    if (spelling === null) {
      return shape.min === 0 && shape.max === null ? until({ delimiter: close, next: empty }) : null;
    }
    const item = spelledCharacter(allCharacters, spelling, this.rules);
    const max = this.compilation.countable(shape.max, state, 'maxLength');
    return sequence(countedRepeat(item, shape.min, max, this.rules), literal(close));
  }

  /** Strings out of lists, which may be long, need none either. */
  #listedStrings(shapes: readonly StringShape[], { spelling, close }: StringNotation): Expression | null {
    if (spelling === null) return null;
    const texts: string[] = [];
    for (const { language, min, max } of shapes) {
      const words = listedWords(language);
      if (words === null) return null;
      this.rules.charge(words.length);
      for (const word of words) {
        if (/\p{Cs}/u.test(word)) return null;
        if (fitsRange(Array.from(word).length, min, max)) texts.push(spelling.text(word) + close);
      }
    }
    return wordTrie(texts);
  }

  #stringAutomaton(
    shapes: readonly StringShape[],
    { spelling, close }: StringNotation,
    state: State,
  ): Expression {
    const { terms, languages } = this.compilation;
    const automatonOf = (wanted: readonly StringShape[]) => {
      const [only, second] = wanted;
      if (spelling !== null && only !== undefined && second === undefined) return languages.strings(only);
      const language = terms.or(...wanted.map((shape) => languages.stringTerm(shape)));
      return languages.of(spelling === null ? this.untilClose(language, close) : language);
    };
    const automaton = this.compilation.within(state, 'string', () =>
      automatonOf(shapes.map((shape) => this.#fitting(shape, state))),
    );
    if (automaton === null || isEmptyAutomaton(automaton)) {
      return (
        this.#plainString(
          [{ type: 'string', language: terms.everything, min: 0, max: null }],
          { open: '', spelling, close },
          state,
        ) ?? empty
      );
    }
    const end = spelling === null ? empty : literal(close);
    return writeAutomaton(automaton, spelling ?? plainSpelling, end, this.rules, 'string');
  }

  /** `shape` without the texts that are too long for its pattern; says so. */
  #fitting(shape: StringShape, state: State): StringShape {
    const fitting = this.compilation.languages.fitting(shape);
    if (fitting !== shape) {
      const reason = `a pattern with so long texts is too large: texts of more than ${fitting.max} characters are not written`;
      this.compilation.reportState(state, 'maxLength', reason, 'narrowed');
    }
    return fitting;
  }

  /** Texts of `language` and then `close`, in which no earlier `close` stands. */
  untilClose(language: Term, close: string): Term {
    const { terms } = this.compilation;
    const { everything } = terms;
    const early = terms.sequence(everything, terms.text(close), terms.anyOne, everything);
    return terms.and(terms.sequence(language, terms.text(close)), terms.not(early));
  }
}

const anyNumber: NumberShape = {
  type: 'number',
  integer: null,
  min: null,
  max: null,
  multiples: [],
  only: null,
  excluded: [],
};

function numberHint(shapes: readonly NumberShape[]): string {
  return shapes.every((shape) => shape.integer === true) ? 'integer' : 'number';
}

function isShort(expression: Expression): boolean {
  if (expression.type === 'rule') return true;
  if (expression.type === 'choice' && expression.alternatives.length > 8) return false;
  return JSON.stringify(expression).length < 200;
}

/** The notation of objects and arrays with line breaks, where values are pretty-printed. */
export function indented<T extends { open: string; close: string; separator: string }>(
  notation: T,
  indent: number | null,
  margin: number,
): T {
  if (indent === null) return notation;
  const line = (width: number) => `\n${' '.repeat(width)}`;
  return {
    ...notation,
    open: notation.open + line(margin + indent),
    separator: notation.separator + line(margin + indent),
    close: line(margin) + notation.close,
  };
}
