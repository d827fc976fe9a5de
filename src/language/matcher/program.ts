/**
 * Compiles a grammar for matching: each rule body becomes a graph of nodes linked by `next`. A body ends in `null`;
 * matching then continues with the stack of the rule that entered it.
 *
 *     a "," b*      call a ─▶ character "," ─▶ loop b ─▶ null
 *
 * Rules are compiled when they are first entered: in a grammar of a thousand tools, a call uses one.
 */
import { GrammarError } from '../../format/errors.ts';
import {
  type CodePointRange,
  type Expression,
  empty,
  literal,
  repeat,
  sequenceOf,
} from '../expression/expression.ts';
import { definedRule, sizeOfRules } from '../expression/references.ts';
import type { Steps } from '../expression/steps.ts';
import { type LookupSet, lookupSet } from './lookup-set.ts';

/** One step of a rule body. `null` instead of a node is the end of the body. */
export type ProgramNode = CharacterNode | ChoiceNode | CallNode | LoopNode;

interface NodeBase {
  /** Unique within a program. */
  readonly index: number;
  /** The next node of this body; `null` at its end. */
  readonly next: ProgramNode | null;
  /** What this node matches, without `next`. */
  readonly expression: Expression;
}
/** Matches one character of a set. */
export interface CharacterNode extends NodeBase {
  readonly type: 'character';
  readonly set: LookupSet;
}
/** Enters one of several bodies, each of which continues with `next` itself. */
interface ChoiceNode extends NodeBase {
  readonly type: 'choice';
  readonly branches: readonly (ProgramNode | null)[];
}
/** Enters another rule. */
interface CallNode extends NodeBase {
  readonly type: 'call';
  readonly rule: string;
}
/** Repeats a body; the count is kept on the stack. */
interface LoopNode extends NodeBase {
  readonly type: 'loop';
  readonly item: Expression;
  readonly body: ProgramNode | null;
  readonly min: number;
  readonly max: number | null;
}

/** A set with a number that is unique within a program. */
interface NumberedSet {
  readonly number: number;
  readonly set: LookupSet;
}

/** More than there are sets: one for each character and token, and one for each class that a grammar writes. */
const setLimit = 2 ** 24;

/** Counts share the bits of a numeric key with node indexes. */
export const countLimit = 2 ** 20;

/** Size of a rule, in parts, from which on it is compiled ahead. */
const largeRule = 500;
/** A map that grows is copied at once: one of a million nodes would take 40 milliseconds. */
const nodeMaps = 16;
/** Characters of a literal that are compiled in one step. */
const stepLength = 2_000;

/** A grammar without `until`, and the compiled bodies of the rules entered so far. */
export class Program {
  readonly #rules: ReadonlyMap<string, Expression>;
  readonly #bodies = new Map<string, ProgramNode | null>();
  /** Sets by their only member, or by all of their ranges. */
  readonly #sets = new Map<number | string, NumberedSet>();
  /** Nodes by what they do and what follows; equal ones are the same object, so that equal positions are, too. */
  readonly #nodes = Array.from({ length: nodeMaps }, () => new Map<string, ProgramNode>());
  readonly #characters = Array.from({ length: nodeMaps }, () => new Map<number, ProgramNode>());
  #nodeCount = 0;

  constructor(rules: ReadonlyMap<string, Expression>) {
    this.#rules = rules;
  }

  /** First node of a rule; `null` if the rule matches only the empty text. */
  body(name: string): ProgramNode | null {
    const known = this.#bodies.get(name);
    if (known !== undefined) return known;
    const body = this.#compile(definedRule(this.#rules, name), null);
    this.#bodies.set(name, body);
    return body;
  }

  /** Compiles the rules that would take too long when they are entered: enums of thousands of texts, long literals. */
  *prepare(): Steps<void> {
    for (const [name, rule] of this.#rules) {
      if (sizeOfRules([rule], largeRule) <= largeRule) continue;
      this.#bodies.set(name, yield* this.#compileSteps(rule, null));
    }
  }

  /** `#compile` in steps. */
  *#compileSteps(expression: Expression, next: ProgramNode | null): Steps<ProgramNode | null> {
    switch (expression.type) {
      case 'literal':
        return yield* this.#literalSteps(expression.text, next);
      case 'sequence': {
        let following = next;
        for (const item of expression.items.toReversed())
          following = yield* this.#compileSteps(item, following);
        return following;
      }
      case 'choice': {
        const branches: (ProgramNode | null)[] = [];
        for (const each of expression.alternatives) branches.push(yield* this.#compileSteps(each, next));
        return this.#choice(expression, branches, next);
      }
      default:
        return this.#compile(expression, next);
    }
  }

  *#literalSteps(text: string, next: ProgramNode | null): Steps<ProgramNode | null> {
    let following = next;
    for (let end = text.length; end > 0; ) {
      const start = wholeCharacters(text, Math.max(0, end - stepLength));
      following = this.#literal(text.slice(start, end), following);
      end = start;
      yield;
    }
    return following;
  }

  /** Compiles `expression` to a node that continues with `next`. */
  #compile(expression: Expression, next: ProgramNode | null): ProgramNode | null {
    switch (expression.type) {
      case 'literal':
        return this.#literal(expression.text, next);
      case 'class':
        return this.#character(this.#set(expression.ranges), expression, next);
      case 'sequence':
        return expression.items.reduceRight<ProgramNode | null>(
          (following, item) => this.#compile(item, following),
          next,
        );
      case 'choice': {
        const branches = expression.alternatives.map((each) => this.#compile(each, next));
        return this.#choice(expression, branches, next);
      }
      case 'repeat':
        return this.#loop(expression.item, expression.min, expression.max, next);
      case 'rule':
        return this.#node(`call ${expression.name}`, next, (index) => {
          return { type: 'call', index, next, expression, rule: expression.name };
        });
      case 'until':
        throw new TypeError('until is expanded before compiling');
    }
  }

  #choice(
    expression: Expression,
    branches: readonly (ProgramNode | null)[],
    next: ProgramNode | null,
  ): ProgramNode {
    const key = `choice ${branches.map((each) => each?.index ?? 0).join()}`;
    return this.#node(key, next, (index) => ({ type: 'choice', index, next, expression, branches }));
  }

  #literal(text: string, next: ProgramNode | null): ProgramNode | null {
    return Array.from(text).reduceRight<ProgramNode | null>((following, char) => {
      return this.#character(this.#only(char.codePointAt(0) ?? 0), literal(char), following);
    }, next);
  }

  #only(code: number): NumberedSet {
    const known = this.#sets.get(code);
    return known ?? this.#numbered(code, [[code, code]]);
  }

  #set(ranges: readonly CodePointRange[]): NumberedSet {
    const [first] = ranges;
    if (ranges.length === 1 && first !== undefined && first[0] === first[1]) return this.#only(first[0]);
    const key = ranges.join(';');
    return this.#sets.get(key) ?? this.#numbered(key, ranges);
  }

  #numbered(key: number | string, ranges: readonly CodePointRange[]): NumberedSet {
    const set = { number: this.#sets.size, set: lookupSet(ranges) };
    this.#sets.set(key, set);
    return set;
  }

  /** The node that matches one character of a set and continues with `next`. */
  #character({ number, set }: NumberedSet, expression: Expression, next: ProgramNode | null): ProgramNode {
    const following = next?.index ?? 0;
    const nodes = this.#characters[following % nodeMaps] ?? new Map<number, ProgramNode>();
    const key = following * setLimit + number;
    const known = nodes.get(key);
    if (known !== undefined) return known;
    this.#nodeCount += 1;
    const node: CharacterNode = { type: 'character', index: this.#nodeCount, next, expression, set };
    nodes.set(key, node);
    return node;
  }

  #loop(item: Expression, min: number, max: number | null, next: ProgramNode | null): ProgramNode {
    if ((max ?? min) >= countLimit) {
      throw new GrammarError({ reason: `repeats up to ${max ?? min} times; the limit is ${countLimit - 1}` });
    }
    const expression = repeat(item, min, max);
    const body = this.#compile(item, null);
    return this.#node(`loop ${body?.index ?? 0} ${min} ${max}`, next, (index) => {
      return { type: 'loop', index, next, expression, item, body, min, max };
    });
  }

  /** The node that does what `key` says and continues with `next`. Indexes begin with 1. */
  #node(key: string, next: ProgramNode | null, make: (index: number) => ProgramNode): ProgramNode {
    const following = next?.index ?? 0;
    const nodes = this.#nodes[following % nodeMaps] ?? new Map<string, ProgramNode>();
    const whole = `${following} ${key}`;
    const known = nodes.get(whole);
    if (known !== undefined) return known;
    this.#nodeCount += 1;
    const node = make(this.#nodeCount);
    nodes.set(whole, node);
    return node;
  }
}

/** The last place up to `at` that is not within a surrogate pair. */
function wholeCharacters(text: string, at: number): number {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at;
}

/** The rest of a body from `node` on, after `count` repetitions if `node` is a loop. */
export function remainder(node: ProgramNode | null, count: number): Expression {
  const items: Expression[] = [];
  let done = count;
  for (let each = node; each !== null; each = each.next) {
    items.push(each.type === 'loop' ? restOfLoop(each, done) : each.expression);
    done = 0;
  }
  return sequenceOf(items);
}

function restOfLoop({ item, min, max }: LoopNode, done: number): Expression {
  if (max !== null && done >= max) return empty;
  return repeat(item, Math.max(0, min - done), max === null ? null : max - done);
}
