/** Finds quickly how far a short piece of text cannot contain the expected markers. */
import { shortPiece, type WrittenText } from './written-text.ts';

/** With more distinct first characters than this, searching long pieces does not pay. */
const fewFirsts = 6;

/** Kinds of units, as bits: */
const first = 1; // the first of a marker
const space = 2; // white space that a marker may claim
const pair = 4; // the backslash of an escape, which is skipped with the next unit
const changed = 8; // changed in the event, so it needs a closer look
const beyond = 16; // beyond ASCII, so it takes several bytes

/** The expected texts, as sets of characters. */
export interface PlainRunTable {
  /** First characters of markers. */
  readonly firsts: readonly string[];
  /** White space that may belong to the marker after it. */
  readonly spaces: string;
  /** The second characters of the markers; `null` if one may be a single character. */
  readonly seconds: string | null;
  /** Backslashes begin escapes, as in JSON. */
  readonly escapes?: boolean;
  /** Characters that are changed in the event. */
  readonly changed?: string;
}

/** See the top of this file. */
export class PlainRun {
  /** The kind of each unit below 256. */
  private readonly kinds = new Uint8Array(256);
  /** For each unit below 256: 1 if it is the second of a marker. */
  private readonly seconds = new Uint8Array(256);
  private readonly firsts: readonly string[];
  private readonly firstsBeyond: string;
  /** No marker is a single character, so a first character at the end of a piece decides nothing. */
  private readonly waits: boolean;

  constructor(table: PlainRunTable) {
    const { firsts, spaces, seconds } = table;
    this.firsts = firsts;
    this.firstsBeyond = firsts.filter((each) => each.charCodeAt(0) >= 256).join('');
    this.waits = seconds !== null;
    this.kinds.fill(beyond, 128);
    if (seconds === null) this.seconds.fill(1);
    for (const second of seconds ?? '') mark(this.seconds, second, 1);
    for (const each of table.changed ?? '') mark(this.kinds, each, changed);
    for (const each of spaces) mark(this.kinds, each, space);
    for (const each of firsts) mark(this.kinds, each, first);
    if (table.escapes) mark(this.kinds, '\\', pair);
  }

  /** Appends a short piece if it is all plain ASCII; otherwise appends nothing and returns false. */
  appendPlain(piece: string, text: WrittenText): boolean {
    const { length } = piece;
    if (length === 0 || length > shortPiece) return false;
    text.makeRoom();
    const { kinds } = this;
    const { bytes, used } = text;
    for (let at = 0; at < length; at++) {
      const unit = piece.charCodeAt(at);
      bytes[used + at] = unit;
      const kind = kinds[unit];
      if (kind !== 0 && this.matters(kind ?? beyond, piece, at)) return false;
    }
    text.used = used + length;
    return true;
  }

  /** Whether the unit at `at` needs more than being copied. */
  private matters(kind: number, text: string, at: number): boolean {
    if (kind & (pair | changed | beyond)) return true;
    if (kind & space && at + 1 === text.length) return true;
    return (kind & first) !== 0 && this.mayContinue(text, at + 1);
  }

  /**
   * End of the plain text: the length of `text`, or one less if the last unit is undecided and may wait; -1 if a
   * closer look is necessary. `mayWait`: whether a first character may wait for more text.
   */
  plainEnd(text: string, mayWait: boolean): number {
    if (text.length > shortPiece) return this.plainEndOfLong(text, mayWait);
    for (let at = 0; at < text.length; at++) {
      const kind = this.kindAt(text, at);
      if (kind === 0) continue;
      if (kind & first && this.mayContinue(text, at + 1)) return mayWait ? this.lastEnd(text, at) : -1;
      if (kind & pair) {
        if (at + 1 === text.length) return at;
        if (!simpleEscapes.includes(text.charAt(at + 1))) return -1;
        at++;
      }
    }
    return this.spaceEnd(text);
  }

  private kindAt(text: string, at: number): number {
    const unit = text.charCodeAt(at);
    if (unit < 256) return this.kinds[unit] ?? 0;
    return this.firstsBeyond !== '' && this.firstsBeyond.includes(text.charAt(at)) ? first : 0;
  }

  /** Whether a marker may continue at `at`, after its first character. */
  private mayContinue(text: string, at: number): boolean {
    if (at === text.length) return true;
    const unit = text.charCodeAt(at);
    return unit > 255 || this.seconds[unit] === 1;
  }

  /** End of the plain text, if a marker may begin at `at`. */
  private lastEnd(text: string, at: number): number {
    if (!this.waits || at + 1 < text.length) return -1;
    return at > 0 && this.kindAt(text, at - 1) & space ? -1 : at;
  }

  /** End of the plain text, if only white space needs attention. */
  private spaceEnd(text: string): number {
    const last = text.length - 1;
    if (isFirstHalf(text.charCodeAt(last))) return -1;
    if ((this.kindAt(text, last) & space) === 0) return text.length;
    return last > 0 && this.kindAt(text, last - 1) & space ? -1 : last;
  }

  private plainEndOfLong(text: string, mayWait: boolean): number {
    if (this.firsts.length > fewFirsts) return -1;
    let nearest = text.length;
    for (const each of this.firsts) {
      const at = this.nextFirst(text, each);
      if (at !== -1) nearest = Math.min(nearest, at);
    }
    if (nearest === text.length) return this.spaceEnd(text);
    return mayWait ? this.lastEnd(text, nearest) : -1;
  }

  /** Where a marker that begins with `each` may begin, or -1. */
  private nextFirst(text: string, each: string): number {
    let at = text.indexOf(each);
    while (at !== -1 && !this.mayContinue(text, at + 1)) at = text.indexOf(each, at + 1);
    return at;
  }
}

function mark(table: Uint8Array, character: string, flag: number): void {
  const unit = character.charCodeAt(0);
  if (unit < 256) table[unit] = (table[unit] ?? 0) | flag;
}

/** The first half of a surrogate pair. */
function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** The simple escapes: one character after the backslash. */
const simpleEscapes = '"\\/bfnrt';
const controls = Array.from({ length: 32 }, (_, unit) => String.fromCharCode(unit));

/** Characters that JSON escapes. */
export const escapedInJson = `"\\${controls.join('')}`;

/** Inside a JSON string, only quotes, control characters and escapes that are not simple need attention. */
export const plainInJsonString = new PlainRun({
  firsts: ['"', ...controls],
  spaces: '',
  seconds: null,
  escapes: true,
});
