/**
 * Caches the tokens of prompts by fragment, so that what a conversation or a list of tools adds to a prompt is
 * tokenised only once.
 *
 * A tokenizer splits off special tokens before anything else, so the text between two of them has the same tokens by
 * itself. A fragment therefore begins with a control token and extends to the next one.
 */
import type { Steps } from '../../../language/expression/steps.ts';
import type { SpecialToken } from './special-token.ts';

/** UTF-16 units of text that are cached; the fragments used last. */
const rememberedUnits = 1_000_000;

/** Caches the tokens of fragments. */
export class FragmentTokens {
  readonly #known = new Map<string, readonly number[]>();
  #units = 0;

  /** Tokens of `fragment`; `tokenize` is called if they are not cached. */
  *get(fragment: string, tokenize: (text: string) => Steps<readonly number[]>): Steps<readonly number[]> {
    const known = this.#known.get(fragment);
    if (known !== undefined) {
      this.#known.delete(fragment);
      this.#known.set(fragment, known);
      return known;
    }
    const tokens = yield* tokenize(fragment);
    // Another request may have had the same.
    if (!this.#known.has(fragment)) this.#units += fragment.length;
    this.#known.set(copyOf(fragment), tokens);
    this.#forget();
    return tokens;
  }

  #forget(): void {
    for (const fragment of this.#known.keys()) {
      if (this.#units <= rememberedUnits) return;
      this.#known.delete(fragment);
      this.#units -= fragment.length;
    }
  }
}

/** A copy of the text: a slice would keep the whole prompt alive. */
function copyOf(text: string): string {
  return JSON.parse(JSON.stringify(text));
}

/** `text`, split before those of the special tokens `found` in it that `begins` selects. The first may be empty. */
export function splitIntoFragments(
  text: string,
  found: Iterable<{ readonly start: number; readonly special: SpecialToken }>,
  begins: (special: SpecialToken) => boolean,
): string[] {
  const fragments: string[] = [];
  let done = 0;
  for (const { start, special } of found) {
    if (!begins(special)) continue;
    fragments.push(text.slice(done, start));
    done = start;
  }
  return [...fragments, text.slice(done)];
}
