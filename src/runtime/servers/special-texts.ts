/**
 * The special tokens of a model whose vocabulary nobody lists, learned from the tokens that its server makes of
 * prompts. Where a server also tokenises without control tokens, those are the ones that never come then. Elsewhere,
 * an ordinary token is never spelled as special ones are, or does not stay whole between all neighbours.
 */
import { SpecialFinder } from '../chat/special-finder.ts';
import type { ServerToken } from './server-dialect.ts';

/**
 * Punctuation, letters, punctuation: tokenizers separate these before they look for ordinary tokens.
 * `<|im_start|>`, `[INST]`, `]~b]`, `<｜User｜>`; also with white space at an end.
 */
const spelledAsSpecial = /^\s*[^\p{L}\p{N}\s_][^\s]*\p{L}[^\s]*[^\p{L}\p{N}\s_]\s*$/u;
/** Without a letter: `<|"|>`, but also `...` and `")`. */
const maybeSpecial = /^[^\p{L}\s_][^\p{L}\s]+[^\p{L}\s_]$/u;
/** What ordinary tokens merge with on one side or the other. */
const neighbours = [...'<>|"\'[](){}.,:;=-_/\\*#!?~'];
/** What stands between tokens of which many are asked for at once; digits and line feeds merge with few. */
const separators = ['0', '\n'];
/** Answers that are remembered at most, of each kind: as many as large vocabularies have tokens. */
const mostRemembered = 300_000;

/** Asks a server for the ids of a text's tokens. */
type AskForIds = (text: string) => Promise<readonly number[]>;

/** What a server can be asked. */
export interface TokenQuestions {
  /** Special tokens count in the text. */
  readonly tokenize: AskForIds;
  /** Control tokens do not count in it; absent where the server cannot be asked that. */
  readonly tokenizePlain?: AskForIds;
}

/** The special tokens that are known so far. */
export class SpecialTexts {
  readonly #texts: Set<string>;
  /** By text, tokens that may be special by their spelling: whether they are. */
  readonly #tested = new Map<string, boolean>();
  /** Ids of tokens that come where control tokens do not count. */
  readonly #ordinary = new Set<number>();
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

  /** Takes over the special tokens among those that a server made. Returns whether any is new. */
  async learn(tokens: Iterable<ServerToken>, questions: TokenQuestions): Promise<boolean> {
    const unknown = [...tokens].filter(({ text }) => text !== '' && !this.#texts.has(text));
    const control = await this.#controlTokens(unknown, questions.tokenizePlain);
    const special = await Promise.all(
      unknown.map(
        (token) =>
          control.has(token) ||
          spelledAsSpecial.test(token.text) ||
          this.#staysWhole(token, questions.tokenize),
      ),
    );
    const before = this.#texts.size;
    unknown.forEach(({ text }, index) => {
      if (special[index] === true) this.#texts.add(text);
    });
    if (this.#texts.size === before) return false;
    this.#finder = this.#newFinder();
    return true;
  }

  /** Those of `tokens` that their text does not become where control tokens do not count. */
  async #controlTokens(
    tokens: readonly ServerToken[],
    tokenizePlain: AskForIds | undefined,
  ): Promise<ReadonlySet<ServerToken>> {
    if (tokenizePlain === undefined) return new Set();
    let open = tokens.filter(({ id }) => !this.#ordinary.has(id));
    const close = (ids: readonly number[]): void => {
      const found = new Set(ids);
      if (this.#ordinary.size > mostRemembered) this.#ordinary.clear();
      for (const { id } of open) if (found.has(id)) this.#ordinary.add(id);
      open = open.filter(({ id }) => !found.has(id));
    };
    for (const separator of separators) {
      if (open.length === 0) break;
      close(await tokenizePlain(open.map(({ text }) => separator + text).join('') + separator));
    }
    const alone = await Promise.all(open.map(({ text }) => tokenizePlain(text)));
    close(alone.flat());
    return new Set(open);
  }

  async #staysWhole({ id, text }: ServerToken, tokenize: AskForIds): Promise<boolean> {
    if (!maybeSpecial.test(text)) return false;
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
