/** Writes keys that patterns distinguish: one rule per state of their automaton. */
import { type Expression, literal, sequence } from '../../language/expression/expression.ts';
import type { RuleSet } from '../../language/expression/rule-set.ts';
import type { Automaton } from '../../language/regular/automaton.ts';
import { type CharacterSet, subtractSets } from '../../language/regular/character-set.ts';
import { plainSpelling, type Spelling } from '../../language/regular/spelling.ts';
import { type AutomatonNode, writeNode } from '../../language/regular/write-automaton.ts';
import { spelledCharacter } from '../../language/regular/write-characters.ts';
import type { ObjectNotation } from '../write/syntax.ts';
import { forbiddenInKeys } from './key-exits.ts';
import type { KeyWriter, WantedKeys } from './key-trie.ts';

/** Writes keys by an automaton whose labels identify the key, or the class of keys, that was read. */
export class KeyAutomatonWriter implements KeyWriter {
  readonly #automaton: Automaton;
  readonly #rules: RuleSet;
  readonly #spelling: Spelling;
  readonly #forbidden: CharacterSet;
  readonly #key: string;
  readonly #hint: string;
  /** For each state, the reachable labels as a bit set. */
  readonly #reach: readonly bigint[];

  /** `key` must be unique among the objects of a rule set. */
  constructor(
    automaton: Automaton,
    { object, rules }: { readonly object: ObjectNotation; readonly rules: RuleSet },
    key: string,
    hint: string,
  ) {
    this.#automaton = automaton;
    this.#rules = rules;
    this.#spelling = object.keySpelling ?? plainSpelling;
    this.#forbidden = forbiddenInKeys(object);
    this.#key = key;
    this.#hint = `${hint}-key`;
    this.#reach = reachableLabels(automaton);
  }

  keys(wanted: WantedKeys): Expression {
    return this.#keyNode(
      0,
      wanted.labels.reduce((bits, label) => bits | (1n << BigInt(label)), 0n),
      wanted,
    );
  }

  /** The rest of a key from a state of the automaton on. */
  #keyNode(state: number, allowed: bigint, wanted: WantedKeys): Expression {
    const [path, last] = this.#forced(state, allowed);
    if (path !== '' || this.#isLeaf(last, allowed)) {
      const spelled = this.#spelling.text(path);
      const rest = this.#isLeaf(last, allowed)
        ? this.#ending(last, wanted)
        : this.#branching(last, allowed, wanted);
      return sequence(literal(spelled), rest);
    }
    const [edge, second] = this.#edges(last, allowed);
    const single = edge !== undefined && second === undefined && edge[1] !== last;
    if (!single || this.#accepts(last, allowed)) return this.#branching(last, allowed, wanted);
    const character = spelledCharacter(edge[0], this.#spelling, this.#rules);
    return sequence(character, this.#branching(edge[1], allowed, wanted));
  }

  /** Follows the automaton as long as there is only one transition. */
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
    const alive = (this.#automaton.states[state]?.edges ?? []).filter(
      ([, target]) => ((this.#reach[target] ?? 0n) & allowed) !== 0n,
    );
    if (this.#forbidden.length === 0) return alive;
    return alive
      .map(([set, target]) => [subtractSets(set, this.#forbidden), target] as const)
      .filter(([set]) => set.length > 0);
  }

  #accepts(state: number, allowed: bigint): boolean {
    const label = this.#automaton.states[state]?.label;
    return label !== undefined && (allowed & (1n << BigInt(label))) !== 0n;
  }

  #isLeaf(state: number, allowed: bigint): boolean {
    return this.#accepts(state, allowed) && this.#edges(state, allowed).length === 0;
  }

  #branching(state: number, allowed: bigint, wanted: WantedKeys): Expression {
    const left = (this.#reach[state] ?? 0n) & allowed;
    const key = `${this.#key} ${state} ${left.toString(32)} ${wanted.following}`;
    return this.#rules.named(key, this.#hint, () => {
      const edges = this.#edges(state, allowed);
      const node: AutomatonNode = {
        edges: edges
          .filter(([, target]) => target !== state)
          .map(([set, target]) => ({
            set,
            inline: () => this.#keyNode(target, allowed, wanted),
            shared: () => this.#branching(target, allowed, wanted),
          })),
        loop: edges.find(([, target]) => target === state)?.[0] ?? [],
        self: () => this.#branching(state, allowed, wanted),
        end: this.#accepts(state, allowed) ? this.#ending(state, wanted) : null,
      };
      return writeNode(node, this.#spelling, this.#rules);
    });
  }

  #ending(state: number, wanted: WantedKeys): Expression {
    return wanted.ending(this.#automaton.states[state]?.label ?? 0);
  }
}

function reachableLabels(keys: Automaton): readonly bigint[] {
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
