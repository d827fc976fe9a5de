/** The reading position in a Python pattern, and escapes of single characters. */
import { PatternError } from '../../format/errors.ts';

/** Reads a pattern from left to right. */
export class PatternCursor {
  position = 0;
  readonly pattern: string;

  constructor(pattern: string) {
    this.pattern = pattern;
  }

  done(): boolean {
    return this.position >= this.pattern.length;
  }

  /** The next character, or the one `ahead` of it; empty at the end. */
  peek(ahead = 0): string {
    return this.pattern.charAt(this.position + ahead);
  }

  /** Consumes `count` characters; throws at the end of the pattern. */
  take(count: number): string {
    const text = this.pattern.slice(this.position, this.position + count);
    if (text.length < count) throw this.error('unexpected end of pattern');
    this.position += count;
    return text;
  }

  takeCodePoint(): number {
    const codePoint = this.pattern.codePointAt(this.position);
    if (codePoint === undefined) throw this.error('unexpected end of pattern');
    this.position += codePoint > 0xffff ? 2 : 1;
    return codePoint;
  }

  /** Consumes `text` if it comes next. */
  accept(text: string): boolean {
    if (!this.pattern.startsWith(text, this.position)) return false;
    this.position += text.length;
    return true;
  }

  /** Consumes what the sticky `matcher` matches here, if anything. */
  match(matcher: RegExp): RegExpExecArray | null {
    matcher.lastIndex = this.position;
    const found = matcher.exec(this.pattern);
    if (found !== null) this.position = matcher.lastIndex;
    return found;
  }

  indexOf(text: string): number {
    return this.pattern.indexOf(text, this.position);
  }

  error(reason: string, position = this.position): PatternError {
    return new PatternError({ pattern: this.pattern, position, reason });
  }
}

const controlEscapes: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const hexLengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** The character of the escape with `letter`; the cursor is after the letter. */
export function escapedCodePoint(letter: string, cursor: PatternCursor): number {
  const control = Object.hasOwn(controlEscapes, letter) ? controlEscapes[letter] : undefined;
  if (control !== undefined) return control;
  const digits = Object.hasOwn(hexLengths, letter) ? hexLengths[letter] : undefined;
  if (digits !== undefined) return hexCodePoint(digits, cursor);
  if (/[0-7]/.test(letter)) return octalCodePoint(letter, cursor);
  if (/[A-Za-z0-9]/.test(letter)) throw cursor.error(`bad escape \\${letter}`);
  cursor.position -= letter.length;
  return cursor.takeCodePoint();
}

function hexCodePoint(digits: number, cursor: PatternCursor): number {
  const text = cursor.take(digits);
  const codePoint = /^[0-9a-fA-F]+$/.test(text) ? Number.parseInt(text, 16) : Number.POSITIVE_INFINITY;
  if (codePoint > 0x10ffff) throw cursor.error(`bad escape ${text}`);
  return codePoint;
}

function octalCodePoint(first: string, cursor: PatternCursor): number {
  const rest = cursor.match(/[0-7]{0,2}/y)?.[0] ?? '';
  return Number.parseInt(first + rest, 8) & 0xff;
}
