/**
 * Declared keys, and optionally any other key, as nested groups in which the next character decides:
 *
 *     "n" ("a" ("m" … | key-rest-1 end) | ("o" any+ | key-rest-2) end)
 *   | "s" ("o" ("\": " … | any+ end) | key-rest-3 end)
 *   | key-rest-4 end
 *
 * `any+` is one or more of any character; `key-rest` any text that does not go on in the trie; `end` the end of an
 * undeclared key. The trie of `name` and `so`, which are allowed, and `no`, which is not, and what is written for each
 * node:
 *
 *     · ─ n ─ a ─ m ─ e      `#child`, and so on; at the end of a key its `ending`
 *     │   ├ ─ o              `OtherKeys`: no key of the node is allowed, only longer ones: `any+`, for more keys
 *     │   │                  `key-other`
 *     │   └ ─ any other      `KeyExits`: `key-rest`, without `a` and `o`
 *     └ ─ s ─ o              `KeyExits.chain`: a single key, with an exit at each character
 *
 * Where no other key is allowed there are no exits: `n` is followed by `ame` at once (`#closedNode`).
 */
import { alternatives } from '../../language/expression/alternatives.ts';
import { choice, type Expression, literal, sequence } from '../../language/expression/expression.ts';
import type { RuleSet } from '../../language/expression/rule-set.ts';
import { labelsPerStep } from '../plan/object-plan.ts';
import type { ObjectNotation } from '../write/syntax.ts';
import { isTooDeep, KeyExits, leading } from './key-exits.ts';
import { type KeyNode, keyTree } from './key-tree.ts';
import { OtherKeys } from './other-keys.ts';

/** The keys allowed at a position of an object, and what follows each. */
export interface WantedKeys {
  /** Labels of keys, in ascending order. */
  readonly labels: readonly number[];
  /** Equal for positions at which the same follows each label. */
  readonly following: string;
  /** The end of key `label`, its value, and everything that follows. */
  ending(label: number): Expression;
}

/** Writes the keys of an object. */
export interface KeyWriter {
  /** One of the wanted keys, after its opening text, and everything that follows. */
  keys(wanted: WantedKeys): Expression;
}

/** State of a walk through the trie. */
interface KeyWalk {
  readonly wanted: WantedKeys;
  readonly allowed: ReadonlySet<number>;
  /** The end of an undeclared key; `null` if none is allowed. */
  readonly free: Expression | null;
  /** Memoised label ranges. */
  readonly ranges: Map<KeyNode, Range | null>;
}

type Range = readonly [first: number, last: number];

/** Which positions of an object look alike, so that sharing their rules is worthwhile. */
interface KeyPlaces {
  /** For each label, the first position at which its key may come; the last entry is for undeclared keys. */
  readonly earliest: readonly number[];
  /** Whether several states share a position, because the object counts properties or its keys come in any order. */
  readonly manyPerPosition: boolean;
}

/** Writes keys that no pattern distinguishes: the declared ones and, with the next higher label, any other. */
export class KeyTrie implements KeyWriter {
  readonly #root: KeyNode;
  readonly #freeLabel: number;
  readonly #places: KeyPlaces;
  readonly #rules: RuleSet;
  readonly #exits: KeyExits;
  readonly #others: OtherKeys;
  readonly #key: string;
  readonly #hint: string;

  /** `key` must be unique among the objects of a rule set. */
  constructor(
    keys: readonly string[],
    places: KeyPlaces,
    { object, rules }: { readonly object: ObjectNotation; readonly rules: RuleSet },
    key: string,
    hint: string,
  ) {
    this.#root = keyTree(keys);
    this.#freeLabel = keys.length;
    this.#places = places;
    this.#rules = rules;
    this.#exits = new KeyExits(keys, object, rules);
    this.#key = key;
    this.#hint = `${hint}-key`;
    this.#others = new OtherKeys(this.#exits, rules, key, this.#hint);
  }

  keys(wanted: WantedKeys): Expression {
    this.#rules.charge(1 + Math.floor(wanted.labels.length / labelsPerStep));
    const allowed = new Set(wanted.labels);
    const free = allowed.has(this.#freeLabel) ? wanted.ending(this.#freeLabel) : null;
    return this.#node(this.#root, { wanted, allowed, free, ranges: new Map() }, 0);
  }

  /** The rest of a key below `node`; `nested`: how many parentheses are open inline. */
  #node(node: KeyNode, walk: KeyWalk, nested: number): Expression {
    this.#rules.charge(2 + (node.size >> 6));
    const { free } = walk;
    if (free === null) return this.#closedNode(node, walk, nested);
    if (this.#range(node, walk) === null) return sequence(this.#others.of(node), free);
    if (!this.#exits.isChain(node, nested)) return this.#openNode(node, walk, free, nested);
    return this.#exits.chain(node, this.#endings(node.first.label, walk), free);
  }

  /** The end of the key `label` and what follows it, if it is allowed. */
  #endings(label: number | null, { allowed, wanted }: KeyWalk): readonly Expression[] {
    return label !== null && allowed.has(label) ? [wanted.ending(label)] : [];
  }

  /** If only declared keys are allowed, writes their common prefix as one literal. */
  #closedNode(from: KeyNode, walk: KeyWalk, nested: number): Expression {
    const node = this.#fork(from, walk);
    const text = node.first.text.slice(from.depth, node.depth);
    const ends = this.#endings(node.label, walk);
    const wanted = this.#wanted(node, walk, nested);
    return sequence(literal(this.#exits.spelling.text(text)), alternatives(...wanted, ...ends));
  }

  /** The first node from `node` on at which there is a choice. */
  #fork(node: KeyNode, walk: KeyWalk): KeyNode {
    let fork = node;
    for (;;) {
      if (fork.size === 1) return fork.end;
      if (fork.label !== null && walk.allowed.has(fork.label)) return fork;
      const alive = fork.children.filter((child) => this.#range(child, walk) !== null);
      const [only] = alive;
      if (only === undefined || alive.length > 1) return fork;
      fork = only;
    }
  }

  /** If any other key is allowed, too. */
  #openNode(node: KeyNode, walk: KeyWalk, free: Expression, nested: number): Expression {
    const { label } = node;
    const ends = this.#endings(label, walk);
    if (!this.#exits.isPlain(node)) {
      return this.#exits.escaped(node, {
        follow: (child) => this.#node(child, walk, nested + 1),
        shared: (each) =>
          this.#named(each, walk, () => this.#node(each, walk, each === node ? 0 : nested + 1)),
        end: label === null ? free : (ends[0] ?? null),
        free,
      });
    }
    const rest = this.#exits.restAt(node);
    const others = sequence(choice(...this.#unwanted(node, walk), rest), free);
    return choice(...this.#wanted(node, walk, nested), ...ends, others);
  }

  /**
   * The wanted keys below `node`, by next character; many children are split into groups that other positions share.
   */
  #wanted(node: KeyNode, walk: KeyWalk, nested: number): readonly Expression[] {
    const { children } = node;
    if (this.#exits.isGrouped(node))
      return node.groups.flatMap((group) => this.#wantedGroup(group, walk, nested));
    const alive = children.filter((child) => this.#range(child, walk) !== null);
    // If other keys are allowed, unwanted children are written, too (`#unwanted`).
    const isBranch = walk.free === null ? alive.length > 1 : children.length > 1;
    return alive.map((child) => this.#child(child, walk, nested, isBranch));
  }

  #wantedGroup(group: KeyNode, walk: KeyWalk, nested: number): readonly Expression[] {
    if (this.#range(group, walk) === null) return [];
    if (!this.#isShared(group, walk)) return this.#wanted(group, walk, nested);
    return [this.#named(group, walk, () => choice(...this.#wanted(group, walk, 0)), 'any')];
  }

  /** The rest of unwanted keys that share a prefix with `node`. */
  #unwanted(node: KeyNode, walk: KeyWalk): readonly Expression[] {
    const isUnwanted = (each: KeyNode) => this.#range(each, walk) === null;
    if (!this.#exits.isGrouped(node))
      return node.children.filter(isUnwanted).map((child) => this.#others.below(child));
    return node.groups.flatMap((group) =>
      isUnwanted(group) ? [this.#others.belowGroup(group)] : this.#unwanted(group, walk),
    );
  }

  /** The character that leads to `child`, then the rest of the key; a rule if other positions need it, too. */
  #child(child: KeyNode, walk: KeyWalk, nested: number, isBranch: boolean): Expression {
    const character = leading(child);
    const text = this.#exits.spelling.text(character);
    const write = (deep: number) => sequence(literal(text), this.#node(child, walk, deep));
    // Escapes share prefixes, which can be factored out only inline.
    const named = text === character && (isTooDeep(nested) || (isBranch && this.#isShared(child, walk)));
    return named ? this.#named(child, walk, () => write(0), text) : write(nested + 1);
  }

  /**
   * A rule for what is below `node`. First and last label tell which keys are allowed there: in the schema's order, all
   * that can be written in between are. In any other order, `following` tells the position.
   */
  #named(node: KeyNode, walk: KeyWalk, write: () => Expression, leadingText = ''): Expression {
    const [first, last] = this.#range(node, walk) ?? [-1, -1];
    const key = `${this.#key} ${node.id} ${leadingText} ${first} ${last} ${walk.free !== null} ${walk.wanted.following}`;
    return this.#rules.named(key, this.#hint, write);
  }

  /** Whether the same keys of `node` are allowed at another position, too. */
  #isShared(node: KeyNode, walk: KeyWalk): boolean {
    const { earliest, manyPerPosition } = this.#places;
    const [first] = this.#range(node, walk) ?? [];
    if (first === undefined) return false;
    if (manyPerPosition) return true;
    let before = (earliest[first] ?? 0) - 1;
    for (let at = 0; at < node.size; at += 1) {
      const { label } = node.at(at);
      if (label < first && label > before) before = label;
    }
    // At all positions after `before`, up to `first`, the first label allowed in the node is `first`.
    return first - before > 1;
  }

  /** Minimum and maximum label allowed below `node`; `null` if there is none. */
  #range(node: KeyNode, { allowed, ranges }: KeyWalk): Range | null {
    const known = ranges.get(node);
    if (known !== undefined) return known;
    let first = this.#freeLabel;
    let last = -1;
    for (let at = 0; at < node.size; at += 1) {
      const { label } = node.at(at);
      if (!allowed.has(label)) continue;
      first = Math.min(first, label);
      last = Math.max(last, label);
    }
    const range: Range | null = last < 0 ? null : [first, last];
    ranges.set(node, range);
    return range;
  }
}
