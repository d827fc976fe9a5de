/** The contents of a JSON string that is still being written. */

/** Plain text, which has no control characters, or an escape, as JSON has them. */
const part = /[ !#-[\]-\uffff]+|\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])/y;

/** Reads the string piece by piece; each piece is looked at once. */
export class StringContents {
  /** Before the opening quote, or in an escape. */
  #rest = '';
  #isOpen = false;

  /** What the next piece adds to the contents. */
  add(piece: string): string {
    const text = this.#rest + piece;
    const quote = this.#isOpen ? -1 : text.indexOf('"');
    if (!this.#isOpen && quote < 0) return '';
    this.#isOpen = true;
    let end = quote + 1;
    for (part.lastIndex = end; part.test(text); ) end = part.lastIndex;
    // After the closing quote, nothing is part of it any more.
    this.#rest = text.slice(end, end + escapeLength);
    return JSON.parse(`"${text.slice(quote + 1, end)}"`);
  }
}

/** Characters of the longest escape, such as `\u00e9`. */
const escapeLength = 6;
