/** Writes constraints as expressions in a syntax. Equal constraints at equal locations share a rule. */
import { unless } from '../../format/error-class.ts';
import { alternatives, oneOf } from '../../language/expression/alternatives.ts';
import { BudgetExceeded, NoValueLeft } from '../../language/expression/budget.ts';
import { type Expression, empty, literal, sequence } from '../../language/expression/expression.ts';
import type { RuleSet } from '../../language/expression/rule-set.ts';
import type { Automaton } from '../../language/regular/automaton.ts';
import { plainSpelling } from '../../language/regular/spelling.ts';
import { writeAutomaton } from '../../language/regular/write-automaton.ts';
import { saysNothing } from '../document/schema-document.ts';
import { anyInteger, anyNumber } from '../numbers/free-numbers.ts';
import { inexactMultiples, isUnbounded } from '../numbers/number-language.ts';
import { writeObjects } from '../objects/write-objects.ts';
import type { Compilation } from '../plan/compilation.ts';
import type { InstanceLocation } from '../plan/instance-locations.ts';
import { EmptyConstraint } from '../plan/satisfiability.ts';
import type { Constraint } from '../shapes/constraints.ts';
import type {
  ArrayShape,
  NumberShape,
  ObjectShape,
  Shape,
  StringShape,
  ValueType,
} from '../shapes/shapes.ts';
import { writeArray } from './array-writer.ts';
import type { ArrayWriting } from './array-writing.ts';
import { blankOf, emptyFraction, integerTail } from './lenient-json.ts';
import { StringWriter } from './string-writer.ts';
import { indented, type Syntax } from './syntax.ts';

/**
 * Levels with their own indentation; deeper values are indented like the deepest of these. A schema may allow any
 * depth, and each indentation needs its own rules.
 */
const maxIndentation = 6;

/** Writes the values of one compilation. */
export class ValueWriter implements ArrayWriting {
  readonly compilation: Compilation;
  readonly rules: RuleSet;
  readonly syntax: Syntax;
  readonly #key: string;
  readonly #strings: StringWriter;
  #anything: string | null = null;

  /** `key` must be unique among the compilations and syntaxes that write to one rule set. */
  constructor(compilation: Compilation, rules: RuleSet, syntax: Syntax, key: string) {
    this.compilation = compilation;
    this.rules = rules;
    this.syntax = syntax;
    this.#key = key;
    this.#strings = new StringWriter(compilation, rules, syntax);
  }

  /** A value of `constraint`, which must be satisfiable; `margin` is the indentation of its line. */
  value(constraint: Constraint, location: InstanceLocation, hint: string, margin: number): Expression {
    const column = this.syntax.indent === null ? 0 : margin;
    return this.rules.remember(`${this.#key} ${constraint.id} ${location.id} ${column}`, () =>
      this.#value(constraint, location, hint, margin, column),
    );
  }

  #value(
    constraint: Constraint,
    location: InstanceLocation,
    hint: string,
    margin: number,
    column: number,
  ): Expression {
    const scalars = this.#scalars(constraint, location, hint, margin);
    const [only, second] = scalars ?? [];
    if (only !== undefined && second === undefined && isShort(only)) return only;
    const anything = constraint === this.compilation.constraints.anything && this.#isBlank(location);
    // Schemas of one rule set share the rules for unconstrained values.
    const key = anything ? this.#anythingKey() : `${this.#key} ${constraint.id} ${location.id}`;
    const name = anything ? `${this.syntax.name}-value` : hint;
    return this.rules.named(`${key} ${column}`, name, () =>
      alternatives(...(scalars ?? this.#alternatives(constraint, location, name, margin))),
    );
  }

  /** Whether all values look alike here; reports of unwritten parts still need the location. */
  #isBlank({ nodes }: InstanceLocation): boolean {
    if (!this.compilation.openObjects) return nodes.length === 0;
    return nodes.every(({ schema }) => saysNothing(schema));
  }

  /** A value and the text that closes its place in a container. That text also ends strings without a delimiter. */
  closed(
    constraint: Constraint,
    location: InstanceLocation,
    hint: string,
    margin: number,
    close: string,
  ): Expression {
    const { string, alternativeString } = this.syntax;
    const bare = string.spelling === null && string.close === '' && alternativeString === null;
    if (!bare || close === '')
      return sequence(this.value(constraint, location, hint, margin), literal(close));
    return this.rules.named(`${this.#key} ${constraint.id} ${location.id} up to ${close}`, hint, () => {
      const found: Expression[] = [];
      for (const [type, all] of this.compilation.shapes(constraint)) {
        const shapes = this.compilation.satisfiable(all);
        const strings = shapes.filter(isString);
        if (strings.length > 0)
          found.push(...this.#strings.inNotation(strings, { ...string, close }, constraint));
        else
          found.push(
            ...this.ofType(type, shapes, constraint, location, hint, margin).map((each) =>
              sequence(each, literal(close)),
            ),
          );
      }
      return alternatives(...this.#orAnyString(found, constraint, close));
    });
  }

  /** `found`; if no string of `constraint` can be written, any string, with a report. */
  #orAnyString(found: readonly Expression[], constraint: Constraint, close: string): readonly Expression[] {
    if (found.length > 0) return found;
    const strings = this.compilation.shapes(constraint).get('string') ?? [];
    if (this.compilation.satisfiable(strings).length === 0) throw new EmptyConstraint(constraint);
    return [this.#strings.any(constraint, close)];
  }

  #anythingKey(): string {
    this.#anything ??= this.rules.shortKey(
      `anything ${JSON.stringify(this.syntax)} ${this.compilation.openObjects}`,
    );
    return this.#anything;
  }

  /** The alternatives of a constraint without containers, which may need no rule; otherwise `null`. */
  #scalars(
    constraint: Constraint,
    location: InstanceLocation,
    hint: string,
    margin: number,
  ): readonly Expression[] | null {
    const shapes = this.compilation.shapes(constraint);
    return shapes.has('array') || shapes.has('object')
      ? null
      : this.#alternatives(constraint, location, hint, margin);
  }

  /** One alternative per type, or per shape of a container. */
  #alternatives(
    constraint: Constraint,
    location: InstanceLocation,
    hint: string,
    margin: number,
  ): readonly Expression[] {
    const found: Expression[] = [];
    for (const [type, shapes] of this.compilation.shapes(constraint)) {
      found.push(
        ...this.ofType(type, this.compilation.satisfiable(shapes), constraint, location, hint, margin),
      );
    }
    return this.#orAnyString(found, constraint, this.syntax.string.close);
  }

  /** The values of several shapes of one type. */
  ofType(
    type: ValueType,
    shapes: readonly Shape[],
    constraint: Constraint,
    location: InstanceLocation,
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
            constraint,
          ),
        ];
      case 'string':
        return this.#strings.inSyntax(shapes.filter(isString), constraint);
      case 'array':
        return shapes
          .filter((shape) => shape.type === 'array')
          .flatMap((shape) => unlessNone(() => this.#array(shape, location, hint, margin, constraint)));
      case 'object':
        return unlessNone(() =>
          this.#objects(
            shapes.filter((shape) => shape.type === 'object'),
            location,
            hint,
            margin,
          ),
        );
    }
  }

  #booleans(shapes: readonly Shape[]): Expression {
    const values = shapes.flatMap((shape) => (shape.type === 'boolean' ? shape.values : []));
    const words = values.map((value) => (value ? this.syntax.true : this.syntax.false));
    return this.rules.remember(`one of ${words.join()}`, () => oneOf(words));
  }

  #array(
    shape: ArrayShape,
    location: InstanceLocation,
    hint: string,
    margin: number,
    constraint: Constraint,
  ): Expression {
    return writeArray(shape, location, hint, margin, constraint, this);
  }

  /** Indentation inside a container whose own line is indented by `margin`. */
  innerMargin(margin: number): number {
    const step = this.syntax.indent ?? 0;
    return Math.min(margin + step, this.syntax.margin + step * maxIndentation);
  }

  #objects(
    shapes: readonly ObjectShape[],
    location: InstanceLocation,
    hint: string,
    margin: number,
  ): Expression {
    const inner = this.innerMargin(margin);
    const { some, mayBeEmpty } = writeObjects(shapes, location, hint, {
      compilation: this.compilation,
      rules: this.rules,
      object: indented(this.syntax.object, this.syntax.indent, margin),
      blank: blankOf(this.syntax, this.rules),
      value: (constraint, valueLocation, key, close) =>
        this.closed(constraint, valueLocation, key ?? hint, inner, close),
    });
    const none = mayBeEmpty ? [literal(this.syntax.object.empty)] : [];
    return alternatives(...(some === null ? [] : [some]), ...none);
  }

  /** Numbers of any of the shapes. */
  numbers(shapes: readonly NumberShape[], constraint: Constraint): Expression {
    const [only, second] = shapes;
    if (only !== undefined && second === undefined && isUnbounded(only)) {
      if (only.integer === null) return anyNumber(this.rules);
      if (only.integer) return this.#orFraction(anyInteger(this.rules), integerTail);
    }
    const together = this.#numberAutomaton(shapes);
    const automata =
      together === null ? shapes.flatMap((shape) => this.#numbersOf(shape, constraint) ?? []) : [together];
    if (automata.length === 0) {
      this.compilation.reportConstraint(
        constraint,
        'number',
        'its numbers are too many to tell apart',
        'checked',
      );
      return anyNumber(this.rules);
    }
    const written = alternatives(
      ...automata.map((each) => writeAutomaton(each, plainSpelling, empty, this.rules, numberHint(shapes))),
    );
    for (const shape of together === null ? [] : shapes) this.#reportMultiples(shape, constraint);
    const areIntegers = shapes.every(({ integer, only }) => integer === true && only === null);
    return areIntegers ? this.#orFraction(written, emptyFraction) : written;
  }

  #reportMultiples(shape: NumberShape, constraint: Constraint): void {
    const inexact = inexactMultiples(shape);
    if (inexact === null) return;
    const { digits } = inexact;
    const [reason, effect] =
      digits === null
        ? ([
            'numbers of more than 15 digits are rounded where JSON is read, perhaps to other ones',
            'noted',
          ] as const)
        : ([`only numbers of at most ${digits} digits before the point are written`, 'narrowed'] as const);
    this.compilation.reportConstraint(constraint, 'multipleOf', reason, effect);
  }

  /** Integers, with `.0` if the syntax allows other spellings. */
  #orFraction(integers: Expression, fraction: Expression): Expression {
    return this.syntax.lenient ? sequence(integers, fraction) : integers;
  }

  /** `null` if it would be too large. */
  #numberAutomaton(shapes: readonly NumberShape[]): Automaton | null {
    return unless(BudgetExceeded, () => this.compilation.languages.numbers(shapes));
  }

  /** The numbers of a shape, or the first of them (with a report); `null` if none is found. */
  #numbersOf(shape: NumberShape, constraint: Constraint): Automaton | null {
    const automaton = this.#numberAutomaton([shape]);
    if (automaton !== null) return automaton;
    const listed = this.compilation.languages.listed(shape);
    if (listed.values.length === 0) return null;
    if (!listed.complete) {
      const reason = `too large for an automaton: only the ${listed.values.length} values nearest to zero are written`;
      this.compilation.reportConstraint(constraint, 'multipleOf', reason, 'narrowed');
    }
    return this.#numberAutomaton([{ ...shape, only: listed.values }]);
  }
}

/** The result of `write`; nothing if no value can be written. */
function unlessNone(write: () => Expression): readonly Expression[] {
  return unless(NoValueLeft, () => [write()]) ?? [];
}

function isString(shape: Shape): shape is StringShape {
  return shape.type === 'string';
}

function numberHint(shapes: readonly NumberShape[]): string {
  return shapes.every((shape) => shape.integer === true) ? 'integer' : 'number';
}

/** Maximum number of iterations of an inlined value: the engine expands every iteration. */
const fewIterations = 32;

/** Whether inlining a value costs the engine no more than a rule would. */
function isShort(expression: Expression): boolean {
  if (expression.type === 'rule') return true;
  if (expression.type === 'choice' && expression.alternatives.length > 8) return false;
  return iterations(expression) <= fewIterations && JSON.stringify(expression).length < 200;
}

/** Iterations that the engine expands for the repetitions in `expression`. */
function iterations(expression: Expression): number {
  switch (expression.type) {
    case 'repeat':
      return Math.max(1, expression.max ?? expression.min) * Math.max(1, iterations(expression.item));
    case 'sequence':
      return expression.items.reduce((sum, item) => sum + iterations(item), 0);
    case 'choice':
      return expression.alternatives.reduce((sum, each) => sum + iterations(each), 0);
    default:
      return 0;
  }
}
