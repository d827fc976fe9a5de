/**
 * Writes automata whose loops have limits (`counted-loops.ts`): a rule for each position on an acyclic path and, at the
 * entry of a loop, as many cycles as it may have. For the example there, with its states as names:
 *
 *     0       ::= "/" 1
 *     1       ::= [a-z] 2
 *     2       ::= (cycle{0,12} | [a-z]{0,24}) ("?" 3 | end)
 *     3       ::= [a-z]{0,3} end
 *     cycle   ::= "/" [a-z] | [a-z]
 *
 * A cycle counts as its longest one, of two characters; the second alternative makes up for it.
 */
import { choice, type Expression, empty, sequence } from '../expression/expression.ts';
import type { RuleSet } from '../expression/rule-set.ts';
import type { AutomatonEdge } from './automaton.ts';
import { countedRepeat } from './counted.ts';
import { type CountedLoops, type LoopPosition, positionKey, stepsFrom } from './counted-loops.ts';
import type { Spelling } from './spelling.ts';
import { writeNode } from './write-automaton.ts';
import { spelledCharacter } from './write-characters.ts';

/** Writes the texts of `loops` in `spelling`, then `end`, whose first character begins no spelling. */
export function writeCountedLoops(
  loops: CountedLoops,
  spelling: Spelling,
  end: Expression,
  rules: RuleSet,
  hint: string,
): Expression {
  const number = rules.automatonNumber(loops.automaton);
  const key = `counted ${spelling.id} ${JSON.stringify(end)} ${number} ${[...loops.characters].join()}`;
  return new CountedWriter(loops, spelling, end, rules, hint, rules.shortKey(key)).start();
}

class CountedWriter {
  readonly #loops: CountedLoops;
  readonly #spelling: Spelling;
  readonly #end: Expression;
  readonly #rules: RuleSet;
  readonly #hint: string;
  readonly #key: string;
  readonly #aliveByKey = new Map<string, boolean>();

  constructor(
    loops: CountedLoops,
    spelling: Spelling,
    end: Expression,
    rules: RuleSet,
    hint: string,
    key: string,
  ) {
    this.#loops = loops;
    this.#spelling = spelling;
    this.#end = end;
    this.#rules = rules;
    this.#hint = hint;
    this.#key = key;
  }

  start(): Expression {
    return this.#reference({ state: 0, afterEntry: false });
  }

  #reference(position: LoopPosition): Expression {
    const { automaton } = this.#loops;
    const { accepts = false, edges = [] } = automaton.states[position.state] ?? {};
    if (edges.length === 0) return accepts ? this.#end : empty;
    return this.#rules.named(`${this.#key} ${positionKey(position)}`, this.#hint, () => this.#node(position));
  }

  #node(position: LoopPosition): Expression {
    const { automaton, entries } = this.#loops;
    const { state } = position;
    const steps = stepsFrom(automaton, entries, position).filter(([, next]) => this.#isAlive(next));
    const rest = writeNode(
      {
        edges: steps.map(([[set], next]) => ({
          set,
          inline: () => this.#reference(next),
          shared: () => this.#reference(next),
        })),
        // Cycles are written by `#repeated`, so no self-loop remains.
        loop: [],
        self: () => empty,
        end: automaton.states[state]?.accepts ? this.#end : null,
      },
      this.#spelling,
      this.#rules,
    );
    return entries[state] === state ? sequence(this.#repeated(state), rest) : rest;
  }

  /** The iterations of a loop or, if the entry loops on itself, more single characters. */
  #repeated(entry: number): Expression {
    const { automaton, characters, lengths } = this.#loops;
    const most = characters.get(entry) ?? 0;
    const iterations = Math.floor(most / (lengths.get(entry) ?? 1));
    const all = iterations === 0 ? empty : countedRepeat(this.#cycle(entry), 0, iterations, this.#rules);
    const loop = automaton.states[entry]?.edges.find(([, target]) => target === entry);
    if (loop === undefined || iterations === most) return all;
    const single = spelledCharacter(loop[0], this.#spelling, this.#rules);
    return choice(all, countedRepeat(single, 0, most - (most % (lengths.get(entry) ?? 1)), this.#rules));
  }

  /** Whether acceptance is reachable from `position`. */
  #isAlive(position: LoopPosition): boolean {
    const { automaton, entries } = this.#loops;
    const key = positionKey(position);
    const known = this.#aliveByKey.get(key);
    if (known !== undefined) return known;
    const alive =
      automaton.states[position.state]?.accepts === true ||
      stepsFrom(automaton, entries, position).some(([, next]) => this.#isAlive(next));
    this.#aliveByKey.set(key, alive);
    return alive;
  }

  /** One cycle through `entry`. */
  #cycle(entry: number): Expression {
    return this.#rules.named(`${this.#key} cycle ${entry}`, `${this.#hint}-part`, () =>
      this.#path(entry, entry),
    );
  }

  #path(state: number, entry: number): Expression {
    const { automaton, entries } = this.#loops;
    const edges = (automaton.states[state]?.edges ?? []).filter(([, target]) => entries[target] === entry);
    const follow = ([, target]: AutomatonEdge) =>
      target === entry
        ? empty
        : this.#rules.named(`${this.#key} path ${target}`, `${this.#hint}-part`, () =>
            this.#path(target, entry),
          );
    return writeNode(
      {
        edges: edges.map((edge) => ({
          set: edge[0],
          inline: () => follow(edge),
          shared: () => follow(edge),
        })),
        // Only the entry may lead to itself, and an edge to it ends the cycle.
        loop: [],
        self: () => empty,
        end: null,
      },
      this.#spelling,
      this.#rules,
    );
  }
}
