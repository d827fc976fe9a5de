/**
 * Writes one object shape as an expression. Keys come in a fixed order, declared ones first. What may follow depends on
 * the position and, if a shape counts properties, on the counts. Positions share rules, so the size is linear in the
 * number of optional properties.
 */
import { alternatives } from '../../language/expression/alternatives.ts';
import { BudgetExceeded, NoValueLeft } from '../../language/expression/budget.ts';
import { choice, type Expression, literal, sequence } from '../../language/expression/expression.ts';
import type { InstanceLocation } from '../plan/instance-locations.ts';
import {
  type KeyClass,
  type ObjectPlan,
  type PlannedKey,
  planObject,
  stepsForKeys,
} from '../plan/object-plan.ts';
import type { Constraint } from '../shapes/constraints.ts';
import type { ObjectShape } from '../shapes/shapes.ts';
import type { ObjectNotation } from '../write/syntax.ts';
import { KeyAutomatonWriter } from './key-automaton-writer.ts';
import { forbiddenInKeys, holdsAny } from './key-exits.ts';
import type { KeyOrder } from './key-order.ts';
import { AnyOrder, LaterOrder } from './key-order.ts';
import { KeyTrie, type KeyWriter } from './key-trie.ts';
import { metRules } from './met-rules.ts';
import {
  type ReportedObject,
  reportAt,
  reportClosed,
  reportDuplicateKeys,
  reportNeverWritten,
  reportSortedKeys,
  reportUnwritable,
} from './object-reports.ts';
import type { ObjectWriting, WrittenObject } from './object-writing.ts';
import { noneBegun, type Pending, PendingClauses } from './pending-clauses.ts';

/** The constraint for the value of a key, and the progress after it. */
type PropertyStep = readonly [Constraint, Progress];

/** How far an object has been written. */
interface Progress {
  /** Declared keys before this position can no longer come. */
  readonly position: number;
  /** With keys in any order, what has come from this position on (`AnyOrder`). */
  readonly used: number;
  /** Number of properties, as far as the shape counts them. */
  readonly count: number;
  /** Bit set of the `some` rules that are met, of which there may be more than a number has bits. */
  readonly met: bigint;
  readonly pending: Pending;
}

const maxProgress = 20_000;
/** Each count of properties is a separate state, so greater limits are lowered to this. */
const maxProperties = 1000;

/** Writes objects of one shape. */
export class ObjectWriter {
  readonly #shape: ObjectShape;
  readonly #location: InstanceLocation;
  readonly #hint: string;
  readonly #writing: ObjectWriting;
  readonly #plan: ObjectPlan;
  readonly #usable: readonly boolean[];
  readonly #keys: KeyWriter;
  readonly #key: string;
  readonly #counts: number;
  /** Maximum number of properties, if they must be counted. */
  readonly #max: number | null;
  /** Position of the last required key; -1 if there is none. */
  readonly #lastRequired: number;
  /** `null`: declared keys come in the order of the plan. */
  readonly #order: KeyOrder | null;
  readonly #clauses: PendingClauses;
  readonly #known = new Map<string, boolean>();
  readonly #knownSteps = new Map<string, readonly PropertyStep[]>();

  constructor(shape: ObjectShape, location: InstanceLocation, hint: string, writing: ObjectWriting) {
    const { compilation } = writing;
    this.#shape = shape;
    this.#location = location;
    this.#hint = hint;
    this.#writing = writing;
    const closable = writing.object.entryClose.every((part) => part !== null);
    this.#plan = planObject(shape, location.keys, compilation, !closable);
    this.#clauses = new PendingClauses(this.#plan.clauses, compilation.constraints);
    const written = this.#plan.classes.map(({ constraint }) => closable && this.#isWritten(constraint));
    if (written.includes(false)) reportClosed(compilation, location, closable);
    if (this.#plan.hasSortedKeys) reportSortedKeys(compilation, location);
    const forbidden = forbiddenInKeys(writing.object);
    for (const { key } of this.#plan.declared) {
      if (holdsAny(key, forbidden))
        reportUnwritable(compilation, location, key, 'its name cannot be written in this format');
    }
    this.#usable = [
      ...this.#plan.declared.map(
        (property) => !holdsAny(property.key, forbidden) && this.#hasValue(property, writing),
      ),
      ...this.#plan.classes.map(
        ({ constraint }, index) => written[index] === true && compilation.isSatisfiable(constraint),
      ),
    ];
    this.#key = writing.rules.freshKey('object');
    const reported: ReportedObject = { shape, location, plan: this.#plan, usable: this.#usable };
    reportDuplicateKeys(compilation, reported);
    reportNeverWritten(compilation, reported);
    this.#max = this.#propertyLimit();
    if (this.#max === null && compilation.keyOrder !== 'any')
      compilation.budget.foresee(stepsForKeys(this.#plan));
    this.#counts =
      shape.min > shape.required.size || this.#max !== null ? Math.max(shape.min, this.#max ?? 0) : 0;
    this.#lastRequired = this.#plan.declared.findLastIndex(({ required }) => required);
    this.#order = this.#keyOrder();
    this.#keys = this.#keyWriter();
  }

  /**
   * Whether undeclared keys with values of `constraint` are written. Keys that the schema constrains are always
   * written: a map has no others.
   */
  #isWritten(constraint: Constraint): boolean {
    const { compilation } = this.#writing;
    const spare = constraint === compilation.constraints.anything && this.#plan.declared.length > 0;
    if (spare && compilation.openObjects) compilation.wroteOpenObject = true;
    return !spare || compilation.openObjects;
  }

  /** Whether a property has a value; for required ones, writing it settles that. */
  #hasValue(
    { key, constraint, required }: PlannedKey,
    { compilation, object, canWrite }: ObjectWriting,
  ): boolean {
    if (!compilation.isSatisfiable(constraint)) return false;
    if (required || canWrite === undefined || canWrite(constraint, closeOf(object, key))) return true;
    reportUnwritable(
      compilation,
      this.#location,
      key,
      'no value that it may have can be written in this format',
    );
    return false;
  }

  #propertyLimit(): number | null {
    const { max, min } = this.#shape;
    const { declared } = this.#plan;
    const open = this.#usable.slice(declared.length).some((each) => each);
    if (max === null || (!open && declared.length <= max)) return null;
    const most = Math.max(maxProperties, declared.length, min);
    if (max <= most) return max;
    const reason = `at most ${most} properties are written`;
    reportAt(this.#writing.compilation, this.#location, 'maxProperties', reason, 'narrowed');
    return most;
  }

  #keyWriter(): KeyWriter {
    const { declared, keys } = this.#plan;
    if (keys !== null) return new KeyAutomatonWriter(keys, this.#writing, this.#key, this.#hint);
    const earliest: number[] = [0];
    for (const [label, { required }] of declared.entries()) {
      earliest.push(required ? label + 1 : (earliest[label] ?? 0));
    }
    const counts = this.#counts > 0 || this.#plan.someCount > 0 || this.#plan.clauses.length > 0;
    const manyPerPosition = this.#order !== null || counts;
    const texts = declared.map(({ key }) => key);
    return new KeyTrie(texts, { earliest, manyPerPosition }, this.#writing, this.#key, this.#hint);
  }

  /** The order of the declared keys; `null` if it is the schema's. */
  #keyOrder(): KeyOrder | null {
    const { keyOrder } = this.#writing.compilation;
    const { declared, clauses, someCount } = this.#plan;
    const labels = [...declared.keys()].filter((label) => this.#usable[label]);
    const required = new Set([...declared.keys()].filter((label) => declared[label]?.required));
    if (keyOrder === 'schema' || [...required].some((label) => !this.#usable[label])) return null;
    if (keyOrder === 'any') return this.#anyOrder(labels, required);
    const order = new LaterOrder(labels, required);
    return order.isUseful && clauses.length === 0 && this.#counts === 0 && someCount === 0 ? order : null;
  }

  /** Any order of the declared keys; `null`, with a report, if the shape requires more than can be tracked. */
  #anyOrder(labels: readonly number[], required: ReadonlySet<number>): AnyOrder | null {
    const { clauses, someCount } = this.#plan;
    if (labels.length === 0 || this.#usable.filter((usable) => usable).length < 2) return null;
    const order = new AnyOrder(labels, required);
    const note = (reason: string, effect: 'narrowed' | 'noted') =>
      reportAt(this.#writing.compilation, this.#location, 'properties', reason, effect);
    const counted = order.free.length > 0 && (this.#counts > 0 || someCount > 0);
    if (clauses.length > 0 || counted || (order.isLimited && someCount > 0)) {
      note('next to conditions and counts, properties come in the order of the schema', 'narrowed');
      return null;
    }
    if (order.isLimited)
      note(`a required property comes at most ${order.ahead} places before its turn among them`, 'narrowed');
    if (order.free.length > 0)
      note('in any order, an optional one may come twice; the last one counts', 'noted');
    return order;
  }

  object(): WrittenObject {
    const start: Progress = { position: 0, used: 0, count: 0, met: 0n, pending: noneBegun };
    const { object, blank } = this.#writing;
    const some = this.#mayGoOn(start) ? sequence(literal(object.open), blank, this.#member(start)) : null;
    const mayBeEmpty = this.#mayEnd(start);
    if (some === null && !mayBeEmpty) throw new NoValueLeft();
    return { some, mayBeEmpty };
  }

  #mayEnd({ position, used, count, met, pending }: Progress): boolean {
    const { declared, someCount } = this.#plan;
    if (this.#clauses.skip(pending, position, declared.length) === null) return false;
    const missing =
      this.#order === null ? position <= this.#lastRequired : !this.#order.isComplete({ position, used });
    return (
      count >= Math.min(this.#counts, this.#shape.min) && met === (1n << BigInt(someCount)) - 1n && !missing
    );
  }

  #mayGoOn(progress: Progress): boolean {
    const key = this.#progressKey(progress);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= maxProgress) throw new BudgetExceeded('counts in an object');
    this.#known.set(key, false);
    const alive = this.#labels(progress).some((label) => this.#steps(label, progress).length > 0);
    this.#known.set(key, alive);
    return alive;
  }

  /** Labels of the keys that may come next and can lead to an end. */
  #labels({ position, used, count }: Progress): readonly number[] {
    const { declared, classes } = this.#plan;
    if (this.#max !== null && count >= this.#max) return [];
    const labels: number[] = [];
    if (this.#order !== null) {
      labels.push(...this.#order.next({ position, used }), ...this.#order.free);
      if (!this.#order.allowsOthers({ position, used })) return labels;
    } else {
      for (let label = position; label < declared.length; label += 1) {
        if (this.#usable[label]) labels.push(label);
        if (declared[label]?.required) return labels;
      }
    }
    classes.forEach((_, index) => {
      if (this.#usable[declared.length + index]) labels.push(declared.length + index);
    });
    return labels;
  }

  #class(label: number): KeyClass | undefined {
    return this.#plan.declared[label] ?? this.#plan.classes[label - this.#plan.declared.length];
  }

  /** Constraints for the value of a key with the progress after it; only those that can lead to an end. */
  #steps(label: number, progress: Progress): readonly PropertyStep[] {
    const keys = this.#class(label);
    if (keys === undefined) return [];
    const { compilation } = this.#writing;
    const isDeclared = label < this.#plan.declared.length;
    const { position, used } = this.#order?.after(progress, label) ?? {
      position: Math.min(label + 1, this.#plan.declared.length),
      used: 0,
    };
    const count = Math.min(progress.count + 1, this.#counts);
    const skipped = this.#clauses.skip(progress.pending, progress.position, label);
    if (skipped === null) return [];
    const isPossible = (constraint: Constraint) => compilation.isSatisfiable(constraint);
    return this.#clauses
      .take(skipped, isDeclared ? label : -1, keys.constraint, isPossible)
      .flatMap(([constraint, pending]) =>
        metRules(keys, constraint, progress.met, compilation).map(([value, met]): PropertyStep => {
          return [value, { position, used, count, met, pending }];
        }),
      )
      .filter(([constraint, next]) => isPossible(constraint) && (this.#mayEnd(next) || this.#mayGoOn(next)));
  }

  /**
   * `#steps`, cached once all that can continue is known. They are equal at each position, unless a clause may
   * require one of the keys in between.
   */
  #settledSteps(label: number, progress: Progress): readonly PropertyStep[] {
    const alike = this.#plan.clauses.length === 0 ? this.#countKey(progress) : this.#progressKey(progress);
    const key = `${label} ${alike}`;
    const found = this.#knownSteps.get(key) ?? this.#steps(label, progress);
    this.#knownSteps.set(key, found);
    return found;
  }

  /** A key, its value, and everything that follows. */
  #member(progress: Progress): Expression {
    const wanted = {
      labels: this.#labels(progress).filter((label) => this.#settledSteps(label, progress).length > 0),
      following: this.#countKey(progress),
      ending: (label: number) => this.#ending(label, progress),
    };
    const open = literal(this.#writing.object.keyOpen);
    const counts = this.#counts > 0 || this.#plan.someCount > 0;
    if (this.#order === null || counts) return sequence(open, this.#keys.keys(wanted));
    const tracked = this.#order.next(progress);
    const loose = wanted.labels.filter((label) => !tracked.includes(label));
    const others =
      loose.length === 0 ? [] : [sequence(this.#entryOf(loose, progress), this.#after(progress))];
    const next = wanted.labels.filter((label) => tracked.includes(label));
    const keys = next.length === 0 ? [] : [this.#keys.keys({ ...wanted, labels: next })];
    return sequence(open, choice(...others, ...keys));
  }

  /** A key of `labels` and its value, if they do not affect what may follow: one rule for all positions. */
  #entryOf(labels: readonly number[], progress: Progress): Expression {
    const ending = (label: number) => {
      const key = this.#plan.declared[label]?.key ?? null;
      const options = this.#settledSteps(label, progress).map(([value]) => this.#valueOf(key, value));
      return sequence(this.#keyClose(), choice(...options));
    };
    return this.#writing.rules.named(`${this.#key} entry ${labels.join()}`, `${this.#hint}-entry`, () =>
      this.#keys.keys({ labels, following: 'any', ending }),
    );
  }

  #keyClose(): Expression {
    const { object, blank, blankAfterKey = blank } = this.#writing;
    return sequence(literal(object.keyClose), blankAfterKey);
  }

  #valueOf(key: string | null, value: Constraint): Expression {
    const { compilation, object } = this.#writing;
    const { locations } = compilation;
    const location = key === null ? locations.open(this.#location) : locations.property(this.#location, key);
    const close = closeOf(object, key);
    const written = this.#writing.value(value, location, key, close);
    const none = key === null || this.#dependsOnKeys ? null : this.#writing.absent?.(key, close);
    return none == null ? written : alternatives(written, none);
  }

  /** Whether the object is valid only with some of its optional keys. */
  get #dependsOnKeys(): boolean {
    const { clauses, someCount } = this.#plan;
    return clauses.length > 0 || someCount > 0 || this.#shape.min > this.#shape.required.size;
  }

  /** What follows a key, as far as it does not depend on the preceding position. */
  #countKey({ position, used, count, met, pending }: Progress): string {
    const came = this.#order === null ? '' : `${position} ${used} `;
    return `${came}${count} ${met} ${this.#clauses.keyOf(pending, position)}`;
  }

  #progressKey(progress: Progress): string {
    return `${progress.position} ${this.#countKey(progress)}`;
  }

  /** The end of a key, its value, and what may follow; keys of a class end in many places. */
  #ending(label: number, progress: Progress): Expression {
    const { declared } = this.#plan;
    if (declared.length === 0 || label < declared.length) return this.#endingOf(label, progress);
    const key = `${this.#key} end ${label} ${this.#countKey(progress)}`;
    return this.#writing.rules.named(key, `${this.#hint}-end`, () => this.#endingOf(label, progress));
  }

  #endingOf(label: number, progress: Progress): Expression {
    const key = this.#plan.declared[label]?.key ?? null;
    const options = this.#settledSteps(label, progress).map(([value, next]) =>
      sequence(this.#valueOf(key, value), this.#after(next)),
    );
    return sequence(this.#keyClose(), choice(...options));
  }

  #after(progress: Progress): Expression {
    const { object, blank } = this.#writing;
    const { separator, close } = object;
    const key = `${this.#key} after ${this.#progressKey(progress)}`;
    const make = () => {
      const options: Expression[] = [];
      if (this.#mayGoOn(progress)) options.push(sequence(literal(separator), blank, this.#member(progress)));
      if (this.#mayEnd(progress)) options.push(sequence(blank, literal(close)));
      return alternatives(...options);
    };
    return this.#mayGoOn(progress) ? this.#writing.rules.named(key, `${this.#hint}-members`, make) : make();
  }
}

/** The text after the value of `key`. */
function closeOf({ entryClose }: ObjectNotation, key: string | null): string {
  return entryClose.map((part) => part ?? key ?? '').join('');
}
