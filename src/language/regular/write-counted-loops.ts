/**
 * Writes automata whose loops are counted (`counted-loops.ts`): a rule for each node. For the example there, with the
 * units that are left:
 *
 *     start  ::= "a" bc-4
 *     bc-4   ::= [bc]{5} bc-3 | [bc]{1,4} rest-3 | rest-4
 *     rest-4 ::= "-" de-4
 *
 * Pieces of a loop with longer cycles are written as automata of the loop, with a counter.
 */
import { choice, type Expression, empty, sequence } from '../expression/expression.ts';
import type { RuleSet } from '../expression/rule-set.ts';
import { countedRepeat } from './counted.ts';
import type { CountedLoops } from './counted-loops.ts';
import type { LoopNode } from './loop-nodes.ts';
import { regionAutomaton } from './loop-paths.ts';
import { type CountedLoop, hasPartialPieces, pieceAutomaton } from './loop-pieces.ts';
import type { Spelling } from './spelling.ts';
import { writeAutomaton, writeNode } from './write-automaton.ts';
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
  const key = `counted ${spelling.id} ${JSON.stringify(end)} ${number} ${loops.way}`;
  return new CountedWriter(loops, spelling, end, rules, hint, rules.shortKey(key)).start();
}

class CountedWriter {
  readonly #loops: CountedLoops;
  readonly #spelling: Spelling;
  readonly #end: Expression;
  readonly #rules: RuleSet;
  readonly #hint: string;
  readonly #key: string;

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
    return this.#reference(this.#loops.start);
  }

  #reference(index: number): Expression {
    const node = this.#loops.nodes[index];
    if (node?.type === 'step' && node.edges.length === 0) return this.#end;
    return this.#rules.named(`${this.#key} ${index}`, this.#hint, () => this.#node(index));
  }

  #node(index: number): Expression {
    const node = this.#loops.nodes[index];
    if (node === undefined) return empty;
    if (node.type === 'loop') return this.#loop(node);
    if (node.type === 'region') {
      const automaton = regionAutomaton(this.#loops.paths, node.from, node.joint);
      const text = writeAutomaton(automaton, this.#spelling, empty, this.#rules, `${this.#hint}-part`);
      return sequence(text, this.#reference(node.next));
    }
    return writeNode(
      {
        edges: node.edges.map(([set, target]) => {
          const follow = () => this.#reference(target);
          return { set, inline: follow, shared: follow };
        }),
        // Iterations are counted, so no node leads to itself.
        loop: [],
        self: () => empty,
        end: node.accepts ? this.#end : null,
      },
      this.#spelling,
      this.#rules,
    );
  }

  /** After the last unit, it does not matter whether it is full. */
  #loop({ loop, full, part, none }: LoopNode): Expression {
    const alternatives: Expression[] = [];
    if (full !== null) {
      const unit = full === part ? this.#iterations(loop, loop.pieces) : this.#fullUnit(loop);
      alternatives.push(sequence(unit, this.#reference(full)));
    }
    if (part !== null && full !== part) {
      alternatives.push(sequence(this.#iterations(loop, loop.pieces - 1), this.#reference(part)));
    }
    if (none !== null) alternatives.push(this.#reference(none));
    return choice(...alternatives);
  }

  #fullUnit(loop: CountedLoop): Expression {
    const { piece, pieces } = loop;
    const single = this.#single(loop);
    return this.#part(
      single === null
        ? countedRepeat(this.#piece(loop, true), pieces, pieces, this.#rules)
        : countedRepeat(single, piece, piece, this.#rules),
    );
  }

  /** At least one iteration, and at most so many full pieces. */
  #iterations(loop: CountedLoop, pieces: number): Expression {
    const single = this.#single(loop);
    if (single !== null) {
      const most = pieces === loop.pieces ? loop.piece : loop.piece - 1;
      return this.#part(countedRepeat(single, 1, most, this.#rules));
    }
    const fulls = (least: number, most: number) =>
      countedRepeat(this.#piece(loop, true), least, most, this.#rules);
    if (!hasPartialPieces(loop)) return this.#part(fulls(1, pieces));
    const part = this.#piece(loop, false);
    if (pieces === 0) return part;
    return this.#part(choice(sequence(fulls(0, Math.min(pieces, loop.pieces - 1)), part), fulls(1, pieces)));
  }

  /** The engine expands repetitions, so those of a loop are a rule. */
  #part(expression: Expression): Expression {
    return this.#rules.add(`${this.#hint}-part`, expression);
  }

  /** The character of a loop whose cycles have one. */
  #single({ entry, cycle }: CountedLoop): Expression | null {
    const edge = this.#loops.automaton.states[entry]?.edges.find(([, target]) => target === entry);
    if (cycle.max > 1 || edge === undefined) return null;
    return spelledCharacter(edge[0], this.#spelling, this.#rules);
  }

  #piece(loop: CountedLoop, isFull: boolean): Expression {
    const key = `${this.#key} piece ${loop.entry} ${loop.piece} ${isFull}`;
    return this.#rules.remember(key, () => {
      const automaton = pieceAutomaton(this.#loops.automaton, this.#loops.entries, loop, isFull);
      return writeAutomaton(automaton, this.#spelling, empty, this.#rules, `${this.#hint}-part`);
    });
  }
}
