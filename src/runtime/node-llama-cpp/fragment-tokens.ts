/**
 * Tokens of prompts, remembered by fragment: what a conversation, or a list of tools, adds to a prompt is
 * tokenised once and not with every request that begins with it.
 *
 * A tokenizer takes special tokens out of a text before anything else, so what stands between two of them
 * has the same tokens by itself. A fragment therefore begins with a control token and reaches to the next.
 */
import type { Token } from 'node-llama-cpp';
import type { SpecialToken } from './special-token.ts';

/** UTF-16 units of the texts that are remembered; the fragments that were used last. */
const rememberedUnits = 1_000_000;

/** Remembers the tokens of fragments. */
export class FragmentTokens {
  readonly #known = new Map<string, readonly Token[]>();
  #units = 0;

  /** Tokens of `fragment`; `tokenize` is asked for those that are not known. */
  get(fragment: string, tokenize: (text: string) => readonly Token[]): readonly Token[] {
    const known = this.#known.get(fragment);
    if (known !== undefined) {
      this.#known.delete(fragment);
      this.#known.set(fragment, known);
      return known;
    }
    const tokens = tokenize(fragment);
    this.#known.set(copyOf(fragment), tokens);
    this.#units += fragment.length;
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

/** The same text by itself: a slice would keep the whole prompt alive that it was cut from. */
function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/**
 * `text` cut in front of the special tokens `found` in it that `begins` names. The first fragment may be
 * empty.
 */
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
