/**
 * An incremental scanner for one JSON value. It finds where the value ends, converts what models write (Python's
 * literals, quotes, tuples and sets, raw line ends in strings, trailing commas) to JSON on the fly, and stops at the first
 * character that no value allows. Nothing is parsed twice.
 */
import {
  escapeText,
  isJson,
  isTokenUnit,
  type JsonNotation,
  nextStop,
  type ReadToken,
  readToken,
  simpleEscapes,
  tokenEnd,
} from './json-tokens.ts';

/** `open`: more text is needed. `done`: the value has ended. `illegal`: the next character is not allowed there. */
export type ScanStatus = 'open' | 'done' | 'illegal';

/** Maximum nesting; deeper values are illegal. */
const maxDepth = 256;
/** Maximum length of a number or word. */
const maxToken = 400;

type Mode =
  | 'value' // a value must come
  | 'first-item' // after `[`: a value or `]`
  | 'first-key' // after `{`: a key or `}`
  | 'key' // after a comma in an object: a key, or `}` after a trailing comma
  | 'item' // after a comma in an array: a value, or `]` after a trailing comma
  | 'colon'
  | 'after' // after an item: a comma or the closer
  | 'string'
  | 'escape'
  | 'token' // inside a number or a word
  | 'done';

/** What closes an open container; Python's are closed by `)` and `}`, and read as lists. */
type Closer = '}' | ']' | 'tuple' | 'set';

/** See the top of this file. One scanner reads one value; `reset` begins the next. */
export class JsonScanner {
  status: ScanStatus = 'open';
  /** JSON for the stretch that the last `scan` consumed. */
  output = '';
  private mode: Mode = 'value';
  private readonly closers: Closer[] = [];
  private quote = '"';
  private inKey = false;
  /** An incomplete number, word or escape. */
  private pending = '';
  /** A comma was read; it counts only if another item follows. */
  private comma = false;
  /** Position of that comma; the start of the text if it came in an earlier piece. */
  private commaAt = 0;
  /** The comma and the white space after it, if they came in earlier pieces. */
  private heldSpace = '';
  /** Start of the text that is copied to the output unchanged. */
  private copied = 0;
  private notation: JsonNotation = 'any';
  /** The value is a set of Python. */
  private isSet = false;
  private notJson: string | null = null;
  private notPython: string | null = null;

  /**
   * What of the value is not in this notation, and how it was read: the first case, or `null`. Python's notation
   * includes JSON.
   */
  deviationFrom(notation: 'json' | 'python'): string | null {
    return notation === 'json' ? this.notJson : this.notPython;
  }

  /** Notes what belongs to no narrower notation than `needed`; whether it is illegal. */
  private deviates(needed: 'python' | 'any', detail: string): boolean {
    this.notJson ??= detail;
    if (needed === 'any') this.notPython ??= detail;
    return this.notation === 'json' || (needed === 'any' && this.notation === 'python');
  }

  /** Prepares for the next value, which may be known to be a set; all that is not in `notation` is illegal. */
  reset(notation: JsonNotation = 'any', isSet = false): void {
    this.notation = notation;
    this.isSet = isSet;
    this.notJson = null;
    this.notPython = null;
    this.status = 'open';
    this.output = '';
    this.mode = 'value';
    if (this.closers.length > 0) this.closers.length = 0;
    this.pending = '';
    this.comma = false;
    this.heldSpace = '';
  }

  /** Whether the value has begun. */
  get begun(): boolean {
    return this.mode !== 'value' || this.closers.length > 0;
  }

  /**
   * Scans on from `from`; returns the position after the consumed text. `status` tells why it stopped, and
   * `output` has the JSON.
   */
  scan(text: string, from: number): number {
    this.output = '';
    this.copied = from;
    this.commaAt = from;
    let at = from;
    while (at < text.length && this.status === 'open') {
      const next = this.step(text, at);
      if (next < 0) this.status = 'illegal';
      else at = next;
    }
    if (this.comma) this.holdSpace(text, at);
    else this.copy(text, at);
    return at;
  }

  /** Whether the scanner is inside a string, so that plain text is copied to the output. */
  get insideString(): boolean {
    return this.mode === 'string' && this.quote === '"';
  }

  /** The closing brackets, if nothing else is missing from the value; otherwise empty. */
  get missingBrackets(): string {
    if (this.mode !== 'after') return '';
    return this.closers.toReversed().map(closerInJson).join('');
  }

  /** Consumed text that is in no output yet: an unfinished number, word or escape; a comma. */
  get held(): string {
    return this.comma ? this.heldSpace : this.pending;
  }

  /** Completes a number or word at the end of the text. */
  end(): void {
    this.output = '';
    if (this.mode === 'token' && this.status === 'open') this.closeToken();
  }

  /** Scans one step from `at`; returns the next position, or -1 at an illegal character. */
  private step(text: string, at: number): number {
    switch (this.mode) {
      case 'string':
        return this.inString(text, at);
      case 'escape':
        return this.inEscape(text, at);
      case 'token':
        return this.inToken(text, at);
      default:
        return this.outside(text, at);
    }
  }

  private outside(text: string, at: number): number {
    const character = text.charAt(at);
    if (character === ' ' || character === '\n' || character === '\t' || character === '\r') {
      return this.mode === 'value' && this.closers.length === 0 ? this.drop(text, at) : at + 1;
    }
    switch (character) {
      case '"':
      case "'":
        return this.openString(text, at, character);
      case '{':
        if (this.isSet && this.closers.length === 0) return this.openAsList(text, at, 'set');
        return this.openContainer(at, '}');
      case '[':
        return this.openContainer(at, ']');
      case '(':
        return this.openAsList(text, at, 'tuple');
      case '}':
      case ']':
      case ')':
        return this.closeContainer(text, at, character);
      case ',':
        return this.atComma(at);
      case ':':
        if (this.mode !== 'colon') return -1;
        this.mode = 'value';
        return at + 1;
      default:
        return this.openToken(text, at, character);
    }
  }

  /** Omits one character from the output. */
  private drop(text: string, at: number): number {
    this.copy(text, at);
    this.copied = at + 1;
    return at + 1;
  }

  /** Copies the text up to `end` to the output. */
  private copy(text: string, end: number): void {
    if (end > this.copied) this.output += text.slice(this.copied, end);
    this.copied = end;
  }

  /** Writes `json` to the output in place of the text up to `end`. */
  private write(text: string, at: number, json: string, end: number): number {
    this.copy(text, at);
    this.output += json;
    this.copied = end;
    return end;
  }

  private get takesValue(): boolean {
    return this.mode === 'value' || this.mode === 'first-item' || this.mode === 'item';
  }

  private get takesKey(): boolean {
    return this.mode === 'first-key' || this.mode === 'key';
  }

  /** Another item begins, so the held comma counts. Within one piece it is simply copied. */
  private releaseComma(): void {
    this.comma = false;
    if (this.heldSpace === '') return;
    this.output += this.heldSpace;
    this.heldSpace = '';
  }

  private holdSpace(text: string, end: number): void {
    this.copy(text, this.commaAt);
    this.heldSpace += text.slice(this.commaAt, end);
    this.copied = end;
  }

  private openString(text: string, at: number, quote: string): number {
    if (!this.takesValue && !this.takesKey) return -1;
    if (quote === "'" && this.deviates('python', 'strings are in single quotes')) return -1;
    this.releaseComma();
    this.inKey = this.takesKey;
    this.quote = quote;
    this.mode = 'string';
    return quote === '"' ? at + 1 : this.write(text, at, '"', at + 1);
  }

  private inString(text: string, from: number): number {
    const at = nextStop(text, from, this.quote);
    if (at === -1) return text.length;
    const character = text.charAt(at);
    if (character === this.quote) return this.closeString(text, at);
    if (character === '\\') {
      if (simpleEscapes.has(text.charAt(at + 1))) return at + 2;
      this.copy(text, at);
      this.copied = at + 1;
      this.pending = '\\';
      this.mode = 'escape';
      return at + 1;
    }
    if (character === '"') return this.write(text, at, '\\"', at + 1);
    const json = JSON.stringify(character).slice(1, -1);
    if (this.deviates('any', `a string holds a control character without its escape ${json}`)) return -1;
    return this.write(text, at, json, at + 1);
  }

  private closeString(text: string, at: number): number {
    const end = this.quote === '"' ? at + 1 : this.write(text, at, '"', at + 1);
    if (this.inKey) this.mode = 'colon';
    else this.valueEnded();
    return end;
  }

  /** `\n`, `\u00e9`; Python's `\'`, `\x41`, `\U0001f600`. Any other sequence keeps its backslash. */
  private inEscape(text: string, at: number): number {
    const kind = this.pending.charAt(1);
    const length = kind === 'u' ? 6 : kind === 'x' ? 4 : kind === 'U' ? 10 : 2;
    const character = text.charAt(at);
    if (this.pending.length >= 2 && !/[0-9a-fA-F]/.test(character)) {
      return this.finishEscape(at, escapeText(this.pending));
    }
    this.pending += character;
    this.copied = at + 1;
    const more = this.pending.length < length || (this.pending.length === 2 && /[uxU]/.test(character));
    return more ? at + 1 : this.finishEscape(at + 1, escapeText(this.pending));
  }

  private finishEscape(end: number, json: string): number {
    if (json !== this.pending && this.deviates('python', `${this.pending} is no escape of JSON`)) {
      this.status = 'illegal';
      return end;
    }
    this.output += json;
    this.copied = end;
    this.pending = '';
    this.mode = 'string';
    return end;
  }

  private openContainer(at: number, closer: Closer): number {
    if (!this.takesValue || this.closers.length >= maxDepth) return -1;
    this.releaseComma();
    this.closers.push(closer);
    this.mode = closer === '}' ? 'first-key' : 'first-item';
    return at + 1;
  }

  /** JSON has neither tuples nor sets, so that they are lists is noted in Python's notation, too. */
  private openAsList(text: string, at: number, kind: 'tuple' | 'set'): number {
    const detail = `a ${kind} is read as a list`;
    if (!this.takesValue || this.deviates('python', detail)) return -1;
    this.notPython ??= detail;
    const end = this.openContainer(at, kind);
    return end < 0 ? end : this.write(text, at, '[', end);
  }

  private closeContainer(text: string, at: number, closer: string): number {
    const mayClose =
      this.mode === 'after' || this.mode === 'first-key' || this.mode === 'first-item' || this.comma;
    const open = this.closers.at(-1);
    if (!mayClose || open === undefined || closerInPython(open) !== closer) return -1;
    if (this.comma) {
      if (this.deviates('python', 'a comma follows the last item')) return -1;
      // A trailing comma is omitted, together with the white space after it.
      this.comma = false;
      this.copy(text, this.commaAt);
      this.copied = at;
      this.heldSpace = '';
    }
    this.closers.pop();
    this.valueEnded();
    const json = closerInJson(open);
    return json === closer ? at + 1 : this.write(text, at, json, at + 1);
  }

  private atComma(at: number): number {
    if (this.mode !== 'after') return -1;
    this.comma = true;
    this.commaAt = at;
    this.mode = this.closers.at(-1) === '}' ? 'key' : 'item';
    return at + 1;
  }

  private openToken(text: string, at: number, character: string): number {
    if (!this.takesValue || character === '_' || !isTokenUnit(character.charCodeAt(0))) return -1;
    this.releaseComma();
    const end = tokenEnd(text, at, maxToken + 1);
    if (end < text.length && end - at <= maxToken && isJson(text.slice(at, end))) {
      this.valueEnded();
      return end;
    }
    this.copy(text, at);
    this.copied = at;
    this.mode = 'token';
    this.pending = '';
    return this.inToken(text, at);
  }

  private inToken(text: string, from: number): number {
    const at = tokenEnd(text, from, maxToken + 1 - this.pending.length);
    this.pending += text.slice(from, at);
    this.copied = at;
    if (this.pending.length > maxToken) this.status = 'illegal';
    else if (at < text.length) this.closeToken();
    return at;
  }

  /** An invalid token stays in `held`, for the report. */
  private closeToken(): void {
    const token = readToken(this.pending);
    if (token === null || (token.notation !== 'json' && this.deviatesAs(token))) {
      this.status = 'illegal';
      return;
    }
    const { json } = token;
    this.pending = '';
    this.output += json;
    this.valueEnded();
  }

  private deviatesAs({ json, notation }: ReadToken): boolean {
    return this.deviates(notation === 'any' ? 'any' : 'python', `${this.pending} is read as ${json}`);
  }

  private valueEnded(): void {
    if (this.closers.length > 0) {
      this.mode = 'after';
      return;
    }
    this.mode = 'done';
    this.status = 'done';
  }
}

function closerInJson(closer: Closer): string {
  return closer === 'tuple' || closer === 'set' ? ']' : closer;
}

function closerInPython(closer: Closer): string {
  return closer === 'tuple' ? ')' : closer === 'set' ? '}' : closer;
}
