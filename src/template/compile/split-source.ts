/**
 * Splits a template's source into text and tags by Jinja's rules, with `trim_blocks` and `lstrip_blocks`, as in
 * Hugging Face's setup. String literals are removed from the code of tags, so that their contents cannot be mistaken
 * for syntax later.
 */
import { isBlank } from '../values/text.ts';

/** A stretch of a template. */
type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | ({
      readonly kind: 'statement' | 'expression';
      /** The inside of the tag; each string literal is replaced by `"n"`, its index in `strings`. */
      readonly code: string;
    } & SourcePlace);

/** Where a tag begins. */
export interface SourcePlace {
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
}

/** A template's pieces, and the string literals of its code. */
export interface SplitSource {
  readonly pieces: readonly Piece[];
  readonly strings: readonly string[];
}

/** An error in the source that Jinja would reject, and its place. */
export class SourceError extends Error {
  readonly place: SourcePlace;
  constructor(message: string, { line, column }: SourcePlace) {
    super(message);
    this.place = { line, column };
  }
}

const simpleEscapes = new Map([
  ['\n', ''],
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ["'", "'"],
  ['"', '"'],
  ['\\', '\\'],
]);

const escapePattern = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{1,3})|([\s\S]))/g;

/** The text of a Python string literal; unknown escapes are kept as written. */
function literalText(source: string): string {
  if (!source.includes('\\')) return source;
  return source.replace(escapePattern, (found, x, u, long, octal, other) => {
    const hex = x ?? u ?? long;
    if (hex !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(hex, 16), 0x10ffff));
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
    return simpleEscapes.get(other) ?? found;
  });
}

const rawStart = /\{%([-+]?)\s*raw\s*(-?)%\}/y;
const rawEnd = /\{%([-+]?)\s*endraw\s*([-+]?)%\}/g;
const stringLiteral = /'([^'\\]*(?:\\[\s\S][^'\\]*)*)'|"([^"\\]*(?:\\[\s\S][^"\\]*)*)"/y;
const pythonNumber = /\d+(?:_\d+)*(?:\.\d+(?:_\d+)*)?(?:e[-+]?\d+)?/iy;
const opening = /\{[%{#]/g;

/** Scans a source from front to back. */
class Splitter {
  readonly pieces: Piece[] = [];
  readonly strings: string[] = [];
  private readonly source: string;
  private at = 0;
  private line = 1;
  /** Where that line begins: to look for it would take as long as the line is, for each of its tags. */
  private lineBegin = 0;
  private counted = 0;
  /** Whether the next text begins a line, or the template. */
  private lineStart = true;

  constructor(source: string) {
    const lines = source.replace(/\r\n?/g, '\n');
    this.source = lines.endsWith('\n') ? lines.slice(0, -1) : lines;
  }

  run(): SplitSource {
    while (this.at < this.source.length) this.next();
    return this;
  }

  private next(): void {
    opening.lastIndex = this.at;
    const found = opening.exec(this.source);
    if (found === null) {
      this.text(this.source.slice(this.at));
      this.at = this.source.length;
      return;
    }
    const before = this.source.slice(this.at, found.index);
    const strips = found[0] !== '{{';
    this.at = found.index;
    const sign = this.source.charAt(this.at + 2);
    this.text(this.trimEnd(before, sign, strips));
    if (found[0] === '{#') this.comment();
    else if (found[0] === '{{') this.tag('expression', sign);
    else if (!this.raw()) this.tag('statement', sign);
  }

  private text(text: string): void {
    if (text !== '') this.pieces.push({ kind: 'text', text });
  }

  /** The text before a tag, trimmed by the tag's sign or `lstrip_blocks`. */
  private trimEnd(text: string, sign: string, isBlock: boolean): string {
    if (sign === '-') return trimRight(text);
    if (sign === '+' || !isBlock) return text;
    const lineBegin = text.lastIndexOf('\n') + 1;
    if (lineBegin === 0 && !this.lineStart) return text;
    const lastLine = text.slice(lineBegin);
    return trimRight(lastLine) === '' ? text.slice(0, lineBegin) : text;
  }

  private comment(): void {
    const end = this.source.indexOf('#}', this.at + 2);
    if (end < 0) throw new SourceError('Missing end of comment tag', this.currentPlace());
    const sign = end > this.at + 2 ? this.source.charAt(end - 1) : '';
    this.at = end + 2;
    this.afterTag(sign, true);
  }

  /** Reads a `{% raw %}` section as text; false if there is none here. */
  private raw(): boolean {
    rawStart.lastIndex = this.at;
    const start = rawStart.exec(this.source);
    if (start === null) return false;
    this.at = rawStart.lastIndex;
    if (start[2] === '-') this.skipBlank();
    rawEnd.lastIndex = this.at;
    const end = rawEnd.exec(this.source);
    if (end === null) throw new SourceError('Missing end of raw directive', this.currentPlace());
    this.lineStart = this.source.charAt(this.at - 1) === '\n';
    this.text(this.trimEnd(this.source.slice(this.at, end.index), end[1] ?? '', true));
    this.at = rawEnd.lastIndex;
    this.afterTag(end[2] ?? '', true);
    return true;
  }

  /** Skips the text that the end of a tag removes. */
  private afterTag(sign: string, isBlock: boolean): void {
    if (sign === '-') this.skipBlank();
    else if (isBlock && sign !== '+' && this.source.charAt(this.at) === '\n') this.at += 1;
    this.lineStart = this.source.charAt(this.at - 1) === '\n';
  }

  private skipBlank(): void {
    while (this.at < this.source.length && isBlank(this.source.charAt(this.at))) this.at += 1;
  }

  private tag(kind: 'statement' | 'expression', sign: string): void {
    const place = this.currentPlace();
    this.at += sign === '-' || sign === '+' ? 3 : 2;
    const close = kind === 'statement' ? '%}' : '}}';
    const code: string[] = [];
    for (let depth = 0; ; ) {
      if (this.at >= this.source.length) throw new SourceError(`Missing ${close}`, place);
      const end = depth === 0 ? this.closing(close) : null;
      if (end !== null) {
        this.at += end.length;
        this.pieces.push({ kind, code: code.join(''), ...place });
        this.afterTag(end.charAt(0), kind === 'statement');
        return;
      }
      const character = this.source.charAt(this.at);
      if ('([{'.includes(character)) depth += 1;
      if (')]}'.includes(character)) depth -= 1;
      code.push(this.codePart(character, place));
    }
  }

  private closing(close: string): string | null {
    if (this.source.startsWith(close, this.at)) return close;
    const signed = this.source.slice(this.at, this.at + 3);
    return signed === `-${close}` || (signed === `+${close}` && close === '%}') ? signed : null;
  }

  /** Reads one character of code, or a whole literal or stretch of white space. */
  private codePart(character: string, place: SourcePlace): string {
    if (character === '"' || character === "'") return this.stringPart(place);
    if (/\d/.test(character) && !/\w/.test(this.source.charAt(this.at - 1))) return this.numberPart();
    if (isBlank(character)) {
      this.skipBlank();
      return ' ';
    }
    this.at += 1;
    return character;
  }

  private stringPart(place: SourcePlace): string {
    stringLiteral.lastIndex = this.at;
    const match = stringLiteral.exec(this.source);
    if (match === null) throw new SourceError('Missing end of string', place);
    this.at = stringLiteral.lastIndex;
    this.strings.push(literalText(match[1] ?? match[2] ?? ''));
    return `"${this.strings.length - 1}"`;
  }

  /** Reads a number, in the plain spelling that the tokenizer knows. */
  private numberPart(): string {
    const start = this.at;
    pythonNumber.lastIndex = start;
    pythonNumber.test(this.source);
    this.at = Math.max(pythonNumber.lastIndex, start + 1);
    const text = this.source.slice(start, this.at).replaceAll('_', '');
    if (!/e/i.test(text)) return text;
    const digits = Number(text).toLocaleString('en', { useGrouping: false, maximumSignificantDigits: 17 });
    return digits.includes('.') ? digits : `${digits}.0`;
  }

  private currentPlace(): SourcePlace {
    for (; this.counted < this.at; this.counted += 1) {
      if (this.source.charAt(this.counted) !== '\n') continue;
      this.line += 1;
      this.lineBegin = this.counted + 1;
    }
    return { line: this.line, column: this.at - this.lineBegin + 1 };
  }
}

function trimRight(text: string): string {
  let end = text.length;
  while (end > 0 && isBlank(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Splits a template's source. Throws SourceError if a tag, comment or string does not end. */
export function splitSource(source: string): SplitSource {
  return new Splitter(source).run();
}
