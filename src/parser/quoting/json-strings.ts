/** Whether a growing text of JSON ends within a string. Only quotes decide, and backslashes, which stand in strings alone. */

const sign = /["\\]/g;

/** See the top of this file. */
export class JsonStrings {
  /** Whether the end of the text so far is within a string. */
  isOpen = false;
  /** The text ends with a backslash that escapes what comes. */
  private isEscaped = false;

  /** Reads more text. */
  read(text: string): void {
    if (text === '') return;
    sign.lastIndex = this.isEscaped ? 1 : 0;
    this.isEscaped = false;
    for (let found = sign.exec(text); found !== null; found = sign.exec(text)) {
      if (found[0] === '"') this.isOpen = !this.isOpen;
      else if (sign.lastIndex === text.length) this.isEscaped = true;
      else sign.lastIndex += 1;
    }
  }

  copy(): JsonStrings {
    return Object.assign(new JsonStrings(), this);
  }
}
