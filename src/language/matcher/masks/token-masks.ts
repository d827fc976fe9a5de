/** The masks of a grammar over a vocabulary, at its positions. `state-masks.ts` says how one is found. */
import { memoize } from '../../../format/memoize.ts';
import type { Steps } from '../../expression/steps.ts';
import type { BytePosition } from '../byte-position.ts';
import type { Stacks } from '../stacks.ts';
import type { TokenIndex } from '../token-index.ts';
import { StateMasks } from './state-masks.ts';
import type { TokenBitmap } from './token-bitmap.ts';
import { type CharacterClass, TokenRuns } from './token-runs.ts';
import { tokenTrie, tokenTrieSteps } from './token-trie.ts';

/** Maximum number of states that are remembered: 20 MB for 150,000 tokens. */
const maxStates = 20_000;

/** The masks of one grammar over one vocabulary. */
export class TokenMasks {
  readonly #stacks: Stacks;
  readonly #tokens: TokenIndex;
  #masks: StateMasks | null = null;

  constructor(stacks: Stacks, tokens: TokenIndex) {
    this.#stacks = stacks;
    this.#tokens = tokens;
  }

  /** The tokens that may come next. Not to be changed. */
  at(position: BytePosition): Readonly<TokenBitmap> {
    return this.#latest().at(position);
  }

  /** `at` in steps. */
  *steps(position: BytePosition): Steps<Readonly<TokenBitmap>> {
    yield* tokenTrieSteps(this.#tokens);
    return yield* this.#latest().steps(position);
  }

  #latest(): StateMasks {
    const tokens = this.#tokens;
    if (this.#masks === null || this.#masks.states > maxStates)
      this.#masks = new StateMasks(this.#stacks, tokenTrie(tokens), runsOf(tokens));
    return this.#masks;
  }
}

/** Makes the masks of a grammar; what is known of a vocabulary is shared by all grammars. */
export function grammarMasks(stacks: Stacks): (tokens: TokenIndex) => TokenMasks {
  return memoize((tokens) => new TokenMasks(stacks, tokens));
}

/** Maximum number of classes of characters that are remembered for a vocabulary, at about a megabyte each. */
const maxClasses = 48;

/** Finds the runs of a class of characters in a vocabulary; each once, as long as it is among the latest. */
export const runsOf = memoize((tokens: TokenIndex) => {
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
