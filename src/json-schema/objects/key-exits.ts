/**
 * Where a key leaves the trie of declared keys, and how it goes on from there: with any characters, or at first with any
 * but those that lead on in the trie. These rests depend on the characters alone, so all objects of a grammar share
 * their rules.
 */
import {
  choice,
  type Expression,
  literal,
  optional,
  repeat,
  sequence,
} from '../../language/expression/expression.ts';
import type { RuleSet } from '../../language/expression/rule-set.ts';
import {
  allCharacters,
  type CharacterSet,
  charactersOf,
  codePoint,
  setHas,
  setKey,
  setOf,
  subtractSets,
} from '../../language/regular/character-set.ts';
import { plainSpelling, type Spelling } from '../../language/regular/spelling.ts';
import { writeNode } from '../../language/regular/write-automaton.ts';
import { spelledCharacter, spelledExcept } from '../../language/regular/write-characters.ts';
import type { ObjectNotation } from '../write/syntax.ts';
import type { KeyNode } from './key-tree.ts';

/** Parentheses nested more deeply become rules. */
const maxDepth = 100;
/** Nodes with more children are split into groups. */
const maxUngrouped = 8;

/** How a walk through the trie goes on. */
interface Branches {
  /** What follows the character that leads to a child. */
  follow(child: KeyNode): Expression;
  /** A reference to the rule for `node`: a child, or this node itself. */
  shared(node: KeyNode): Expression;
  /** What follows if a key ends here; `null` if none may. */
  readonly end: Expression | null;
  /** What follows a key that leaves the trie. */
  readonly free: Expression;
}

/** The exits of one object's keys. */
export class KeyExits {
  readonly spelling: Spelling;
  /** Equal for objects whose undeclared keys are written alike. */
  readonly script: string;
  /** Whether no declared key contains a character that is escaped. */
  readonly #plain: boolean;
  /** Characters allowed in keys. */
  readonly #characters: CharacterSet;
  readonly #rules: RuleSet;
  readonly #rests = new Map<string, Expression>();

  constructor(keys: readonly string[], object: ObjectNotation, rules: RuleSet) {
    this.#rules = rules;
    this.spelling = object.keySpelling ?? plainSpelling;
    const forbidden = forbiddenInKeys(object);
    this.#characters = forbidden.length === 0 ? allCharacters : subtractSets(allCharacters, forbidden);
    this.script = rules.shortKey(`${this.spelling.id} ${setKey(this.#characters)}`);
    this.#plain = keys.every((text) => this.spelling.text(text) === text);
  }

  /** Whether no character that leads on from `node` is escaped. */
  isPlain(node: KeyNode): boolean {
    if (this.#plain) return true;
    const characters = node.children.map(leading).join('');
    return this.spelling.text(characters) === characters;
  }

  /** Whether the children of `node` are written in groups. */
  isGrouped(node: KeyNode): boolean {
    return node.children.length > maxUngrouped && this.isPlain(node);
  }

  /** Whether `node` is written as a `chain`, within so many parentheses. */
  isChain(node: KeyNode, nested: number): boolean {
    return this.#plain && node.size === 1 && !isTooDeep(node.rest.length + nested);
  }

  /** A single declared key, with an exit at each character, from last to first: `o(a(ends | …) | …) | …`. */
  chain(node: KeyNode, ends: readonly Expression[], free: Expression): Expression {
    const characters = Array.from(node.rest);
    this.#rules.charge(characters.length >> 1);
    const after = choice(...ends, sequence(this.rest('', false), free));
    return characters.reduceRight<Expression>(
      (tail, character) =>
        choice(sequence(literal(character), tail), sequence(this.rest(character, true), free)),
      after,
    );
  }

  /** A node with escaped characters, whose escapes share prefixes with those of other keys. */
  escaped(node: KeyNode, { follow, shared, end, free }: Branches): Expression {
    const edges = node.children.map((child) => {
      const set = charactersOf(leading(child));
      return { set, inline: () => follow(child), shared: () => shared(child) };
    });
    const others = subtractSets(this.#characters, setOf(edges.flatMap(({ set }) => set)));
    const exit = () => sequence(this.rest('', true), free);
    const rest = others.length === 0 ? [] : [{ set: others, inline: exit, shared: exit }];
    const self = () => shared(node);
    return writeNode({ edges: [...edges, ...rest], loop: [], self, end }, this.spelling, this.#rules);
  }

  /** The rest of a key whose next character leads to no child of `node`. */
  restAt(node: KeyNode): Expression {
    return this.rest(node.children.map(leading).join(''), node.label === null);
  }

  /** The rest of a key whose next character is not in `characters`; empty only with `mayEnd`. */
  rest(characters: string, mayEnd: boolean): Expression {
    const short = `${mayEnd ? '?' : '+'}${characters}`;
    const known = this.#rests.get(short);
    if (known !== undefined) return known;
    const any = spelledCharacter(this.#characters, this.spelling, this.#rules);
    const made = characters === '' ? repeat(any, mayEnd ? 0 : 1) : this.#restWithout(characters, any, mayEnd);
    this.#rests.set(short, made);
    return made;
  }

  #restWithout(characters: string, any: Expression, mayEnd: boolean): Expression {
    const key = `key rest ${this.script} ${characters} ${mayEnd}`;
    return this.#rules.named(key, 'key-rest', () => {
      const first = spelledExcept(this.#characters, characters, this.spelling, this.#rules);
      const rest = sequence(first, repeat(any));
      return mayEnd ? optional(rest) : rest;
    });
  }
}

/** Whether parentheses so deep become rules. */
export function isTooDeep(nested: number): boolean {
  return nested >= maxDepth;
}

/** The character that leads to `node`. */
export function leading({ first, depth }: KeyNode): string {
  // Two code units if it is a surrogate pair.
  const lastCodePoint = first.text.codePointAt(depth - 2) ?? 0;
  return first.text.slice(depth - (lastCodePoint > 0xffff ? 2 : 1), depth);
}

/** Characters not allowed in keys that are written literally: those that begin what follows the key. */
export function forbiddenInKeys({ keySpelling, keyClose }: ObjectNotation): CharacterSet {
  return keySpelling === null ? charactersOf(Array.from(keyClose)[0] ?? '') : [];
}

/** Whether `text` contains a character of `forbidden`. */
export function holdsAny(text: string, forbidden: CharacterSet): boolean {
  return forbidden.length > 0 && Array.from(text).some((each) => setHas(forbidden, codePoint(each)));
}
