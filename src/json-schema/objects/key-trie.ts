/**
 * Declared keys, and optionally any other key, as nested groups in which the next character decides:
 *
 *     "n" ("a" ("me\": " … | key-rest-2 end) | key-rest end) | ("s" key-other | key-rest-3) end
 *
 * The trie of `name` and `so`, which are allowed, and `no`, which is not, and what is written for each node:
 *
 *     · ─ n ─ a ─ m ─ e      `#child`, and so on; at the end of a key its `ending`
 *     │   ├ ─ o              `#unwanted`: no key of the node is allowed, only longer ones: `key-other`
 *     │   └ ─ any other      `#rest`: `key-rest`, without `a` and `o`
 *     └ ─ s ─ o              `#chain`: a single key, with an exit at each character
 *
 * `key-rest` is the rest of a key that leaves the trie here. `key-other` is the rest of a key that must differ from
 * some declared keys, none of which is allowed. Both depend only on the excluded characters and on the rests of those
 * keys, so all objects of a grammar share them.
 */
import { alternatives } from '../../language/expression/alternatives.ts';
import {
  choice,
  type Expression,
  empty,
  literal,
  optional,
  repeat,
  sequence,
} from '../../language/expression/expression.ts';
import type { RuleSet } from '../../language/expression/rule-set.ts';
import {
  allCharacters,
  type CharacterSet,
  characterSet,
  charactersOf,
  codePoint,
  setHas,
  setKey,
  subtractSets,
} from '../../language/regular/character-set.ts';
import { plainSpelling, type Spelling } from '../../language/regular/spelling.ts';
import { writeNode } from '../../language/regular/write-automaton.ts';
import { spelledCharacter, spelledExcept } from '../../language/regular/write-characters.ts';
import { labelsPerStep } from '../plan/object-plan.ts';
import type { ObjectNotation } from '../write/syntax.ts';
import { type KeyNode, keyTree } from './key-tree.ts';

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
interface Walk {
  readonly wanted: WantedKeys;
  readonly allowed: ReadonlySet<number>;
  /** The end of an undeclared key; `null` if none is allowed. */
  readonly free: Expression | null;
  /** Memoised label ranges. */
  readonly ranges: Map<KeyNode, Range | null>;
}

type Range = readonly [first: number, last: number];

/** Which positions of an object look alike, so that sharing their rules is worthwhile. */
export interface KeyPlaces {
  /** For each label, the first position at which its key may come; the last entry is for undeclared keys. */
  readonly earliest: readonly number[];
  /** Whether several states share a position, because the object counts properties or its keys come in any order. */
  readonly manyPerPosition: boolean;
}

/** No declared key is allowed, and nothing follows. */
const nothing: WantedKeys = { labels: [], following: 'nothing', ending: () => empty };

/** Groups nested more deeply become rules. */
const maxDepth = 100;
/** Nodes with more children are split into groups. */
const maxUngrouped = 8;

/** Writes keys that no pattern distinguishes: the declared ones and, with the next higher label, any other. */
export class KeyTrie implements KeyWriter {
  readonly #root: KeyNode;
  readonly #freeLabel: number;
  readonly #places: KeyPlaces;
  readonly #rules: RuleSet;
  readonly #spelling: Spelling;
  /** Characters allowed in keys. */
  readonly #characters: CharacterSet;
  /** Equal for objects whose undeclared keys are written alike. */
  readonly #script: string;
  /** Whether no declared key contains a character that is escaped. */
  readonly #plain: boolean;
  readonly #rests = new Map<string, Expression>();
  readonly #others = new Map<KeyNode, Expression>();
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
    this.#spelling = object.keySpelling ?? plainSpelling;
    const forbidden = forbiddenInKeys(object);
    this.#characters = forbidden.length === 0 ? allCharacters : subtractSets(allCharacters, forbidden);
    this.#script = rules.shortKey(`${this.#spelling.id} ${setKey(this.#characters)}`);
    this.#plain = keys.every((text) => this.#spelling.text(text) === text);
    this.#key = key;
    this.#hint = `${hint}-key`;
  }

  keys(wanted: WantedKeys): Expression {
    this.#rules.charge(1 + Math.floor(wanted.labels.length / labelsPerStep));
    const allowed = new Set(wanted.labels);
    const free = allowed.has(this.#freeLabel) ? wanted.ending(this.#freeLabel) : null;
    return this.#node(this.#root, { wanted, allowed, free, ranges: new Map() }, 0);
  }

  /** The rest of a key below `node`. */
  #node(node: KeyNode, walk: Walk, nested: number): Expression {
    this.#rules.charge(2 + (node.size >> 6));
    if (walk.free === null) return this.#closedNode(node, walk, nested);
    const none = walk.wanted !== nothing && this.#range(node, walk) === null;
    if (none) return sequence(this.#other(node), walk.free);
    const single = this.#plain && node.size === 1 && node.rest.length + nested < maxDepth;
    return single ? this.#chain(node, walk, walk.free) : this.#openNode(node, walk, walk.free, nested);
  }

  /** The rest of a key that differs from all keys of `node`. Depends only on their rests. */
  #other(node: KeyNode): Expression {
    const known = this.#others.get(node);
    if (known !== undefined) return known;
    const made = this.#makeOther(node);
    this.#others.set(node, made);
    return made;
  }

  #makeOther(node: KeyNode): Expression {
    if (node.size <= 1 && node.rest === '') return this.#rest('', node.size === 0);
    const key = `other key ${this.#script} ${node.ends}`;
    return this.#rules.named(key, 'key-other', () => this.#writeOther(node));
  }

  #writeOther(node: KeyNode): Expression {
    return this.#node(node, { wanted: nothing, allowed: new Set(), free: empty, ranges: new Map() }, 0);
  }

  /** If only declared keys are allowed, writes their common prefix as one literal. */
  #closedNode(from: KeyNode, walk: Walk, nested: number): Expression {
    const node = this.#fork(from, walk);
    const text = node.first.text.slice(from.depth, node.depth);
    const ends = node.label !== null && walk.allowed.has(node.label) ? [walk.wanted.ending(node.label)] : [];
    const wanted = this.#wanted(node, walk, nested);
    return sequence(literal(this.#spelling.text(text)), alternatives(...wanted, ...ends));
  }

  /** The first node from `node` on at which there is a choice. */
  #fork(node: KeyNode, walk: Walk): KeyNode {
    let fork = node;
    for (;;) {
      if (fork.size === 1) return fork.end;
      if (fork.label !== null && walk.allowed.has(fork.label)) return fork;
      const live = fork.children.filter((child) => this.#range(child, walk) !== null);
      const [only] = live;
      if (only === undefined || live.length > 1) return fork;
      fork = only;
    }
  }

  /** A single declared key: an exit at each character, built from last to first. */
  #chain(node: KeyNode, { wanted, allowed }: Walk, free: Expression): Expression {
    const characters = Array.from(node.rest);
    this.#rules.charge(characters.length >> 1);
    const end = allowed.has(node.first.label) ? [wanted.ending(node.first.label)] : [];
    const after = choice(...end, sequence(this.#rest('', false), free));
    return characters.reduceRight<Expression>(
      (tail, character) =>
        choice(sequence(literal(character), tail), sequence(this.#rest(character, true), free)),
      after,
    );
  }

  #openNode(node: KeyNode, walk: Walk, free: Expression, nested: number): Expression {
    const { label } = node;
    const end = label === null ? free : walk.allowed.has(label) ? walk.wanted.ending(label) : null;
    if (!this.#isPlain(node)) return this.#escapedNode(node, walk, free, end, nested);
    const rest = this.#rest(node.children.map(leading).join(''), label === null);
    const ends = label === null || end === null ? [] : [end];
    const others = sequence(choice(...this.#unwanted(node, walk), rest), free);
    return choice(...this.#wanted(node, walk, nested), ...ends, others);
  }

  /** A node with escaped characters, whose escapes share prefixes with those of other keys. */
  #escapedNode(
    node: KeyNode,
    walk: Walk,
    free: Expression,
    end: Expression | null,
    nested: number,
  ): Expression {
    const edges = node.children.map((child) => {
      const follow = () => this.#node(child, walk, nested + 1);
      const shared = () => this.#named(child, walk, follow);
      return { set: charactersOf(leading(child)), inline: follow, shared };
    });
    const others = subtractSets(this.#characters, characterSet(...edges.flatMap(({ set }) => set)));
    const onward = () => sequence(this.#rest('', true), free);
    const rest = others.length === 0 ? [] : [{ set: others, inline: onward, shared: onward }];
    const self = () => this.#named(node, walk, () => this.#node(node, walk, 0));
    return writeNode({ edges: [...edges, ...rest], loop: [], self, end }, this.#spelling, this.#rules);
  }

  /**
   * The wanted keys below `node`, by next character; many children are split into groups that other positions share.
   */
  #wanted(node: KeyNode, walk: Walk, nested: number): readonly Expression[] {
    const { children } = node;
    if (walk.wanted === nothing) {
      return children.length === 1 ? children.map((child) => this.#child(child, walk, nested, false)) : [];
    }
    if (this.#isGrouped(node)) return node.groups.flatMap((group) => this.#wantedGroup(group, walk, nested));
    const live = children.filter((child) => this.#range(child, walk) !== null);
    const isBranch = walk.free === null ? live.length > 1 : children.length > 1;
    return live.map((child) => this.#child(child, walk, nested, isBranch));
  }

  #wantedGroup(group: KeyNode, walk: Walk, nested: number): readonly Expression[] {
    if (this.#range(group, walk) === null) return [];
    if (!this.#isShared(group, walk)) return this.#wanted(group, walk, nested);
    return [this.#named(group, walk, () => choice(...this.#wanted(group, walk, 0)), 'any')];
  }

  /** The rest of unwanted keys that share a prefix with `node`. */
  #unwanted(node: KeyNode, walk: Walk): readonly Expression[] {
    const { children } = node;
    if (walk.wanted === nothing && children.length === 1) return [];
    if (!this.#isGrouped(node)) {
      return children.flatMap((child) =>
        this.#range(child, walk) === null ? [this.#otherChild(child)] : [],
      );
    }
    return node.groups.flatMap((group) =>
      this.#range(group, walk) === null ? [this.#otherGroup(group)] : this.#unwanted(group, walk),
    );
  }

  #otherChild(child: KeyNode): Expression {
    return sequence(literal(leading(child)), this.#other(child));
  }

  #otherGroup(group: KeyNode): Expression {
    const key = `other keys ${this.#script} ${group.ends}`;
    return this.#rules.named(key, 'key-other', () =>
      choice(...group.children.map((child) => this.#otherChild(child))),
    );
  }

  #isGrouped(node: KeyNode): boolean {
    return node.children.length > maxUngrouped && this.#isPlain(node);
  }

  #isPlain(node: KeyNode): boolean {
    if (this.#plain) return true;
    const characters = node.children.map(leading).join('');
    return this.#spelling.text(characters) === characters;
  }

  /** The character that leads to `child`, then the rest of the key; a rule if other positions need it, too. */
  #child(child: KeyNode, walk: Walk, nested: number, isBranch: boolean): Expression {
    const character = leading(child);
    const text = this.#spelling.text(character);
    const write = (deep: number) => sequence(literal(text), this.#node(child, walk, deep));
    // Escapes share prefixes, which can be factored out only inline.
    const named = text === character && (nested >= maxDepth || (isBranch && this.#isShared(child, walk)));
    return named ? this.#named(child, walk, () => write(0), text) : write(nested + 1);
  }

  #named(node: KeyNode, walk: Walk, write: () => Expression, leadingText = ''): Expression {
    const [first, last] = this.#range(node, walk) ?? [-1, -1];
    const key = `${this.#key} ${node.id} ${leadingText} ${first} ${last} ${walk.free !== null} ${walk.wanted.following}`;
    return this.#rules.named(key, this.#hint, write);
  }

  /** Whether the same keys of `node` are allowed at another position, too. */
  #isShared(node: KeyNode, walk: Walk): boolean {
    const { earliest, manyPerPosition } = this.#places;
    const [first] = this.#range(node, walk) ?? [];
    if (first === undefined) return false;
    if (manyPerPosition) return true;
    let before = (earliest[first] ?? 0) - 1;
    for (let at = 0; at < node.size; at += 1) {
      const { label } = node.at(at);
      if (label < first && label > before) before = label;
    }
    return first - before > 1;
  }

  /** Minimum and maximum label allowed below `node`; `null` if there is none. */
  #range(node: KeyNode, { allowed, ranges }: Walk): Range | null {
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

  /** The rest of a key whose next character is not in `characters`; empty only with `mayEnd`. */
  #rest(characters: string, mayEnd: boolean): Expression {
    const short = `${mayEnd ? '?' : '+'}${characters}`;
    const known = this.#rests.get(short);
    if (known !== undefined) return known;
    const any = spelledCharacter(this.#characters, this.#spelling, this.#rules);
    const made = characters === '' ? repeat(any, mayEnd ? 0 : 1) : this.#restWithout(characters, any, mayEnd);
    this.#rests.set(short, made);
    return made;
  }

  #restWithout(characters: string, any: Expression, mayEnd: boolean): Expression {
    const key = `key rest ${this.#script} ${characters} ${mayEnd}`;
    return this.#rules.named(key, 'key-rest', () => {
      const first = spelledExcept(this.#characters, characters, this.#spelling, this.#rules);
      const rest = sequence(first, repeat(any));
      return mayEnd ? optional(rest) : rest;
    });
  }
}

/** The character that leads to `node`. */
function leading({ first, depth }: KeyNode): string {
  const pair = first.text.codePointAt(depth - 2) ?? 0;
  return first.text.slice(depth - (pair > 0xffff ? 2 : 1), depth);
}

/** Characters not allowed in keys that are written literally: those that begin what follows the key. */
export function forbiddenInKeys({ keySpelling, keyClose }: ObjectNotation): CharacterSet {
  return keySpelling === null ? charactersOf(Array.from(keyClose)[0] ?? '') : [];
}

/** Whether `text` contains a character of `forbidden`. */
export function holdsAny(text: string, forbidden: CharacterSet): boolean {
  return forbidden.length > 0 && Array.from(text).some((each) => setHas(forbidden, codePoint(each)));
}
