/**
 * Object shapes as expressions. Keys come in one order, declared ones first; what may follow depends on
 * the position, and where a shape counts, on the counts. Rules are shared between positions, so the size
 * is linear in the number of optional properties.
 */
import { alternatives } from '../alternatives.ts';
import { choice, type Expression, literal, sequence } from '../expression.ts';
import { BudgetExceeded, DeadEnd } from '../regular/budget.ts';
import { type CharacterSet, charactersOf, subtractSets } from '../regular/character-set.ts';
import { plainSpelling, type Spelling } from '../regular/spelling.ts';
import { type AutomatonNode, writeNode } from '../regular/write-automaton.ts';
import { spelledCharacter } from '../regular/write-characters.ts';
import type { Compilation } from './compilation.ts';
import { type KeyClass, type ObjectPlan, planObject } from './object-plan.ts';
import type { Place } from './places.ts';
import type { RuleSet } from './rule-set.ts';
import type { ObjectShape } from './shapes.ts';
import type { State } from './states.ts';
import type { ObjectNotation } from './syntax.ts';

/** Where and how an object is written. */
export interface ObjectWriting {
  readonly compilation: Compilation;
  readonly rules: RuleSet;
  readonly object: ObjectNotation;
  /** A value and the text after it; `key` is `null` for keys that are not declared. */
  value(state: State, place: Place, key: string | null, close: string): Expression;
}

/** An object: with at least one property (`null` where there is none), and whether it may have none. */
export interface WrittenObject {
  readonly some: Expression | null;
  readonly mayBeEmpty: boolean;
}

/** An object of `shape`, which some value is of; `some` has the texts around it, but not the empty one. */
export function writeObject(
  shape: ObjectShape,
  place: Place,
  hint: string,
  writing: ObjectWriting,
  order: { readonly anyOrder: boolean } = { anyOrder: false },
): WrittenObject {
  return new ObjectWriter(shape, place, hint, writing, order.anyOrder).object();
}

/** What a value under a key may be, and what has been written after it. */
type Step = readonly [State, Progress];

/** What has been written. */
interface Progress {
  /** Declared keys before this position cannot come any more. */
  readonly position: number;
  /** Bits of the declared keys that came, where they may come in any order. */
  readonly used: number;
  /** Number of properties, as far as the shape counts them. */
  readonly count: number;
  /** Bits of the `some` rules that are met. */
  readonly met: number;
}

const maxProgress = 20_000;
const maxBits = 30;
/** So many keys may come in any order: each set of keys that came is a state. */
const maxAnyOrder = 8;

class ObjectWriter {
  readonly #shape: ObjectShape;
  readonly #place: Place;
  readonly #hint: string;
  readonly #writing: ObjectWriting;
  readonly #plan: ObjectPlan;
  readonly #usable: readonly boolean[];
  /** Per state of the key automaton, the labels that can still be read. */
  readonly #reach: readonly bigint[];
  readonly #key: string;
  readonly #counts: number;
  readonly #anyOrder: boolean;
  readonly #known = new Map<string, boolean>();
  readonly #knownSteps = new Map<string, readonly Step[]>();

  constructor(shape: ObjectShape, place: Place, hint: string, writing: ObjectWriting, anyOrder: boolean) {
    const { compilation } = writing;
    this.#shape = shape;
    this.#place = place;
    this.#hint = hint;
    this.#writing = writing;
    this.#plan = planObject(shape, place.keys, compilation);
    const closable = writing.object.entryClose.every((part) => part !== null);
    const open = compilation.openObjects && closable;
    if (!open && this.#plan.classes.length > 0) this.#reportClosed(closable);
    this.#usable = [
      ...this.#plan.declared.map(({ state }) => compilation.isProductive(state)),
      ...this.#plan.classes.map(({ state }) => open && compilation.isProductive(state)),
    ];
    this.#anyOrder = anyOrder && this.#fewEnough();
    this.#reach = reachableLabels(this.#plan);
    this.#key = writing.rules.freshKey('object');
    this.#counts =
      shape.min > shape.required.size || shape.max !== null ? Math.max(shape.min, shape.max ?? 0) : 0;
  }

  #reportClosed(closable: boolean): void {
    this.#writing.compilation.report(
      this.#place.nodes[0] ?? null,
      'additionalProperties',
      closable
        ? 'only declared properties are written'
        : 'the format writes a key twice, so only declared properties are written',
      'narrowed',
    );
  }

  /** Whether the keys are few enough for any order; else says that there is but one. */
  #fewEnough(): boolean {
    const count = this.#plan.declared.filter((_, label) => this.#usable[label]).length;
    if (count <= maxAnyOrder && this.#plan.declared.length <= maxBits) return true;
    const reason = `${count} properties are too many for any order (${maxAnyOrder}); they come in the order of the schema`;
    this.#writing.compilation.report(this.#place.nodes[0] ?? null, 'properties', reason, 'narrowed');
    return false;
  }

  object(): WrittenObject {
    const start: Progress = { position: 0, used: 0, count: 0, met: 0 };
    const { open } = this.#writing.object;
    const some = this.#mayGoOn(start) ? sequence(literal(open), this.#member(start)) : null;
    const mayBeEmpty = this.#mayEnd(start);
    if (some === null && !mayBeEmpty) throw new DeadEnd();
    return { some, mayBeEmpty };
  }

  #mayEnd({ position, used, count, met }: Progress): boolean {
    const { declared, someCount } = this.#plan;
    const missing = declared.some(
      ({ required }, label) => required && (this.#anyOrder ? !hasBit(used, label) : label >= position),
    );
    return count >= Math.min(this.#counts, this.#shape.min) && met === 2 ** someCount - 1 && !missing;
  }

  #mayGoOn(progress: Progress): boolean {
    const key = progressKey(progress);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size > maxProgress) throw new BudgetExceeded('counts in an object');
    this.#known.set(key, false);
    const alive = this.#labels(progress).some((label) => this.#steps(label, progress).length > 0);
    this.#known.set(key, alive);
    return alive;
  }

  /** Labels of the keys that may come next, if all goes well after them. */
  #labels({ position, used, count }: Progress): readonly number[] {
    const { declared, classes } = this.#plan;
    if (this.#shape.max !== null && count >= this.#shape.max) return [];
    if (this.#anyOrder)
      return [...this.#usable.keys()].filter((label) => this.#usable[label] && !hasBit(used, label));
    const labels: number[] = [];
    for (let label = position; label < declared.length; label += 1) {
      if (this.#usable[label]) labels.push(label);
      if (declared[label]?.required) return labels;
    }
    classes.forEach((_, index) => {
      if (this.#usable[declared.length + index]) labels.push(declared.length + index);
    });
    return labels;
  }

  #class(label: number): KeyClass | undefined {
    return this.#plan.declared[label] ?? this.#plan.classes[label - this.#plan.declared.length];
  }

  /** What the value under a key may be, and what progress it makes; only what can lead to an end. */
  #steps(label: number, progress: Progress): readonly Step[] {
    const keys = this.#class(label);
    if (keys === undefined) return [];
    const { compilation } = this.#writing;
    const isDeclared = label < this.#plan.declared.length;
    const position = this.#anyOrder ? 0 : Math.min(label + 1, this.#plan.declared.length);
    const used = this.#anyOrder && isDeclared ? progress.used | (2 ** label) : progress.used;
    const count = Math.min(progress.count + 1, this.#counts);
    let cases: readonly (readonly [State, number])[] = [[keys.state, progress.met]];
    for (const { index, state } of keys.some) {
      cases = cases.flatMap(([value, met]) => {
        if ((met & (2 ** index)) !== 0) return [[value, met]];
        const other = compilation.states.not(state) ?? compilation.states.anything;
        return [
          [compilation.states.and(value, state), met | (2 ** index)],
          [compilation.states.and(value, other), met],
        ];
      });
    }
    return cases
      .filter(([state]) => compilation.isProductive(state))
      .map(([state, met]) => [state, { position, used, count, met }] as const)
      .filter(([, next]) => this.#mayEnd(next) || this.#mayGoOn(next));
  }

  /** `#steps` once all is known about what can go on; they are the same at each position. */
  #settledSteps(label: number, progress: Progress): readonly Step[] {
    const key = `${label} ${this.#countKey(progress)}`;
    const found = this.#knownSteps.get(key) ?? this.#steps(label, progress);
    this.#knownSteps.set(key, found);
    return found;
  }

  /** A key, its value, and all that follows. */
  #member(progress: Progress): Expression {
    const labels = this.#labels(progress).filter((label) => this.#settledSteps(label, progress).length > 0);
    const allowed = labels.reduce((bits, label) => bits | (1n << BigInt(label)), 0n);
    return sequence(literal(this.#writing.object.keyOpen), this.#keyNode(0, allowed, progress));
  }

  /** The rest of a key from a state of the key automaton on. */
  #keyNode(state: number, allowed: bigint, progress: Progress): Expression {
    const [path, last] = this.#forced(state, allowed);
    if (path !== '' || this.#isLeaf(last, allowed)) {
      const spelled = this.#spelling.text(path);
      const rest = this.#isLeaf(last, allowed)
        ? this.#ending(last, progress)
        : this.#branching(last, allowed, progress);
      return sequence(literal(spelled), rest);
    }
    const [edge, second] = this.#edges(last, allowed);
    const single = edge !== undefined && second === undefined && edge[1] !== last;
    if (!single || this.#accepts(last, allowed)) return this.#branching(last, allowed, progress);
    const character = spelledCharacter(edge[0], this.#spelling, this.#writing.rules);
    return sequence(character, this.#branching(edge[1], allowed, progress));
  }

  /** Follows the automaton while there is only one way. */
  #forced(state: number, allowed: bigint): readonly [path: string, state: number] {
    let path = '';
    let current = state;
    for (;;) {
      const edges = this.#edges(current, allowed);
      const [edge] = edges;
      const [range] = edge?.[0] ?? [];
      if (edge === undefined || edges.length > 1 || this.#accepts(current, allowed)) return [path, current];
      if (range === undefined || edge[0].length > 1 || range[0] !== range[1]) return [path, current];
      path += String.fromCodePoint(range[0]);
      current = edge[1];
    }
  }

  #edges(state: number, allowed: bigint): readonly (readonly [CharacterSet, number])[] {
    const bare = this.#writing.object.keySpelling === null;
    const { keyClose } = this.#writing.object;
    const forbidden = bare ? charactersOf(Array.from(keyClose)[0] ?? '') : [];
    return (this.#plan.keys.states[state]?.edges ?? [])
      .filter(([, target]) => ((this.#reach[target] ?? 0n) & allowed) !== 0n)
      .map(([set, target]) => [subtractSets(set, forbidden), target] as const)
      .filter(([set]) => set.length > 0);
  }

  #accepts(state: number, allowed: bigint): boolean {
    const label = this.#plan.keys.states[state]?.label;
    return label !== undefined && (allowed & (1n << BigInt(label))) !== 0n;
  }

  #isLeaf(state: number, allowed: bigint): boolean {
    return this.#accepts(state, allowed) && this.#edges(state, allowed).length === 0;
  }

  #branching(state: number, allowed: bigint, progress: Progress): Expression {
    const left = (this.#reach[state] ?? 0n) & allowed;
    const key = `${this.#key} ${state} ${left.toString(32)} ${this.#countKey(progress)}`;
    return this.#writing.rules.named(key, `${this.#hint}-key`, () => {
      const edges = this.#edges(state, allowed);
      const node: AutomatonNode = {
        edges: edges
          .filter(([, target]) => target !== state)
          .map(([set, target]) => ({
            set,
            inline: () => this.#keyNode(target, allowed, progress),
            shared: () => this.#branching(target, allowed, progress),
          })),
        loop: edges.find(([, target]) => target === state)?.[0] ?? [],
        self: () => this.#branching(state, allowed, progress),
        end: this.#accepts(state, allowed) ? this.#ending(state, progress) : null,
      };
      return writeNode(node, this.#spelling, this.#writing.rules);
    });
  }

  /** What follows a key, as far as it does not depend on the position before it. */
  #countKey({ used, count, met }: Progress): string {
    return `${used} ${count} ${met}`;
  }

  get #spelling(): Spelling {
    return this.#writing.object.keySpelling ?? plainSpelling;
  }

  /** The end of a key, its value, and what may come after; keys of a class end in many places. */
  #ending(state: number, progress: Progress): Expression {
    const label = this.#plan.keys.states[state]?.label ?? 0;
    const { declared } = this.#plan;
    if (declared.length === 0 || label < declared.length) return this.#endingOf(label, progress);
    const key = `${this.#key} end ${label} ${this.#countKey(progress)}`;
    return this.#writing.rules.named(key, `${this.#hint}-end`, () => this.#endingOf(label, progress));
  }

  #endingOf(label: number, progress: Progress): Expression {
    const key = this.#plan.declared[label]?.key ?? null;
    const { places } = this.#writing.compilation;
    const place = key === null ? places.open(this.#place) : places.property(this.#place, key);
    const close = this.#writing.object.entryClose.map((part) => part ?? key ?? '').join('');
    const options = this.#settledSteps(label, progress).map(([value, next]) =>
      sequence(this.#writing.value(value, place, key, close), this.#after(next)),
    );
    return sequence(literal(this.#writing.object.keyClose), choice(...options));
  }

  #after(progress: Progress): Expression {
    const { separator, close } = this.#writing.object;
    const key = `${this.#key} after ${progressKey(progress)}`;
    const make = () => {
      const options: Expression[] = [];
      if (this.#mayGoOn(progress)) options.push(sequence(literal(separator), this.#member(progress)));
      if (this.#mayEnd(progress)) options.push(literal(close));
      return alternatives(...options);
    };
    return this.#mayGoOn(progress) ? this.#writing.rules.named(key, `${this.#hint}-more`, make) : make();
  }
}

function progressKey({ position, used, count, met }: Progress): string {
  return `${position} ${used} ${count} ${met}`;
}

function hasBit(bits: number, index: number): boolean {
  return index < maxBits && (bits & (2 ** index)) !== 0;
}

function reachableLabels({ keys }: ObjectPlan): readonly bigint[] {
  const reach = keys.states.map(({ label }) => (label === undefined ? 0n : 1n << BigInt(label)));
  for (let changed = true; changed; ) {
    changed = false;
    for (let state = keys.states.length - 1; state >= 0; state -= 1) {
      const before = reach[state] ?? 0n;
      const after = (keys.states[state]?.edges ?? []).reduce(
        (bits, [, target]) => bits | (reach[target] ?? 0n),
        before,
      );
      if (after !== before) {
        reach[state] = after;
        changed = true;
      }
    }
  }
  return reach;
}
