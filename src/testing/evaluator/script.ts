/** A script: what a model is to write, and where in it a text is. */

/** The tokens of a script, each with its bytes as characters. */
interface ScriptToken {
  readonly token: number;
  readonly bytes: string;
}

/** The longest end of a text that is looked for in a script, and the shortest that says where it is. */
const [longestTail, shortestTail] = [64, 2];

/** What comes next in a script. */
export class Script {
  readonly #bytes: string;
  /** The tokens by where they begin. */
  readonly #tokens: ReadonlyMap<number, ScriptToken>;

  constructor(tokens: readonly ScriptToken[]) {
    const begins = new Map<number, ScriptToken>();
    let bytes = '';
    for (const token of tokens) {
      begins.set(bytes.length, token);
      bytes += token.bytes;
    }
    this.#tokens = begins;
    this.#bytes = bytes;
  }

  /** What it says at `place`: the token that begins there, or the rest of the one that began before. */
  at(place: number): { readonly token?: number; readonly rest: string } {
    const token = this.#tokens.get(place);
    return token === undefined ? { rest: this.#restFrom(place) } : { token: token.token, rest: token.bytes };
  }

  /** Where in it a text ends that begins before it. */
  end(text: string): number {
    return this.#found(text.slice(-longestTail), 0);
  }

  /**
   * Where in it one is after `written`, the bytes of the tokens so far. A text that is not in the script is found again
   * by its last bytes, further on; white space that is not is passed over.
   */
  follow(written: readonly string[]): number {
    let place = 0;
    let text = '';
    for (const bytes of written) {
      text = (text + bytes).slice(-longestTail);
      if (this.#bytes.startsWith(bytes, place)) place += bytes.length;
      else if (bytes.trim() !== '') place = this.#found(text, place);
    }
    return place;
  }

  /** Where the script goes on after the longest end of `text` that comes in it after `place`; else `place`. */
  #found(text: string, place: number): number {
    for (let length = text.length; length >= shortestTail; length -= 1) {
      const start = this.#bytes.indexOf(text.slice(-length), Math.max(0, place - length + 1));
      if (start >= 0) return start + length;
    }
    return place;
  }

  #restFrom(place: number): string {
    for (const [start, { bytes }] of this.#tokens)
      if (start < place && place < start + bytes.length) return bytes.slice(place - start);
    return '';
  }
}
