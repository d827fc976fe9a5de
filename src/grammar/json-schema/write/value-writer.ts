/** States as expressions in a syntax. Equal states at equal places become one rule. */
import { alternatives, oneOf } from '../../expression/alternatives.ts';
import { BudgetExceeded, DeadEnd } from '../../expression/budget.ts';
import { type Expression, empty, literal, sequence } from '../../expression/expression.ts';
import type { RuleSet } from '../../expression/rule-set.ts';
import type { Automaton } from '../../regular/automaton.ts';
import { plainSpelling } from '../../regular/spelling.ts';
import { writeAutomaton } from '../../regular/write-automaton.ts';
import { saysNothing } from '../document/schema-document.ts';
import { anyInteger, anyNumber } from '../numbers/free-numbers.ts';
import { isUnbounded } from '../numbers/number-language.ts';
import { writeObject } from '../objects/object-writer.ts';
import type { Compilation } from '../plan/compilation.ts';
import type { Place } from '../plan/places.ts';
import type {
  ArrayShape,
  NumberShape,
  ObjectShape,
  Shape,
  StringShape,
  ValueType,
} from '../shapes/shapes.ts';
import type { State } from '../shapes/states.ts';
import { writeArray } from './array-writer.ts';
import { blankOf, emptyFraction, integerTail } from './lenient-json.ts';
import { StringWriter } from './string-writer.ts';
import { indented, type Syntax } from './syntax.ts';

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
  readonly #strings: StringWriter;
  #anything: string | null = null;

  /** `key` is different for different compilations and syntaxes that write into the same rules. */
  constructor(compilation: Compilation, rules: RuleSet, syntax: Syntax, key: string) {
    this.compilation = compilation;
    this.rules = rules;
    this.syntax = syntax;
    this.#key = key;
    this.#strings = new StringWriter(compilation, rules, syntax);
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
    return this.rules.named(`${key} ${column}`, anything ? 'json-value' : hint, () =>
      alternatives(...(scalars ?? this.#alternatives(state, place, anything ? 'json-value' : hint, margin))),
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
        const strings = shapes.filter(isString);
        if (strings.length > 0) found.push(...this.#strings.inNotation(strings, { ...string, close }, state));
        else
          found.push(
            ...this.ofType(type, shapes, state, place, hint, margin).map((each) =>
              sequence(each, literal(close)),
            ),
          );
      }
      return alternatives(...this.#orAnyString(found, state, close));
    });
  }

  /** `found`; where that is nothing because no string of `state` can be written, any string, with a report. */
  #orAnyString(found: readonly Expression[], state: State, close: string): readonly Expression[] {
    if (found.length > 0) return found;
    const strings = this.compilation.shapes(state).get('string') ?? [];
    if (this.compilation.productive(strings).length === 0) throw new BudgetExceeded('conditions');
    return [this.#strings.any(state, close)];
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
    return this.#orAnyString(found, state, this.syntax.string.close);
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
        return this.#strings.inSyntax(shapes.filter(isString), state);
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
      blank: blankOf(this.syntax, this.rules),
      value: (state, valuePlace, key, close) => this.closed(state, valuePlace, key ?? hint, inner, close),
    });
    const none = mayBeEmpty ? [literal(this.syntax.object.empty)] : [];
    return alternatives(...(some === null ? [] : [some]), ...none);
  }

  /** Numbers of any of the shapes. */
  numbers(shapes: readonly NumberShape[], state: State): Expression {
    const [only, second] = shapes;
    if (only !== undefined && second === undefined && isUnbounded(only)) {
      if (only.integer === null) return anyNumber(this.rules);
      if (only.integer) return this.#orFraction(anyInteger(this.rules), integerTail);
    }
    const together = this.#numberAutomaton(shapes);
    const automata =
      together === null ? shapes.flatMap((shape) => this.#numbersOf(shape, state) ?? []) : [together];
    if (automata.length === 0) {
      this.compilation.reportState(state, 'number', 'its numbers are too many to tell apart', 'checked');
      return anyNumber(this.rules);
    }
    const written = alternatives(
      ...automata.map((each) => writeAutomaton(each, plainSpelling, empty, this.rules, numberHint(shapes))),
    );
    const areIntegers = shapes.every(({ integer, only }) => integer === true && only === null);
    return areIntegers ? this.#orFraction(written, emptyFraction) : written;
  }

  /** Integers, with `.0` where the syntax allows other spellings of them. */
  #orFraction(integers: Expression, fraction: Expression): Expression {
    return this.syntax.lenient ? sequence(integers, fraction) : integers;
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
    const listed = this.compilation.languages.listed(shape);
    if (listed.values.length === 0) return null;
    if (!listed.complete) {
      const reason = `too large for an automaton: only the ${listed.values.length} values nearest to zero are written`;
      this.compilation.reportState(state, 'multipleOf', reason, 'narrowed');
    }
    return this.#numberAutomaton([{ ...shape, only: listed.values }]);
  }
}

function isString(shape: Shape): shape is StringShape {
  return shape.type === 'string';
}

function numberHint(shapes: readonly NumberShape[]): string {
  return shapes.every((shape) => shape.integer === true) ? 'integer' : 'number';
}

/** Rounds of a repetition up to which a value is written where it stands: the engine writes out every round. */
const fewRounds = 32;

/** Whether a value costs the engine no more where it stands than a rule of its own would. */
function isShort(expression: Expression): boolean {
  if (expression.type === 'rule') return true;
  if (expression.type === 'choice' && expression.alternatives.length > 8) return false;
  return rounds(expression) <= fewRounds && JSON.stringify(expression).length < 200;
}

/** The rounds that the engine writes out for the repetitions in `expression`. */
function rounds(expression: Expression): number {
  switch (expression.type) {
    case 'repeat':
      return Math.max(1, expression.max ?? expression.min) * Math.max(1, rounds(expression.item));
    case 'sequence':
      return expression.items.reduce((sum, item) => sum + rounds(item), 0);
    case 'choice':
      return expression.alternatives.reduce((sum, each) => sum + rounds(each), 0);
    default:
      return 0;
  }
}
