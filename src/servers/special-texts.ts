/**
 * Learns the special tokens of a model whose vocabulary is not available, from the tokens of its prompts. If a server
 * can tokenise without control tokens, those that never occur then are special. Otherwise: ordinary tokens are never
 * spelled like special ones, or do not stay whole between all neighbours.
 */
import { SpecialFinder } from '../language/matcher/special-finder.ts';
import type { ServerToken } from './server-dialect.ts';

/**
 * Punctuation, letters, punctuation: tokenizers separate these before they look for ordinary tokens. `<|im_start|>`,
 * `[INST]`, `]~b]`, `<｜User｜>`; also with white space at either end.
 */
const spelledAsSpecial = /^\s*[^\p{L}\p{N}\s_][^\s\p{L}]*\p{L}[^\s]*[^\p{L}\p{N}\s_]\s*$/u;
/** Without a letter: `<|"|>`, but also `...` and `")`. */
const maybeSpecial = /^[^\p{L}\s_][^\p{L}\s]+[^\p{L}\s_]$/u;
/** Characters with which ordinary tokens merge on one side or the other. */
const neighbours = [...'<>|"\'[](){}.,:;=-_/\\*#!?~'];
/** Stands between the places of two tokens; it is in none of them. */
const border = '0';
/** Separators for asking about many tokens at once; digits and line feeds rarely merge. */
const separators = ['0', '\n'];
/** Maximum number of cached answers of each kind: the size of large vocabularies. */
const maxRemembered = 300_000;

/** Asks a server for the token ids of a text. */
type AskForIds = (text: string) => Promise<readonly number[]>;

/** The questions that a server answers. */
export interface TokenQuestions {
  /** With special tokens. */
  readonly tokenize: (text: string) => Promise<readonly ServerToken[]>;
  /** Without control tokens; absent if the server cannot do this. */
  readonly tokenizePlain?: AskForIds;
}

/** The special tokens known so far. */
export class SpecialTexts {
  readonly #texts: Set<string>;
  /** For tokens that look special, by text: whether they are. */
  readonly #tested = new Map<string, boolean>();
  /** Ids of tokens that occur without control tokens. */
  readonly #ordinary = new Set<number>();
  #finder: SpecialFinder;

  /** `given`: texts known from elsewhere. */
  constructor(given: Iterable<string>) {
    this.#texts = new Set(given);
    this.#finder = this.#newFinder();
  }

  /** A finder for the known ones. */
  get finder(): SpecialFinder {
    return this.#finder;
  }

  /** Adds the special tokens among those of a server's answer. Returns whether any is new. */
  async learn(tokens: Iterable<ServerToken>, questions: TokenQuestions): Promise<boolean> {
    const unknown = [...tokens].filter(({ text }) => text !== '' && !this.#texts.has(text));
    const control = await this.#controlTokens(unknown, questions.tokenizePlain);
    const isKnown = (token: ServerToken) => control.has(token) || spelledAsSpecial.test(token.text);
    await this.#testWhole(
      unknown.filter((token) => !isKnown(token) && maybeSpecial.test(token.text)),
      questions.tokenize,
    );
    const before = this.#texts.size;
    for (const token of unknown)
      if (isKnown(token) || this.#tested.get(token.text) === true) this.#texts.add(token.text);
    if (this.#texts.size === before) return false;
    this.#finder = this.#newFinder();
    return true;
  }

  /** Those of `tokens` that their text is not tokenised to without control tokens. */
  async #controlTokens(
    tokens: readonly ServerToken[],
    tokenizePlain: AskForIds | undefined,
  ): Promise<ReadonlySet<ServerToken>> {
    if (tokenizePlain === undefined) return new Set();
    let open = tokens.filter(({ id }) => !this.#ordinary.has(id));
    const close = (ids: readonly number[]): void => {
      const found = new Set(ids);
      for (const { id } of open)
        if (found.has(id) && this.#ordinary.size < maxRemembered) this.#ordinary.add(id);
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

  /** Tests which tokens stay whole between all neighbours: all of them with one question, if it can be told apart. */
  async #testWhole(tokens: readonly ServerToken[], tokenize: TokenQuestions['tokenize']): Promise<void> {
    const open = tokens.filter(({ text }) => !this.#tested.has(text));
    const together = open.filter(({ text }) => !text.includes(border));
    const parts = together.length === 0 ? [] : await partsOf(together, tokenize);
    const isApart = parts.length === together.length;
    const alone = open.filter((token) => !isApart || !together.includes(token));
    if (isApart) for (const [index, token] of together.entries()) this.#note(token, parts[index] ?? []);
    for (const token of alone) this.#note(token, await tokenize(placesOf(token).join('\n')));
  }

  #note({ id, text }: ServerToken, found: readonly ServerToken[]): void {
    const whole = found.filter((each) => each.id === id).length >= neighbours.length;
    if (this.#tested.size < maxRemembered) this.#tested.set(text, whole);
  }

  #newFinder(): SpecialFinder {
    return new SpecialFinder(Array.from(this.#texts, (text) => ({ text })));
  }
}

function placesOf({ text }: ServerToken): readonly string[] {
  return neighbours.map((neighbour) => neighbour + text + neighbour);
}

/** The tokens of each one's places. */
async function partsOf(
  tokens: readonly ServerToken[],
  tokenize: TokenQuestions['tokenize'],
): Promise<readonly (readonly ServerToken[])[]> {
  const places = tokens.map((token) => placesOf(token).join('\n'));
  const parts: ServerToken[][] = [[]];
  for (const token of await tokenize(places.join(`\n${border}\n`)))
    if (token.text.includes(border)) parts.push([]);
    else parts.at(-1)?.push(token);
  return parts;
}
