/** A trie of words. */

/** A node of the trie; the path from the root spells a prefix. */
export interface TrieNode {
  /** Label of the edge from the parent; empty at the root. */
  readonly character: string;
  readonly parent: TrieNode | null;
  /** By next character, in order of insertion. */
  readonly children: Map<string, TrieNode>;
  /** The word that ends here; `null` if none does. */
  word: string | null;
}

/** Builds the trie of `words` and returns its nodes in breadth-first order, root first. */
export function trieNodes(words: Iterable<string>): readonly TrieNode[] {
  const root = newNode('', null);
  for (const word of words) {
    let node = root;
    for (const character of word) {
      const child = node.children.get(character) ?? newNode(character, node);
      node.children.set(character, child);
      node = child;
    }
    node.word = word;
  }
  const nodes = [root];
  for (const node of nodes) for (const child of node.children.values()) nodes.push(child);
  return nodes;
}

function newNode(character: string, parent: TrieNode | null): TrieNode {
  return { character, parent, children: new Map(), word: null };
}
