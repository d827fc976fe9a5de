/** Texts as the server's tokens, in pieces between which no special token can come about. */
import type { ServerConnection } from './server-connection.ts';
import type { ServerDialect } from './server-dialect.ts';

/** Some tokenizers put a space before a text; then this is tokenised in front of it, and cut off again. */
const lineFeed = '\n';

/** Cuts texts into tokens, as the server does. */
export class PromptEncoder {
  readonly #connection: ServerConnection;
  readonly #dialect: ServerDialect;
  readonly #model: string | null;
  readonly #bosToken: string;
  #lineFeed: readonly number[] | null = null;

  constructor(connection: ServerConnection, dialect: ServerDialect, model: string | null, bosToken: string) {
    this.#connection = connection;
    this.#dialect = dialect;
    this.#model = model;
    this.#bosToken = bosToken;
  }

  /** Tokens of a prompt; special tokens count, but none that begins in one piece and ends in another. */
  async encode(pieces: readonly string[], signal: AbortSignal | undefined): Promise<readonly number[]> {
    const [first = '', ...others] = pieces;
    // A template that writes the first token itself must not get it twice.
    const begins = this.#bosToken === '' || !first.startsWith(this.#bosToken);
    const tokens = [...(await this.#ask(first, signal, begins))];
    for (const piece of others) tokens.push(...(await this.encodeInside(piece, signal)));
    if (tokens.length > 0) return tokens;
    const { path } = this.#dialect.tokenize(first, this.#model, begins);
    throw this.#connection.error(path, 'it finds no tokens in the prompt: is it a server of this kind?');
  }

  /** Tokens of a text that stands after another. */
  async encodeInside(text: string, signal: AbortSignal | undefined): Promise<readonly number[]> {
    if (text === '') return [];
    this.#lineFeed ??= await this.#ask(lineFeed, signal);
    const lead = this.#lineFeed;
    const tokens = await this.#ask(lineFeed + text, signal);
    if (lead.every((id, index) => tokens[index] === id)) return tokens.slice(lead.length);
    return this.#ask(text, signal);
  }

  async #ask(text: string, signal: AbortSignal | undefined, begins = false): Promise<readonly number[]> {
    if (text === '' && !begins) return [];
    return this.#connection.ask(this.#dialect.tokenize(text, this.#model, begins), signal);
  }
}
