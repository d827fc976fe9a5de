/**
 * Writes spelled characters as expressions in which each position decides: `[^"\\\\] | "\\\\" (["\\\\nrt] | "u00"
 * …)`.
 */
import {
  choice,
  type Expression,
  empty,
  exceptCharacters,
  literal,
  sequence,
} from '../expression/expression.ts';
import type { RuleSet } from '../expression/rule-set.ts';
import {
  allCharacters,
  type CharacterSet,
  charactersOf,
  intersectSets,
  setKey,
  subtractSets,
  uniteAll,
} from './character-set.ts';
import { jsonSpelling, plainSpelling, type SpelledCharacter, type Spelling } from './spelling.ts';

/** A trie of spellings with disjoint sets as labels; leads to a subtree or to the number of a target. */
type SpelledTree = readonly { readonly set: CharacterSet; readonly next: SpelledTree | number }[];

interface Branch {
  readonly word: SpelledCharacter;
  readonly target: number;
}

const rememberedTrees = 5000;
const trees = new WeakMap<Spelling, Map<string, SpelledTree>>();

/** One character of `set` in `spelling`. */
export function spelledCharacter(set: CharacterSet, spelling: Spelling, rules: RuleSet): Expression {
  if (spelling === plainSpelling) return oneCharacter(set);
  return rules.remember(`${spelling.id} ${setKey(set)}`, () => {
    if (set === allCharacters && spelling === jsonSpelling(false))
      return rules.add('json-character', jsonCharacter);
    const alternatives = spelledChoice([set], [empty], spelling);
    const [only] = alternatives;
    if (only !== undefined && alternatives.length === 1) return only;
    return rules.add('character', choice(...alternatives));
  });
}

/**
 * Any character in a JSON string. Written by hand because nearly every grammar needs it; a test compares it with its
 * spelling.
 */
export const jsonCharacter: Expression = choice(
  exceptCharacters([0, 0x1f], [0x22, 0x22], [0x5c, 0x5c]),
  sequence(
    literal('\\'),
    choice(
      sequence(
        literal('u00'),
        choice(
          sequence(literal('0'), { type: 'class', ranges: charactersOf('1234567bef') }),
          sequence(literal('1'), { type: 'class', ranges: charactersOf('0123456789abcdef') }),
        ),
      ),
      { type: 'class', ranges: charactersOf('"\\bfnrt') },
    ),
  ),
);

/**
 * One character of `set` in `spelling`, except for `excluded`, which are written literally and begin no other
 * spelling.
 */
export function spelledExcept(
  set: CharacterSet,
  excluded: string,
  spelling: Spelling,
  rules: RuleSet,
): Expression {
  const { alone, others } = spelling === plainSpelling ? { alone: set, others: [] } : partsOf(set, spelling);
  const plain = setExcept(alone, excluded);
  if (others.length === 0) return oneCharacter(plain);
  const escaped = rules.remember(`escape ${spelling.id} ${setKey(others)}`, () =>
    rules.add('escape', choice(...treeExpressions(treeOfSets([others], spelling), [empty]))),
  );
  return plain.length === 0 ? escaped : choice(oneCharacter(plain), escaped);
}

const knownExcept = new WeakMap<CharacterSet, Map<string, CharacterSet>>();

/** `set` without the characters of `excluded`; memoised, so that the result is spelled once. */
function setExcept(set: CharacterSet, excluded: string): CharacterSet {
  const known = knownExcept.get(set) ?? new Map<string, CharacterSet>();
  knownExcept.set(set, known);
  const found = known.get(excluded) ?? subtractSets(set, charactersOf(excluded));
  if (known.size >= rememberedTrees) known.clear();
  known.set(excluded, found);
  return found;
}

/** A spelled character of one of the disjoint `sets`, then the target of that set. */
export function spelledChoice(
  sets: readonly CharacterSet[],
  targets: readonly Expression[],
  spelling: Spelling,
): readonly Expression[] {
  const parts = sets.map((set) => partsOf(set, spelling));
  const alternatives = parts.flatMap(({ alone }, target) =>
    alone.length === 0 ? [] : [sequence(oneCharacter(alone), targets[target] ?? empty)],
  );
  const tree = treeOfSets(
    parts.map(({ others }) => others),
    spelling,
  );
  return [...alternatives, ...treeExpressions(tree, targets)];
}

/** Whether some characters of `set` are escaped, or are one character that begins escapes. */
export function hasEscapes(set: CharacterSet, spelling: Spelling): boolean {
  return spelling !== plainSpelling && partsOf(set, spelling).others.length > 0;
}

/** A set split into characters written literally, which begin no other spelling, and the rest. */
interface Parts {
  readonly alone: CharacterSet;
  readonly others: CharacterSet;
}

const knownParts = new WeakMap<Spelling, WeakMap<CharacterSet, Parts>>();

function partsOf(set: CharacterSet, spelling: Spelling): Parts {
  const known = knownParts.get(spelling) ?? new WeakMap<CharacterSet, Parts>();
  knownParts.set(spelling, known);
  const found = known.get(set) ?? makeParts(set, spelling);
  known.set(set, found);
  return found;
}

function makeParts(set: CharacterSet, spelling: Spelling): Parts {
  const single = spelling.spell(set).filter((word) => word.length === 1);
  const alone = uniteAll(single.map(([characters]) => characters ?? []));
  return { alone, others: subtractSets(set, alone) };
}

/** Memoised: there are few sets of escaped characters. */
function treeOfSets(sets: readonly CharacterSet[], spelling: Spelling): SpelledTree {
  const known = trees.get(spelling) ?? new Map<string, SpelledTree>();
  trees.set(spelling, known);
  const key = sets.map(setKey).join(' ');
  const tree =
    known.get(key) ??
    treeOf(sets.flatMap((set, target) => spelling.spell(set).map((word): Branch => ({ word, target }))));
  if (known.size >= rememberedTrees) known.clear();
  known.set(key, tree);
  return tree;
}

function treeExpressions(tree: SpelledTree, targets: readonly Expression[]): readonly Expression[] {
  return tree.map(({ set, next }) => {
    const rest =
      typeof next === 'number' ? (targets[next] ?? empty) : choice(...treeExpressions(next, targets));
    return sequence(oneCharacter(set), rest);
  });
}

function treeOf(branches: readonly Branch[]): SpelledTree {
  const byNext = new Map<string, { readonly sets: CharacterSet[]; readonly next: SpelledTree | number }>();
  for (const group of groupByFirst(branches)) {
    const next = afterFirst(group.branches);
    const key = treeKey(next);
    const found = byNext.get(key);
    if (found === undefined) byNext.set(key, { sets: [group.set], next });
    else found.sets.push(group.set);
  }
  return Array.from(byNext.values(), ({ sets, next }) => ({ set: uniteAll(sets), next }));
}

/** Groups branches so that the first positions of different groups are disjoint. */
function groupByFirst(branches: readonly Branch[]): readonly { set: CharacterSet; branches: Branch[] }[] {
  const groups: { set: CharacterSet; branches: Branch[] }[] = [];
  for (const branch of branches) {
    let left = branch.word[0] ?? [];
    for (const group of [...groups]) {
      const common = intersectSets(group.set, left);
      if (common.length === 0) continue;
      const rest = subtractSets(group.set, common);
      if (rest.length > 0) groups.push({ set: rest, branches: [...group.branches] });
      group.set = common;
      group.branches.push(branch);
      left = subtractSets(left, common);
    }
    if (left.length > 0) groups.push({ set: left, branches: [branch] });
  }
  return groups;
}

/** Spellings are prefix-free, so a group in which one ends has no other member. */
function afterFirst(branches: readonly Branch[]): SpelledTree | number {
  const [first] = branches;
  if (first !== undefined && first.word.length <= 1) return first.target;
  return treeOf(branches.map(({ word, target }) => ({ word: word.slice(1), target })));
}

function treeKey(tree: SpelledTree | number): string {
  if (typeof tree === 'number') return `#${tree}`;
  return `(${tree.map(({ set, next }) => `${setKey(set)}>${treeKey(next)}`).join()})`;
}

/** A set as a class, or as a literal if it has one character. */
function oneCharacter(set: CharacterSet): Expression {
  const [range] = set;
  if (range !== undefined && set.length === 1 && range[0] === range[1]) {
    return literal(String.fromCodePoint(range[0]));
  }
  return { type: 'class', ranges: set };
}
