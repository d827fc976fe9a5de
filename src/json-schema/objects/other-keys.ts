/**
 * The rest of a key that must differ from all keys of a node of the trie, none of which is allowed at this position. For
 * the node `n` of `name` and `no`:
 *
 *     "a" key-other | "o" any+ | key-rest     not `me` after `a`; one or more of any; any other character, or none
 *
 * It depends on the rests of those keys alone, so all objects of a grammar share the rules.
 */
import { choice, type Expression, empty, literal, sequence } from '../../language/expression/expression.ts';
import type { RuleSet } from '../../language/expression/rule-set.ts';
import { isTooDeep, type KeyExits, leading } from './key-exits.ts';
import type { KeyNode } from './key-tree.ts';

/** Writes the other keys of one object. */
export class OtherKeys {
  readonly #exits: KeyExits;
  readonly #rules: RuleSet;
  readonly #key: string;
  readonly #hint: string;
  readonly #known = new Map<KeyNode, Expression>();

  /** `key` must be unique among the objects of a rule set. */
  constructor(exits: KeyExits, rules: RuleSet, key: string, hint: string) {
    this.#exits = exits;
    this.#rules = rules;
    this.#key = key;
    this.#hint = hint;
  }

  /** The rest of a key that differs from all keys of `node`. */
  of(node: KeyNode): Expression {
    const known = this.#known.get(node);
    if (known !== undefined) return known;
    const isEnd = node.size <= 1 && node.rest === '';
    const made = isEnd
      ? this.#exits.rest('', node.size === 0)
      : this.#rules.named(`other key ${this.#exits.script} ${node.ends}`, 'key-other', () =>
          this.#node(node, 0),
        );
    this.#known.set(node, made);
    return made;
  }

  /** The same below `child`, after the character that leads to it. */
  below(child: KeyNode): Expression {
    return sequence(literal(leading(child)), this.of(child));
  }

  /** The same below each child of a group of them. */
  belowGroup(group: KeyNode): Expression {
    const key = `other keys ${this.#exits.script} ${group.ends}`;
    return this.#rules.named(key, 'key-other', () =>
      choice(...group.children.map((child) => this.below(child))),
    );
  }

  #node(node: KeyNode, nested: number): Expression {
    this.#rules.charge(2 + (node.size >> 6));
    if (this.#exits.isChain(node, nested)) return this.#exits.chain(node, [], empty);
    if (this.#exits.isPlain(node)) {
      const rest = this.#exits.restAt(node);
      return choice(...this.#children(node, nested), rest);
    }
    return this.#exits.escaped(node, {
      follow: (child) => this.#node(child, nested + 1),
      shared: (each) => this.#named(each, '', () => this.#node(each, each === node ? 0 : nested + 1)),
      end: node.label === null ? empty : null,
      free: empty,
    });
  }

  #children(node: KeyNode, nested: number): readonly Expression[] {
    if (this.#exits.isGrouped(node)) return node.groups.map((group) => this.belowGroup(group));
    const [child, second] = node.children;
    if (child === undefined || second !== undefined) return node.children.map((each) => this.below(each));
    return [this.#onlyChild(child, nested)];
  }

  /** What all keys of a node have in common is written inline, up to some depth. */
  #onlyChild(child: KeyNode, nested: number): Expression {
    const text = leading(child);
    const write = (depth: number) => sequence(literal(text), this.#node(child, depth));
    return isTooDeep(nested) ? this.#named(child, text, () => write(0)) : write(nested + 1);
  }

  #named(node: KeyNode, text: string, write: () => Expression): Expression {
    return this.#rules.named(`${this.#key} ${node.id} ${text} others`, this.#hint, write);
  }
}
