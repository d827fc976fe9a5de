/**
 * The special tokens of a model whose vocabulary nobody lists, learned from the tokens that its server makes of
 * prompts: an ordinary token is never spelled as special ones are, or does not stay whole between all neighbours.
 */
import { SpecialFinder } from '../chat/special-finder.ts';
import type { ServerToken } from './server-dialect.ts';

/**
 * Punctuation, letters, punctuation: tokenizers separate these before they look for ordinary tokens.
 * `<|im_start|>`, `[INST]`, `]~b]`, `<｜User｜>`.
 */
const spelledAsSpecial = /^[^\p{L}\p{N}\s_][^\s]*\p{L}[^\s]*[^\p{L}\p{N}\s_]$/u;
/** Without a letter: `<|"|>`, but also `...` and `")`. */
const perhapsSpecial = /^[^\p{L}\s_][^\p{L}\s]+[^\p{L}\s_]$/u;
/** What ordinary tokens merge with on one side or the other. */
const neighbours = [...'<>|"\'[](){}.,:;=-_/\\*#!?~'];
/** Answers that are remembered at most; a vocabulary has some thousands of such tokens. */
const mostRemembered = 50_000;

/** The special tokens that are known so far. */
export class SpecialTexts {
  readonly #texts: Set<string>;
  /** By text, tokens that may be special by their spelling: whether they are. */
  readonly #tested = new Map<string, boolean>();
  #finder: SpecialFinder;

  /** `given`: texts that are known from elsewhere. */
  constructor(given: Iterable<string>) {
    this.#texts = new Set(given);
    this.#finder = this.#newFinder();
  }

  /** Finds those that are known. */
  get finder(): SpecialFinder {
    return this.#finder;
  }

  /**
   * Takes over the special tokens among those that a server made; `tokenize` asks it for the ids of a text. Returns
   * whether any is new.
   */
  async learn(
    tokens: Iterable<ServerToken>,
    tokenize: (text: string) => Promise<readonly number[]>,
  ): Promise<boolean> {
    const unknown = [...tokens].filter(({ text }) => !this.#texts.has(text));
    const special = await Promise.all(
      unknown.map(({ id, text }) => spelledAsSpecial.test(text) || this.#staysWhole(id, text, tokenize)),
    );
    const before = this.#texts.size;
    unknown.forEach(({ text }, index) => {
      if (special[index] === true) this.#texts.add(text);
    });
    if (this.#texts.size === before) return false;
    this.#finder = this.#newFinder();
    return true;
  }

  async #staysWhole(
    id: number,
    text: string,
    tokenize: (text: string) => Promise<readonly number[]>,
  ): Promise<boolean> {
    if (!perhapsSpecial.test(text)) return false;
    const known = this.#tested.get(text);
    if (known !== undefined) return known;
    const places = neighbours.map((neighbour) => neighbour + text + neighbour);
    const ids = await tokenize(places.join('\n'));
    const whole = ids.filter((each) => each === id).length >= places.length;
    if (this.#tested.size < mostRemembered) this.#tested.set(text, whole);
    return whole;
  }

  #newFinder(): SpecialFinder {
    return new SpecialFinder(Array.from(this.#texts, (text) => ({ text })));
  }
}
