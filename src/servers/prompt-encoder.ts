/**
 * Encodes prompts with the server's tokenizer, so that only the template's own text becomes special tokens.
 *
 * The server tokenises the prompt and returns the texts of the tokens. If a special token among them contains
 * characters that the template did not write, the prompt is cut inside it and those pieces are requested again, until
 * there is none left. Nearly every prompt has no such token, and takes one request; the first takes another one to
 * learn which of its tokens are special, unless the server tells.
 */

import type { SpecialFinder } from '../language/matcher/special-finder.ts';
import { cutPrompt, type PromptPiece, type TracedPrompt } from '../runtime/chat/prompt-pieces.ts';
import type { ServerDialect, ServerToken } from './server-dialect.ts';
import type { ServerPool } from './server-pool.ts';
import { SpecialTexts, type TokenQuestions } from './special-texts.ts';

/** Some tokenizers put a space before a text; then this is prepended, and its token removed again. */
const lineFeed = '\n';
/** Maximum number of attempts: each one follows the discovery of unknown special tokens. */
const maxAttempts = 16;

/** The model's name, and the texts of its beginning and end tokens; '' if there is none. */
interface EncodedModel {
  readonly name: string | null;
  readonly bosToken: string;
  readonly eosToken: string;
  /** All tokens that count wherever they are written; `null` if they have to be learned. */
  readonly addedTokens: readonly string[] | null;
}

/** The part of a server pool that is asked for tokens. */
type TokenServer = Pick<ServerPool, 'ask' | 'error'>;

/** Tokenises texts as the server does. */
export class PromptEncoder {
  readonly #server: TokenServer;
  readonly #dialect: ServerDialect;
  readonly #model: string | null;
  readonly #bosToken: string;
  readonly #specials: SpecialTexts;
  /** Whether the server has told all of them. */
  readonly #knowsSpecials: boolean;
  /** Texts of tokens by id, for servers that return them only on request. */
  readonly #spellings = new Map<number, string>();
  #lineFeed: readonly ServerToken[] | null = null;

  constructor(server: TokenServer, dialect: ServerDialect, model: EncodedModel) {
    this.#server = server;
    this.#dialect = dialect;
    this.#model = model.name;
    this.#bosToken = model.bosToken;
    const { bosToken, eosToken, addedTokens } = model;
    this.#knowsSpecials = addedTokens !== null;
    this.#specials = new SpecialTexts(
      [bosToken, eosToken, ...(addedTokens ?? [])].filter((text) => text !== ''),
    );
  }

  /** The special tokens of the server's model known so far. */
  get specials(): SpecialFinder {
    return this.#specials.finder;
  }

  /** Tokens of a prompt. A special token counts only if all of its text is the template's. */
  async encode(prompt: TracedPrompt, signal: AbortSignal | undefined): Promise<readonly number[]> {
    const known = new Map<string, readonly ServerToken[]>();
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const pieces = cutPrompt(prompt, this.#specials.finder);
      const tokens = await this.#encodePieces(pieces, known, signal);
      const learned =
        !this.#knowsSpecials && (await this.#specials.learn(distinct(tokens), this.#questions(signal)));
      // Most new ones are the template's, and change nothing.
      if (!learned || samePieces(pieces, cutPrompt(prompt, this.#specials.finder))) {
        return idsOf(tokens);
      }
    }
    const reason = 'the conversation holds special tokens inside of special tokens, again and again';
    throw this.#server.error(this.#dialect.tokenize('', this.#model, true).path, reason);
  }

  /** Tokens of a text in the middle of another. */
  async encodeInside(text: string, signal: AbortSignal | undefined): Promise<readonly number[]> {
    return idsOf(await this.#askInside(text, signal));
  }

  #questions(signal: AbortSignal | undefined): TokenQuestions {
    const { tokenizePlain } = this.#dialect;
    return {
      tokenize: (text) => this.#ask(text, signal),
      ...(tokenizePlain === undefined
        ? {}
        : {
            tokenizePlain: async (text) => idsOf(await this.#server.ask(tokenizePlain(text), signal)),
          }),
    };
  }

  async #encodePieces(
    [head, ...others]: readonly PromptPiece[],
    known: Map<string, readonly ServerToken[]>,
    signal: AbortSignal | undefined,
  ): Promise<readonly ServerToken[]> {
    const first = head?.text ?? '';
    // If the template writes the first token itself, the server must not add it.
    const begins = this.#bosToken === '' || !first.startsWith(this.#bosToken);
    const lists = [await remembered(known, `^${first}`, () => this.#ask(first, signal, begins))];
    for (const { text, special } of others) {
      const key = `${special ? 'special' : 'plain'} ${text}`;
      lists.push(await remembered(known, key, () => this.#askInside(text, signal, special)));
    }
    const tokens = lists.flat();
    if (tokens.length > 0) return tokens;
    const { path } = this.#dialect.tokenize(first, this.#model, begins);
    throw this.#server.error(path, 'it finds no tokens in the prompt: is it a server of this kind?');
  }

  /** `special`: whether special tokens count; on servers without another way they always do. */
  async #askInside(
    text: string,
    signal: AbortSignal | undefined,
    special = true,
  ): Promise<readonly ServerToken[]> {
    if (text === '') return [];
    const { tokenizePlain } = this.#dialect;
    const ask = (asked: string): Promise<readonly ServerToken[]> =>
      special || tokenizePlain === undefined
        ? this.#ask(asked, signal)
        : this.#server.ask(tokenizePlain(asked), signal);
    this.#lineFeed ??= await this.#ask(lineFeed, signal);
    const lead = this.#lineFeed;
    const tokens = await ask(lineFeed + text);
    if (lead.every(({ id }, index) => tokens[index]?.id === id)) return tokens.slice(lead.length);
    return ask(text);
  }

  async #ask(text: string, signal: AbortSignal | undefined, begins = false): Promise<readonly ServerToken[]> {
    if (text === '' && !begins) return [];
    const tokens = await this.#server.ask(this.#dialect.tokenize(text, this.#model, begins), signal);
    const ids = new Set(tokens.map(({ id }) => id));
    await this.#learnSpellings(
      [...ids].filter((id) => !this.#spellings.has(id)),
      signal,
    );
    return this.#dialect.spell === undefined
      ? tokens
      : tokens.map(({ id }) => ({ id, text: this.#spellings.get(id) ?? '' }));
  }

  async #learnSpellings(ids: readonly number[], signal: AbortSignal | undefined): Promise<void> {
    const { spell } = this.#dialect;
    if (spell === undefined || ids.length === 0) return;
    const texts = await this.#server.ask(spell(ids, this.#model), signal);
    for (const [index, id] of ids.entries()) this.#spellings.set(id, texts[index] ?? '');
  }
}

async function remembered<Value>(
  known: Map<string, Value>,
  key: string,
  make: () => Promise<Value>,
): Promise<Value> {
  const found = known.get(key) ?? (await make());
  known.set(key, found);
  return found;
}

function distinct(tokens: readonly ServerToken[]): Iterable<ServerToken> {
  return new Map(tokens.map((token) => [token.id, token])).values();
}

function idsOf(tokens: readonly ServerToken[]): readonly number[] {
  return tokens.map(({ id }) => id);
}

function samePieces(left: readonly PromptPiece[], right: readonly PromptPiece[]): boolean {
  return left.length === right.length && left.every(({ text }, index) => text === right[index]?.text);
}
