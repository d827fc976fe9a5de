/** The masks of one grammar, over any vocabulary. */
import { memoize } from '../../../format/memoize.ts';
import type { Stacks } from '../stacks.ts';
import type { TokenIndex } from '../token-index.ts';
import { TokenMasks } from './token-masks.ts';
import { type CharacterClass, TokenRuns } from './token-runs.ts';
import { tokenTrie } from './token-trie.ts';

/** Maximum number of classes of characters that are remembered for a vocabulary, at about a megabyte each. */
const maxClasses = 48;

/** Makes the masks of a grammar; what is known of a vocabulary is shared by all grammars. */
export function grammarMasks(stacks: Stacks): (tokens: TokenIndex) => TokenMasks {
  return memoize((tokens) => new TokenMasks(stacks, tokenTrie(tokens), runsOf(tokens)));
}

/** Finds the runs of a class of characters in a vocabulary; each once. */
const runsOf = memoize((tokens: TokenIndex) => {
  const known = new Map<string, TokenRuns>();
  return (members: CharacterClass): TokenRuns => {
    const runs = known.get(members.key) ?? new TokenRuns(tokenTrie(tokens), members);
    // The least recently used one is the first.
    known.delete(members.key);
    known.set(members.key, runs);
    if (known.size > maxClasses) known.delete(known.keys().next().value ?? '');
    return runs;
  };
});
