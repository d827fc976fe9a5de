/** Prepares an object shape for writing: its keys one by one, and the classes of all other keys. */

import { BudgetExceeded, type StepBudget } from '../../language/expression/budget.ts';
import type { Automaton, AutomatonEdge, AutomatonState } from '../../language/regular/automaton.ts';
import {
  type CharacterSet,
  codePoint,
  combinePartitions,
  complementSet,
  allCharacters as everyCharacter,
  type Partition,
  setOf,
} from '../../language/regular/character-set.ts';
import type { Term, Terms } from '../../language/regular/terms.ts';
import { wordsOf } from '../../language/regular/words.ts';
import type { Constraint, Constraints } from '../shapes/constraints.ts';
import { coveringRules, generalRules } from '../shapes/covering-rules.ts';
import { coversKey } from '../shapes/key-sets.ts';
import type { Clause, ObjectShape, PropertyRule } from '../shapes/shapes.ts';

/** `declared` keys come in this order, each at most once; then keys of the classes, in any order and number. */
export interface ObjectPlan {
  readonly declared: readonly PlannedKey[];
  readonly classes: readonly KeyClass[];
  /**
   * Reads a key. Labels are indexes in `declared`, then in `classes`. `null` if no pattern distinguishes keys; then
   * there is at most one class, of all undeclared keys.
   */
  readonly keys: Automaton | null;
  /** Number of the shape's `some` rules. */
  readonly someCount: number;
  readonly clauses: readonly PlannedClause[];
  /** Whether keys that only patterns name are among the declared ones, sorted. */
  readonly hasSortedKeys: boolean;
}
/** A disjunction: at least one alternative holds. */
export interface PlannedClause {
  /** The first and last label that it concerns. */
  readonly first: number;
  readonly last: number;
  readonly alternatives: readonly PlannedAlternative[];
}
/** Requirements of an alternative, by label. */
interface PlannedAlternative {
  readonly constraints: ReadonlyMap<number, Constraint>;
  readonly required: ReadonlySet<number>;
  /** The last label that it concerns; -1 if it requires nothing. */
  readonly last: number;
}
/** Keys that are treated alike. */
export interface KeyClass {
  readonly constraint: Constraint;
  /** The `some` rules of the shape that cover the key, with their constraints. */
  readonly some: readonly { readonly index: number; readonly constraint: Constraint }[];
}
/** A key that the shape names, or that is in the order of keys. */
export interface PlannedKey extends KeyClass {
  readonly key: string;
  readonly required: boolean;
}

/** Dependencies of planning. */
export interface PlanContext {
  readonly terms: Terms;
  readonly constraints: Constraints;
  readonly budget: StepBudget;
}

const maxKeyStates = 20_000;
/** Keys that one step pays for, as a power of two. */
const keysPerStep = 4;
/** Keys of patterns that are planned one by one: more of them are a class, in which keys may come again. */
export const maxListedKeys = 64;

/**
 * Plans `shape`, with `order` for its named keys. Of equal keys, only the first counts. Where patterns leave few other
 * keys, these are declared as well, sorted, if they have to differ, or if `onlyDeclared` are written: otherwise their
 * order is the model's choice.
 */
export function planObject(
  shape: ObjectShape,
  order: readonly string[],
  context: PlanContext,
  onlyDeclared = false,
): ObjectPlan {
  const named = [...new Set([...order, ...mentioned(shape)])];
  context.budget.spend(named.length >> keysPerStep);
  const plan = planKeys(shape, named, context);
  if (plan.keys === null || plan.classes.length === 0) return plan;
  if (!onlyDeclared && !mustDiffer(shape)) return plan;
  const all = wordsOf(plan.keys, named.length + maxListedKeys);
  if (all === null) return plan;
  return { ...planKeys(shape, [...new Set([...named, ...all])], context), hasSortedKeys: true };
}

/** Whether undeclared keys that come again can make an object invalid; one alone is distinct from all declared ones. */
function mustDiffer({ min, required, some }: ObjectShape): boolean {
  return min > required.size + 1 || some.length > 0;
}

function planKeys(shape: ObjectShape, keys: readonly string[], context: PlanContext): ObjectPlan {
  const general = generalRules(shape.rules);
  const declared = keys.map((key): PlannedKey => {
    return {
      key,
      required: shape.required.has(key),
      ...keyClass(
        coveringRules(shape.rules, key, context.terms),
        shape.some.map((rule) => coversKey(context.terms, rule.keys, key)),
        shape,
        context,
      ),
    };
  });
  const someCount = shape.some.length;
  const labels = new Map(keys.map((key, label) => [key, label]));
  const clauses = shape.clauses.map((clause) => planClause(clause, labels, context));
  const rules = [...general, ...shape.some];
  if (rules.every((rule) => rule.keys.patterns.length === 0)) {
    const others = keyClass(
      general,
      shape.some.map((rule) => rule.keys.complement),
      shape,
      context,
    );
    return {
      declared,
      classes: others.constraint === context.constraints.nothing ? [] : [others],
      keys: null,
      someCount,
      clauses,
      hasSortedKeys: false,
    };
  }
  const classes: KeyClass[] = [];
  const automaton = new KeyAutomaton(keys, general, shape, classes, context).build();
  return { declared, classes, keys: automaton, someCount, clauses, hasSortedKeys: false };
}

/** Candidate keys that cost one step. */
export const labelsPerStep = 64;

/** Lower bound for the cost of writing a plan's keys: each position visits all keys that may come next. */
export function stepsForKeys({ declared }: ObjectPlan): number {
  let steps = 0;
  let from = 0;
  for (const [label, { required }] of declared.entries()) {
    if (!required && label < declared.length - 1) continue;
    const run = label + 1 - from;
    steps += (run * (run + 1)) / (2 * labelsPerStep);
    from = label + 1;
  }
  return steps;
}

function planClause(
  clause: Clause,
  labels: ReadonlyMap<string, number>,
  { constraints }: PlanContext,
): PlannedClause {
  const alternatives = clause.map(({ rules, required }): PlannedAlternative => {
    const asked = new Map<number, Constraint>();
    for (const { keys, constraint } of rules) {
      for (const name of keys.names) {
        const label = labels.get(name) ?? -1;
        asked.set(label, constraints.and(asked.get(label) ?? constraints.anything, constraint));
      }
    }
    const wanted = new Set([...required].map((name) => labels.get(name) ?? -1));
    return { constraints: asked, required: wanted, last: greatest([...asked.keys(), ...wanted]) };
  });
  const about = alternatives.flatMap(({ constraints: asked, required }) => [...asked.keys(), ...required]);
  const first = about.reduce((least, label) => Math.min(least, label), Number.POSITIVE_INFINITY);
  return { first, last: greatest(about), alternatives };
}

function greatest(labels: readonly number[]): number {
  return labels.reduce((most, label) => Math.max(most, label), -1);
}

function mentioned(shape: ObjectShape): readonly string[] {
  const named = [...shape.rules, ...shape.some].flatMap((rule) => [...rule.keys.names]);
  return [...shape.required, ...named, ...shape.clauses.flat().flatMap(mentioned)];
}

function keyClass(
  rules: readonly PropertyRule[],
  someCovers: readonly boolean[],
  shape: ObjectShape,
  { constraints }: PlanContext,
): KeyClass {
  return {
    constraint: rules.reduce(
      (constraint, rule) => constraints.and(constraint, rule.constraint),
      constraints.anything,
    ),
    some: shape.some.flatMap((rule, index) =>
      someCovers[index] ? [{ index, constraint: rule.constraint }] : [],
    ),
  };
}

/**
 * The position of the reader of a key: in the trie of declared keys (or off it), and in each pattern. A path with one
 * link per pattern, so that equal positions are the same object and need no comparison.
 */
interface KeyPosition {
  readonly id: number;
  readonly node: TrieNode | null;
  readonly before: KeyPosition | null;
  /** The position in the last pattern of the path. */
  readonly term: Term | null;
  readonly after: Map<Term, KeyPosition>;
}
interface TrieNode {
  readonly id: number;
  readonly children: Map<number, TrieNode>;
  /** Label of the declared key that ends here. */
  label: number | null;
}

class KeyAutomaton {
  readonly #general: readonly PropertyRule[];
  readonly #shape: ObjectShape;
  readonly #classes: KeyClass[];
  readonly #classLabels = new Map<string, number>();
  readonly #context: PlanContext;
  readonly #patterns: readonly Term[];
  readonly #declared: number;
  readonly #root: TrieNode = { id: 0, children: new Map(), label: null };
  #trieSize = 1;
  readonly #starts = new Map<TrieNode | null, KeyPosition>();
  #positions = 0;

  constructor(
    keys: readonly string[],
    general: readonly PropertyRule[],
    shape: ObjectShape,
    classes: KeyClass[],
    context: PlanContext,
  ) {
    this.#general = general;
    this.#shape = shape;
    this.#classes = classes;
    this.#context = context;
    this.#declared = keys.length;
    this.#patterns = [...new Set([...general, ...shape.some].flatMap((rule) => rule.keys.patterns))];
    keys.forEach((key, index) => {
      this.#insert(key, index);
    });
  }

  #insert(key: string, label: number): void {
    let node = this.#root;
    for (const character of key) {
      const point = codePoint(character);
      const next: TrieNode = node.children.get(point) ?? {
        id: this.#trieSize,
        children: new Map(),
        label: null,
      };
      if (!node.children.has(point)) {
        this.#trieSize += 1;
        node.children.set(point, next);
      }
      node = next;
    }
    node.label = label;
  }

  build(): Automaton {
    const start = this.#patterns.reduce((all, term) => this.#then(all, term), this.#at(this.#root));
    const numbers = new Map<KeyPosition, number>([[start, 0]]);
    const queue: KeyPosition[] = [start];
    const states: AutomatonState[] = [];
    for (const position of queue) {
      const edges: AutomatonEdge[] = [];
      for (const [set, target] of this.#steps(position)) {
        const number = numbers.get(target) ?? numbers.size;
        if (number === numbers.size) {
          numbers.set(target, number);
          queue.push(target);
        }
        edges.push([set, number]);
      }
      if (queue.length > maxKeyStates) throw new BudgetExceeded('states in the automaton of keys');
      this.#context.budget.spend(1 + edges.length);
      const label = this.#label(position);
      states.push({ accepts: label !== null, edges, ...(label === null ? {} : { label }) });
    }
    return { states };
  }

  /** The position at `node`, before the first pattern. */
  #at(node: TrieNode | null): KeyPosition {
    const found = this.#starts.get(node) ?? this.#position(node, null, null);
    this.#starts.set(node, found);
    return found;
  }

  /** Extends `before` by the position `term` in the next pattern. */
  #then(before: KeyPosition, term: Term): KeyPosition {
    const found = before.after.get(term) ?? this.#position(before.node, before, term);
    before.after.set(term, found);
    return found;
  }

  #position(node: TrieNode | null, before: KeyPosition | null, term: Term | null): KeyPosition {
    this.#positions += 1;
    return { id: this.#positions, node, before, term, after: new Map() };
  }

  #steps(position: KeyPosition): Partition<KeyPosition> {
    const { terms, budget } = this.#context;
    let steps: Partition<KeyPosition> = trieSteps(position.node).map(
      ([set, next]) => [set, this.#at(next)] as const,
    );
    for (const pattern of termsOf(position)) {
      budget.spend(steps.length);
      steps = combinePartitions(
        steps,
        terms.transitions(pattern),
        (before, term) => this.#then(before, term),
        ({ id }) => String(id),
      );
    }
    return steps;
  }

  /** The label of a key that ends here; `null` if none may. */
  #label(position: KeyPosition): number | null {
    const { node } = position;
    if (node?.label != null) return node.label;
    const terms = termsOf(position);
    const matched = new Set(this.#patterns.filter((_, index) => terms[index]?.nullable));
    const covered = (rule: PropertyRule) =>
      rule.keys.patterns.some((pattern) => matched.has(pattern)) !== rule.keys.complement;
    const made = keyClass(
      this.#general.filter(covered),
      this.#shape.some.map(covered),
      this.#shape,
      this.#context,
    );
    if (made.constraint === this.#context.constraints.nothing) return null;
    const key = `${made.constraint.id} ${made.some.map(({ index }) => index).join()}`;
    const label = this.#classLabels.get(key) ?? this.#declared + this.#classes.length;
    if (!this.#classLabels.has(key)) {
      this.#classLabels.set(key, label);
      this.#classes.push(made);
    }
    return label;
  }
}

/** The position in each pattern. */
function termsOf(position: KeyPosition): readonly Term[] {
  const found: Term[] = [];
  for (let at: KeyPosition | null = position; at !== null; at = at.before)
    if (at.term !== null) found.push(at.term);
  return found.reverse();
}

function trieSteps(node: TrieNode | null): Partition<TrieNode | null> {
  if (node === null) return [[everyCharacter, null]];
  const children = [...node.children].map(
    ([point, child]) => [[[point, point]] as CharacterSet, child] as const,
  );
  const rest = complementSet(setOf([...node.children.keys()].map((point) => [point, point] as const)));
  return rest.length === 0 ? children : [...children, [rest, null]];
}
