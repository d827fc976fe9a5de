/** Values of arguments written as entries: each JSON type in its own frame, strings often raw. */
import type { EntryArguments, JsonType, ValueFrame } from '../../format/argument-notation.ts';
import { ToolError } from '../../format/errors.ts';
import { alternatives } from '../../language/expression/alternatives.ts';
import { BudgetExceeded } from '../../language/expression/budget.ts';
import { type Expression, empty, literal, sequence } from '../../language/expression/expression.ts';
import type { RuleSet } from '../../language/expression/rule-set.ts';
import { isEmptyAutomaton } from '../../language/regular/automaton.ts';
import { plainSpelling } from '../../language/regular/spelling.ts';
import type { Term } from '../../language/regular/terms.ts';
import { writeAutomaton } from '../../language/regular/write-automaton.ts';
import type { Compilation } from '../plan/compilation.ts';
import type { InstanceLocation } from '../plan/instance-locations.ts';
import type { Constraint } from '../shapes/constraints.ts';
import type { NumberShape, Shape, StringShape, ValueType } from '../shapes/shapes.ts';
import { anyTextUpTo } from './any-text.ts';
import { escapedSyntax, jsonStyleSyntax, nestedSyntax, pythonSyntax, type Syntax } from './syntax.ts';
import { reportUnwritten } from './unwritten-texts.ts';
import { ValueWriter } from './value-writer.ts';

/** Writes the values of one tool's entries. */
export class EntryValueWriter {
  readonly #format: EntryArguments;
  readonly #tool: string;
  readonly #compilation: Compilation;
  readonly #rules: RuleSet;
  readonly #writers = new Map<ValueFrame['codec'], ValueWriter>();
  /** Texts that may follow an entry. */
  readonly #followers: readonly string[];

  constructor(
    format: EntryArguments,
    tool: string,
    compilation: Compilation,
    rules: RuleSet,
    followedBy: string,
  ) {
    this.#format = format;
    this.#followers = [format.separator + format.entry.open, format.close + followedBy];
    this.#tool = tool;
    this.#compilation = compilation;
    this.#rules = rules;
  }

  /** Whether any value of `constraint` can be written; false if all are texts that contain what ends them. */
  canWrite(constraint: Constraint, close: string): boolean {
    const texts: Term[] = [];
    for (const [type, all] of this.#compilation.shapes(constraint)) {
      const shapes = this.#compilation.satisfiable(all);
      if (shapes.length === 0 || this.#format.frames[type].codec === 'absent') continue;
      if (!this.#isText(type)) return true;
      texts.push(...shapes.map((shape) => this.#text(shape)));
    }
    const raw = this.#compilation.terms.or(...texts);
    return this.#framesOfTexts().some(([frame, part]) => this.#holdsAny(raw, part, frame.close + close));
  }

  /** Whether any of `texts` in `part` can be written before `end`. */
  #holdsAny(texts: Term, part: Term, end: string): boolean {
    const { terms, languages } = this.#compilation;
    if (texts === terms.everything) return true;
    try {
      return !isEmptyAutomaton(languages.of(this.#endingOnce(terms.and(texts, part), end)));
    } catch (error) {
      if (error instanceof BudgetExceeded) return true;
      throw error;
    }
  }

  /**
   * `null` in its frame, then `close`, in place of a value of one of `types`; `null` if that would be the text of a
   * string.
   */
  absent(types: ReadonlySet<JsonType>, close: string): Expression | null {
    const frame = this.#format.frames.null;
    if (frame.codec === 'absent' || (types.has('string') && this.#isText('null'))) return null;
    const words = this.#codecs('null').map((codec) => this.#writer(codec).syntax.null);
    return alternatives(...words.map((word) => literal(frame.open + word + frame.close + close)));
  }

  /** A value of `constraint` in its frame, then `close`. */
  value(constraint: Constraint, location: InstanceLocation, key: string | null, close: string): Expression {
    const options: Expression[] = [];
    let raw: Term = this.#compilation.terms.nothing;
    for (const [type, all] of this.#compilation.shapes(constraint)) {
      const shapes = this.#compilation.satisfiable(all);
      const frame = this.#format.frames[type];
      if (shapes.length === 0) continue;
      if (frame.codec === 'absent') {
        this.#compilation.reportConstraint(
          constraint,
          'type',
          `the format does not write values of type ${type}`,
          'narrowed',
        );
      } else if (this.#isText(type)) {
        raw = this.#compilation.terms.or(raw, ...shapes.map((shape) => this.#text(shape)));
      } else {
        options.push(
          ...this.#typed(type, shapes).flatMap(([own, of]) =>
            this.#framed(own, type, of, constraint, location, key, close),
          ),
        );
      }
    }
    if (raw !== this.#compilation.terms.nothing) options.push(...this.#raw(raw, constraint, close));
    if (options.length === 0) {
      throw new ToolError({
        tool: this.#tool,
        reason: `this format cannot write the argument ${JSON.stringify(key)}`,
      });
    }
    const written = alternatives(...options);
    // Values of undeclared keys are needed repeatedly, so they become a rule.
    return key === null && written.type === 'choice' ? this.#rules.add('argument-value', written) : written;
  }

  /** Whether values of `type` are scalars in the frame of raw strings, so that only their text distinguishes them. */
  #isText(type: ValueType): boolean {
    const { string } = this.#format.frames;
    if (string.codec !== 'raw') return false;
    if (type === 'string') return true;
    if (type === 'array' || type === 'object') return false;
    const frame = this.#format.frames[type];
    return frame.open === string.open && frame.close === string.close;
  }

  #text(shape: Shape): Term {
    const { terms, languages } = this.#compilation;
    switch (shape.type) {
      case 'string':
        return languages.stringTerm(shape);
      case 'number':
        return languages.numberTerm(shape);
      case 'boolean':
        return terms.words(
          shape.values.flatMap((value) =>
            this.#codecs('boolean').map((codec) => this.#writer(codec).syntax[value ? 'true' : 'false']),
          ),
        );
      case 'null':
        return terms.words(this.#codecs('null').map((codec) => this.#writer(codec).syntax.null));
      default:
        return terms.nothing;
    }
  }

  /**
   * How values of `type` are spelled. Where strings have no quotes, a template that prints Python's words and containers
   * shows how it was given them, not how the model writes them: JSON is as likely. Where words or strings are Python's,
   * so may be what the template writes as JSON.
   */
  #codecs(type: JsonType): readonly ValueFrame['codec'][] {
    const { [type]: frame, string, boolean } = this.#format.frames;
    if (type === 'number' || type === 'string') return [frame.codec];
    if (frame.codec === 'python') return string.codec === 'python' ? ['python'] : ['python', 'json'];
    const isMixed = string.codec === 'python' || boolean.codec === 'python';
    return frame.codec === 'json' && isMixed ? ['json', 'python'] : [frame.codec];
  }

  /** The writer for a codec. */
  #writer(codec: ValueFrame['codec']): ValueWriter {
    const found = this.#writers.get(codec);
    if (found !== undefined) return found;
    const writer = new ValueWriter(
      this.#compilation,
      this.#rules,
      this.#syntax(codec),
      this.#rules.freshKey(codec),
    );
    this.#writers.set(codec, writer);
    return writer;
  }

  #syntax(codec: ValueFrame['codec']): Syntax {
    const { style, nested } = this.#format;
    const json = jsonStyleSyntax(style);
    if (codec === 'python') return pythonSyntax;
    if (codec === 'escaped') return escapedSyntax(this.#format.frames.string, json);
    return codec === 'nested' && nested !== null ? nestedSyntax(nested, this.#format, json) : json;
  }

  /** The frames for values of `type`, with the shapes written in each. */
  #typed(type: ValueType, shapes: readonly Shape[]): readonly (readonly [ValueFrame, readonly Shape[]])[] {
    const { frames, integer } = this.#format;
    if (type !== 'number' || integer === undefined) return [[frames[type], shapes]];
    const numbers = shapes.filter(isNumber);
    const whole = numbers.filter((shape) => shape.integer !== false).map(asInteger);
    const others = numbers.filter((shape) => shape.integer !== true);
    const split = [
      [integer, this.#compilation.satisfiable(whole)],
      [frames.number, others],
    ] as const;
    return split.filter(([, of]) => of.length > 0);
  }

  #framed(
    frame: ValueFrame,
    type: ValueType,
    shapes: readonly Shape[],
    constraint: Constraint,
    location: InstanceLocation,
    key: string | null,
    close: string,
  ): readonly Expression[] {
    return this.#codecs(type).flatMap((codec) => {
      const writer = this.#writer(codec);
      return writer
        .ofType(type, shapes, constraint, location, key ?? 'value', writer.syntax.margin)
        .map((value) => sequence(literal(frame.open), value, literal(frame.close + close)));
    });
  }

  /** Texts in the string frame, up to its end; those it cannot hold go in the other frame. */
  #raw(texts: Term, constraint: Constraint, close: string): readonly Expression[] {
    return this.#framesOfTexts().flatMap(([frame, part]) =>
      this.#untilEnd(frame, texts, part, constraint, close),
    );
  }

  /** The frames for raw texts, with the texts written in each. */
  #framesOfTexts(): readonly (readonly [ValueFrame, Term])[] {
    const { terms } = this.#compilation;
    const { string } = this.#format.frames;
    const other = this.#format.alternativeString;
    if (other === null) return [[string, terms.everything]];
    const special = terms.or(
      ...(other.when ?? []).map((text) =>
        terms.sequence(terms.everything, terms.text(text), terms.everything),
      ),
    );
    return [
      [string, terms.not(special)],
      [other, special],
    ];
  }

  /** Those of `all` that are in `part`, written in `frame`. */
  #untilEnd(
    frame: ValueFrame,
    all: Term,
    part: Term,
    constraint: Constraint,
    close: string,
  ): readonly Expression[] {
    const { terms, languages } = this.#compilation;
    const texts = terms.and(all, part);
    const end = frame.close + close;
    if (end === '')
      throw new ToolError({ tool: this.#tool, reason: 'nothing ends the raw values of this format' });
    const strings = (this.#compilation.shapes(constraint).get('string') ?? []).filter(isString);
    const own = strings.filter(({ language }) => language !== terms.everything);
    const written = own.map((shape) => ({ ...shape, language: terms.and(shape.language, part) }));
    reportUnwritten(this.#compilation, constraint, written, end.trim());
    const open = literal(frame.open);
    if (texts === terms.everything) return [sequence(open, anyTextUpTo(end, this.#followers))];
    const automaton =
      this.#compilation.within(constraint, 'string', () => languages.of(this.#endingOnce(texts, end))) ??
      languages.of(this.#endingOnce(terms.everything, end));
    if (isEmptyAutomaton(automaton)) return [];
    return [sequence(open, writeAutomaton(automaton, plainSpelling, empty, this.#rules, 'text'))];
  }

  /** `texts`, then the first occurrence of `end`'s marker (`end` without surrounding white space). */
  #endingOnce(texts: Term, end: string): Term {
    const { terms } = this.#compilation;
    const marker = end.trim() === '' ? end : end.trim();
    const after = Array.from(end.slice(end.indexOf(marker) + marker.length)).length;
    const early = terms.sequence(
      terms.everything,
      terms.text(marker),
      terms.loop(terms.anyOne, after + 1, null),
    );
    return terms.and(terms.sequence(texts, terms.text(end)), terms.not(early));
  }
}

function isNumber(shape: Shape): shape is NumberShape {
  return shape.type === 'number';
}

function asInteger(shape: NumberShape): NumberShape {
  return { ...shape, integer: true };
}

function isString(shape: Shape): shape is StringShape {
  return shape.type === 'string';
}
