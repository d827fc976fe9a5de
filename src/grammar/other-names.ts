/**
 * Calls of tools that are not on offer. Where the model names the tool itself, such a name must come out as it is, to
 * be refused and told: a grammar without it would bend the call into one of a tool that the model did not mean.
 */
import { alternatives } from '../language/expression/alternatives.ts';
import {
  characterClass,
  type Expression,
  literal,
  repeat,
  sequence,
} from '../language/expression/expression.ts';
import type { RuleSet } from '../language/expression/rule-set.ts';
import { type TrieNode, trieNodes } from '../language/expression/trie.ts';
import { characterSet, charactersOf, setHas, subtractSets } from '../language/regular/character-set.ts';

/** ASCII letters, digits, and what joins words in names. */
const nameCharacters = characterSet([0x2d, 0x2f], [0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]);
/** Other names are no longer than OpenAI's limit. */
const maxNameLength = 64;
/** Characters of names per rule: each is a group in the one before. */
const maxNesting = 32;

/** Whether a name of any tool ends where `after` begins. */
export function endsNames(after: string): boolean {
  const first = after.codePointAt(0);
  return first !== undefined && !setHas(nameCharacters, first);
}

/** A name and what follows it: one of `known` with its own rest, or any other with `other`. */
export function namedCall(
  known: ReadonlyMap<string, Expression>,
  other: Expression,
  rules: RuleSet,
): Expression {
  const nodes = trieNodes(known.keys());
  const more = rules.add('more-of-name', repeat(characterClass(...nameCharacters), 0, maxNameLength - 1));
  const unknown = rules.add('other-call', other);
  const depths = new Map<TrieNode | null, number>([[null, -1]]);
  for (const node of nodes) depths.set(node, (depths.get(node.parent) ?? 0) + 1);
  const built = new Map<TrieNode, Expression>();
  // A name may be as long as its author likes: from its end to its beginning, and not nested as deep.
  for (const node of nodes.toReversed()) {
    const { children, word, parent } = node;
    const others = subtractSets(nameCharacters, charactersOf([...children.keys()].join('')));
    const own = word === null ? undefined : known.get(word);
    const end = own ?? (parent === null ? null : unknown);
    const rest = alternatives(
      ...(end === null ? [] : [end]),
      sequence(characterClass(...others), more, unknown),
      ...Array.from(children, ([character, child]) =>
        sequence(literal(character), built.get(child) ?? unknown),
      ),
    );
    const depth = depths.get(node) ?? 0;
    built.set(node, depth > 0 && depth % maxNesting === 0 ? rules.add('rest-of-name', rest) : rest);
  }
  const [root] = nodes;
  return (root === undefined ? undefined : built.get(root)) ?? other;
}
