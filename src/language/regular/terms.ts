/**
 * Regular languages over code points as terms, with the usual operators plus intersection and complement. Terms are
 * interned, so that equal terms are identical, and evaluated by derivatives: `transitions` gives the rest of a
 * language after one character (Brzozowski 1964; Owens, Reppy, Turon 2009).
 */
import { BudgetExceeded, type StepBudget } from '../expression/budget.ts';
import { type TrieNode, trieNodes } from '../expression/trie.ts';
import {
  allCharacters,
  type CharacterSet,
  charactersOf,
  codePoint,
  combinePartitions,
  complementSet,
  intersectSets,
  mapPartition,
  type Partition,
  setHas,
  setKey,
  uniteAll,
} from './character-set.ts';

/** A regular language. Equal ids mean equal terms. */
export type Term = { readonly id: number; readonly nullable: boolean } & TermBody;

type TermBody =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'epsilon' }
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'concat'; readonly first: Term; readonly rest: Term }
  | { readonly kind: 'loop'; readonly item: Term; readonly min: number; readonly max: number | null }
  | { readonly kind: 'or'; readonly items: readonly Term[] }
  | { readonly kind: 'and'; readonly items: readonly Term[] }
  | { readonly kind: 'not'; readonly item: Term }
  | { readonly kind: 'machine'; readonly machine: Machine; readonly state: number }
  | { readonly kind: 'variable'; readonly body: { term: Term | null } };

/** A deterministic automaton given by functions, for what terms cannot express concisely (tries, remainders). */
export interface Machine {
  /** Identifies the machine. */
  readonly key: string;
  /** The words accepted from state 0, if the machine was made from a list. */
  readonly words?: readonly string[];
  accepts(state: number): boolean;
  /** Disjoint sets with their targets; other characters have no transition. */
  edges(state: number): readonly (readonly [set: CharacterSet, target: number])[];
}

const byId = (term: Term): number => term.id;

/** Texts looked for in a language that one step pays for. */
const textsPerStep = 4;

/** Makes and interns terms. Do not mix terms of different factories. */
export class Terms {
  readonly #budget: StepBudget;
  #asked = 0;
  readonly #interned = new Map<string, Term>();
  readonly #transitions = new Map<number, Partition<Term>>();
  /** Numbers for machine keys, which are long and would be repeated for each state. */
  readonly #automata = new Map<string, number>();
  #nextId = 0;

  /** The empty language. */
  readonly nothing: Term;
  /** The empty text. */
  readonly epsilon: Term;
  /** Any single character. */
  readonly anyOne: Term;
  /** Every text. */
  readonly everything: Term;

  constructor(budget: StepBudget) {
    this.#budget = budget;
    this.nothing = this.#intern('0', false, { kind: 'nothing' });
    this.epsilon = this.#intern('1', true, { kind: 'epsilon' });
    this.anyOne = this.set(allCharacters);
    this.everything = this.loop(this.anyOne, 0, null);
  }

  #intern(key: string, nullable: boolean, body: TermBody): Term {
    const found = this.#interned.get(key);
    if (found !== undefined) return found;
    this.#budget.spend();
    const term: Term = { id: this.#nextId, nullable, ...body };
    this.#nextId += 1;
    this.#interned.set(key, term);
    return term;
  }

  /** One character of `set`. */
  set(set: CharacterSet): Term {
    if (set.length === 0) return this.nothing;
    return this.#intern(`s${setKey(set)}`, false, { kind: 'set', set });
  }

  /** Exactly `text`. */
  text(text: string): Term {
    return this.sequence(...Array.from(text, (each) => this.set(charactersOf(each))));
  }

  /** Concatenation. */
  sequence(...terms: readonly Term[]): Term {
    return terms.reduceRight((rest, first) => this.#concat(first, rest), this.epsilon);
  }

  #concat(first: Term, rest: Term): Term {
    if (first === this.nothing || rest === this.nothing) return this.nothing;
    if (first === this.epsilon) return rest;
    if (rest === this.epsilon) return first;
    if (first.kind === 'concat') return this.#concat(first.first, this.#concat(first.rest, rest));
    return this.#intern(`c${first.id} ${rest.id}`, first.nullable && rest.nullable, {
      kind: 'concat',
      first,
      rest,
    });
  }

  /** `item` from `min` to `max` times; `null` is unbounded. */
  loop(item: Term, min: number, max: number | null): Term {
    if (max === 0) return this.epsilon;
    if (item === this.nothing) return min === 0 ? this.epsilon : this.nothing;
    if (item === this.epsilon || (min === 1 && max === 1)) return item;
    if (item.kind === 'loop' && item.min === 0 && item.max === null) return item;
    const least = item.nullable ? 0 : min;
    return this.#intern(`l${item.id} ${least} ${max}`, least === 0, { kind: 'loop', item, min: least, max });
  }

  /** Union. */
  or(...terms: readonly Term[]): Term {
    const plain = onlyOther(terms, this.nothing);
    if (plain !== null) return plain;
    const flat = new Map<number, Term>();
    const sets: CharacterSet[] = [];
    for (const term of terms.flatMap((each) => (each.kind === 'or' ? each.items : [each]))) {
      if (term === this.everything) return term;
      if (term.kind === 'set') sets.push(term.set);
      else if (term !== this.nothing) flat.set(term.id, term);
    }
    const set = uniteAll(sets);
    if (set.length > 0) flat.set(this.set(set).id, this.set(set));
    if (flat.size > 1 && [...flat.values()].some((each) => each !== this.epsilon && each.nullable)) {
      flat.delete(this.epsilon.id);
    }
    return this.#combine('or', [...flat.values()]);
  }

  /** Intersection. */
  and(...terms: readonly Term[]): Term {
    const plain = onlyOther(terms, this.everything);
    if (plain !== null) return plain;
    const flat = new Map<number, Term>();
    let set: CharacterSet | null = null;
    for (const term of terms.flatMap((each) => (each.kind === 'and' ? each.items : [each]))) {
      if (term === this.nothing) return term;
      if (term.kind === 'set') set = set === null ? term.set : intersectSets(set, term.set);
      else if (term !== this.everything) flat.set(term.id, term);
    }
    if (set !== null) {
      if (set.length === 0) return this.nothing;
      flat.set(this.set(set).id, this.set(set));
    }
    return this.#combine('and', [...flat.values()]);
  }

  #combine(kind: 'or' | 'and', given: readonly Term[]): Term {
    const items = [...given].sort((a, b) => a.id - b.id);
    this.#budget.spend(items.length >> 2);
    const [only, second] = items;
    if (only === undefined) return kind === 'or' ? this.nothing : this.everything;
    if (second === undefined) return only;
    const ids = new Set(items.map(byId));
    if (items.some((each) => each.kind === 'not' && ids.has(each.item.id))) {
      return kind === 'or' ? this.everything : this.nothing;
    }
    const nullable =
      kind === 'or' ? items.some((each) => each.nullable) : items.every((each) => each.nullable);
    return this.#intern(`${kind === 'or' ? '|' : '&'}${items.map(byId).join(' ')}`, nullable, {
      kind,
      items,
    });
  }

  /** Complement. */
  not(item: Term): Term {
    if (item.kind === 'not') return item.item;
    if (item === this.nothing) return this.everything;
    if (item === this.everything) return this.nothing;
    return this.#intern(`!${item.id}`, !item.nullable, { kind: 'not', item });
  }

  /** The texts that `machine` accepts from `state`. */
  machine(machine: Machine, state = 0): Term {
    const number = this.#automata.get(machine.key) ?? this.#automata.size;
    this.#automata.set(machine.key, number);
    return this.#intern(`m${number} ${state}`, machine.accepts(state), {
      kind: 'machine',
      machine,
      state,
    });
  }

  /**
   * A term that may occur in its own definition, after at least one character. Call `define` before its transitions
   * are needed.
   */
  variable(nullable: boolean): Term {
    return this.#intern(`v${this.#nextId}`, nullable, { kind: 'variable', body: { term: null } });
  }

  /** Defines a variable. */
  define(variable: Term, value: Term): void {
    if (variable.kind === 'variable') variable.body.term = value;
  }

  /** One of `words`, as a trie. */
  words(words: Iterable<string>): Term {
    const list = [...new Set(words)].sort();
    this.#budget.spend(list.length >> 2);
    return list.length === 0 ? this.nothing : this.machine(trieMachine(list));
  }

  /** Whether `text` is in the language. */
  matches(term: Term, text: string): boolean {
    this.#asked += 1;
    if (this.#asked % textsPerStep === 0) this.#budget.spend();
    let current = term;
    for (const character of text) {
      const point = codePoint(character);
      const step = this.transitions(current).find(([set]) => setHas(set, point));
      if (step === undefined) return false;
      current = step[1];
    }
    return current.nullable;
  }

  /** The derivative by each character. */
  transitions(term: Term): Partition<Term> {
    const found = this.#transitions.get(term.id);
    if (found !== undefined) return found;
    const made = this.#derive(term);
    this.#budget.spend(made.length);
    if (made.length > 4000) throw new BudgetExceeded('distinct characters in one place of a pattern');
    this.#transitions.set(term.id, made);
    return made;
  }

  #derive(term: Term): Partition<Term> {
    switch (term.kind) {
      case 'nothing':
      case 'epsilon':
        return [[allCharacters, this.nothing]];
      case 'set':
        return this.#complete([[term.set, this.epsilon]]);
      case 'concat':
        return this.#deriveConcat(term.first, term.rest);
      case 'loop': {
        const max = term.max === null ? null : term.max - 1;
        const again = this.loop(term.item, Math.max(0, term.min - 1), max);
        return mapPartition(this.transitions(term.item), (each) => this.#concat(each, again), byId);
      }
      case 'or':
        return this.#deriveAll(term.items, (...terms) => this.or(...terms));
      case 'and':
        return this.#deriveAll(term.items, (...terms) => this.and(...terms));
      case 'not':
        return mapPartition(this.transitions(term.item), (each) => this.not(each), byId);
      case 'variable':
        return this.transitions(term.body.term ?? this.nothing);
      case 'machine':
        return this.#complete(
          term.machine
            .edges(term.state)
            .map(([set, target]): [CharacterSet, Term] => [set, this.machine(term.machine, target)]),
        );
    }
  }

  #deriveConcat(first: Term, rest: Term): Partition<Term> {
    const through = mapPartition(this.transitions(first), (each) => this.#concat(each, rest), byId);
    if (!first.nullable) return through;
    this.#budget.spend(through.length);
    return combinePartitions(through, this.transitions(rest), (a, b) => this.or(a, b), byId);
  }

  /** All at once: combined two by two, what some of them make together would be a term for each of them. */
  #deriveAll(items: readonly Term[], combine: (...terms: readonly Term[]) => Term): Partition<Term> {
    const parts = items.map((each) => this.transitions(each));
    const refined = this.#refined(parts);
    this.#budget.spend((refined.length * parts.length) >> 3);
    const outcomes = refined.map((set): [CharacterSet, Term] => [set, combine(...outcomesAt(parts, set))]);
    return mapPartition(outcomes, (each) => each, byId);
  }

  /** The sets in which each of `partitions` has one outcome; many have the same sets. */
  #refined(partitions: readonly Partition<Term>[]): readonly CharacterSet[] {
    const seen = new Set<string>();
    let refined: readonly CharacterSet[] = [allCharacters];
    for (const partition of partitions) {
      this.#budget.spend();
      if (partition.length < 2) continue;
      const key = partition.map(([set]) => setKey(set)).join('|');
      if (seen.has(key)) continue;
      seen.add(key);
      this.#budget.spend(refined.length + (rangesMet(refined, partition) >> 7));
      refined = refine(refined, partition);
    }
    return refined;
  }

  #complete(edges: readonly (readonly [CharacterSet, Term])[]): Partition<Term> {
    const covered = uniteAll(edges.map(([set]) => set));
    const rest = complementSet(covered);
    return rest.length === 0 ? edges : [...edges, [rest, this.nothing]];
  }
}

/** How many ranges `refine` looks at. */
function rangesMet(sets: readonly CharacterSet[], partition: Partition<Term>): number {
  const own = sets.reduce((sum, set) => sum + set.length, 0);
  const others = partition.reduce((sum, [set]) => sum + set.length, 0);
  return own * partition.length + others * sets.length;
}

/** The common parts of `sets` and those of `partition`. */
function refine(sets: readonly CharacterSet[], partition: Partition<Term>): readonly CharacterSet[] {
  const common: CharacterSet[] = [];
  for (const set of sets) {
    for (const [other] of partition) {
      const both = intersectSets(set, other);
      if (both.length > 0) common.push(both);
    }
  }
  return common;
}

/** The outcome of each partition in `set`, where each has one. */
function outcomesAt(partitions: readonly Partition<Term>[], set: CharacterSet): readonly Term[] {
  const point = set[0]?.[0] ?? 0;
  const outcomes: Term[] = [];
  for (const partition of partitions) {
    for (const [each, outcome] of partition) {
      if (!setHas(each, point)) continue;
      outcomes.push(outcome);
      break;
    }
  }
  return outcomes;
}

/** The words of a term made from a list; `null` for other terms. */
export function listedWords(term: Term): readonly string[] | null {
  return term.kind === 'machine' && term.state === 0 ? (term.machine.words ?? null) : null;
}

/** The words that a term made from a list excludes; `null` for other terms. */
export function excludedWords(term: Term): readonly string[] | null {
  return term.kind === 'not' ? listedWords(term.item) : null;
}

/**
 * The trie of sorted, distinct words; state 0 is the root. Built lazily, because most lists are only combined with
 * others.
 */
function trieMachine(words: readonly string[]): Machine {
  let made: readonly TrieNode[] | null = null;
  let numbers: ReadonlyMap<TrieNode, number> = new Map();
  const node = (state: number): TrieNode | undefined => {
    if (made === null) {
      made = trieNodes(words);
      numbers = new Map(made.map((each, index) => [each, index]));
    }
    return made[state];
  };
  return {
    key: JSON.stringify(words),
    words,
    accepts: (state) => (state === 0 ? words[0] === '' : (node(state)?.word ?? null) !== null),
    edges: (state) =>
      Array.from(node(state)?.children.values() ?? [], (child) => {
        const point = codePoint(child.character);
        return [[[point, point]], numbers.get(child) ?? 0] as const;
      }),
  };
}

/** The only term other than `neutral`, or `neutral` if there is none; `null` if there are several. */
function onlyOther(terms: readonly Term[], neutral: Term): Term | null {
  let only: Term | null = null;
  for (const term of terms) {
    if (term === neutral || term === only) continue;
    if (only !== null) return null;
    only = term;
  }
  return only ?? neutral;
}
