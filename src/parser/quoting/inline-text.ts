/** The text of a paragraph: which code span, or which quotation marks, are open at its end. */

/** Quotation marks that open, and those that close what they open. */
const closersOf: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['“', '”“'],
  ['„', '“”"'],
  ['«', '»'],
  ['»', '«'],
  ['‹', '›'],
  ['›', '‹'],
  ['「', '」'],
  ['『', '』'],
]);

/** A run of backticks, perhaps after a backslash, another escape, or a quotation mark. */
const signs = /\\?`+|\\[^`]|["“”„«»‹›「」『』]/g;
/** After these, a straight quotation mark opens nothing. */
const beforeCloser = /[\p{L}\p{N}.;!?)\]}%”]/u;

/** See the top of this file. */
export class InlineText {
  /** Length of the run that opened a code span; 0: none is open. */
  private span = 0;
  /** What closes the open quotation; empty: none is open. */
  private closers = '';
  private holdsMarks = false;
  /** The last two characters. */
  private tail = '';
  /** Backticks and backslashes at the end, which may go on. */
  private carried = '';

  /** Reads more of a line. */
  read(part: string): void {
    const text = this.carried + part;
    let end = text.length;
    while (end > 0 && '\\`'.includes(text.charAt(end - 1))) end--;
    this.carried = text.slice(end);
    this.scan(text.slice(0, end));
  }

  endLine(): void {
    this.readCarried();
    if (!this.holdsMarks) this.closers = '';
    this.tail = '\n';
  }

  /** Length of the run that closes the open code span; 0 if none is open. The text must not go on in the line. */
  get openSpan(): number {
    this.readCarried();
    return this.span;
  }

  /** What the end of the text stands in. The text must not go on in the line. */
  get quotation(): 'code-span' | 'quotation-marks' | null {
    this.readCarried();
    if (this.span > 0) return 'code-span';
    return this.closers !== '' || /(?:^|[^\p{L}\p{N}])'$/u.test(this.tail) ? 'quotation-marks' : null;
  }

  /** Keeps the quotation open at the end of the line. */
  holdMarks(): void {
    this.readCarried();
    this.holdsMarks = this.closers !== '';
  }

  copy(): InlineText {
    const copy = new InlineText();
    copy.span = this.span;
    copy.closers = this.closers;
    copy.holdsMarks = this.holdsMarks;
    copy.tail = this.tail;
    copy.carried = this.carried;
    return copy;
  }

  private readCarried(): void {
    this.scan(this.carried);
    this.carried = '';
  }

  private scan(text: string): void {
    if (text === '') return;
    for (const { 0: sign, index } of text.matchAll(signs)) {
      if (sign.endsWith('`')) this.readRun(sign);
      else if (sign.startsWith('\\')) continue;
      else if (this.span === 0)
        this.readMark(sign, index === 0 ? this.tail.slice(-1) : text.charAt(index - 1));
    }
    this.tail = (this.tail + text.slice(-2)).slice(-2);
  }

  /** In a code span, a backslash is a character like others; elsewhere it escapes the first backtick. */
  private readRun(sign: string): void {
    const isAfterBackslash = sign.startsWith('\\');
    const length = isAfterBackslash ? sign.length - 1 : sign.length;
    if (this.span === 0) this.span = isAfterBackslash ? length - 1 : length;
    else if (this.span === length) this.span = 0;
  }

  private readMark(mark: string, before: string): void {
    if (this.closers.includes(mark)) {
      this.closers = '';
      this.holdsMarks = false;
      return;
    }
    if (this.closers !== '' || (mark === '"' && beforeCloser.test(before))) return;
    this.closers = closersOf.get(mark) ?? '';
  }
}
