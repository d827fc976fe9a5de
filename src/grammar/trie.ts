/** Words as a tree of their characters, in which the next character decides. */

/** A place in the tree: what has been read is the beginning of some words. */
export interface TrieNode {
  /** The character that leads here; empty at the root. */
  readonly character: string;
  readonly parent: TrieNode | null;
  /** By the next character, in the order in which the words came. */
  readonly children: Map<string, TrieNode>;
  /** The word that ends here. */
  word: string | null;
}

/** The nodes of the tree of `words`, breadth first; the first is the root. */
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
