/**
 * Leaves members out of an object's JSON while it is being written: those that are `null` and so mean that they are
 * absent. A member is held back, with the separator before it, until its key or the beginning of its value shows that it stays.
 */
import { parseJson } from '../../format/json-values.ts';

/** Where the text is; from `separator` to `null`, it is held back. */
type MemberPlace =
  | 'before' // before the object
  | 'separator' // before a key
  | 'key'
  | 'colon' // after a key, before its value
  | 'null' // in a value that begins like `null`
  | 'value' // in a member that stays
  | 'after'; // after the object, or in something else

const blank = /[ \t\r\n]/;
const leadingSeparator = /^[ \t\r\n]*,[ \t\r\n]*/;

/** See the top of this file. */
export class AbsentMembers {
  /** The keys of the members left out, as often as they were. */
  readonly keys: string[] = [];
  private readonly names: ReadonlySet<string>;
  private place: MemberPlace = 'before';
  private held = '';
  /** The key, as it is written. */
  private key = '';
  private hasEscape = false;
  private literal = '';
  /** Brackets open in the value. */
  private depth = 0;
  private isInString = false;
  private isEscaped = false;
  private hasMember = false;

  /** `names`: the keys of members that are absent if they are `null`. */
  constructor(names: ReadonlySet<string>) {
    this.names = names;
  }

  /** Whether text is held back. */
  get isHolding(): boolean {
    const { place } = this;
    return place === 'separator' || place === 'key' || place === 'colon' || place === 'null';
  }

  /** Reads on; returns the JSON that is now certain. */
  write(piece: string): string {
    let written = '';
    let at = 0;
    while (at < piece.length) {
      const { place } = this;
      const end = place === 'value' ? this.memberEnd(piece, at) : place === 'after' ? piece.length : at;
      if (end > at) {
        written += piece.slice(at, end);
        at = end;
      } else if (this.stays(piece.charAt(at))) {
        written += this.keep();
      } else {
        written += this.read(piece.charAt(at));
        at++;
      }
    }
    return written;
  }

  /** Takes note that the value that comes next is no `null`; returns the JSON that is now certain. */
  expectValue(): string {
    return this.place === 'colon' ? this.keep() : '';
  }

  /** Ends the text early: returns what is held back. */
  end(): string {
    const rest = this.keep();
    this.place = 'after';
    return rest;
  }

  /** The end of the member that stays, before the next separator; of the piece, if it goes on. */
  private memberEnd(piece: string, from: number): number {
    for (let at = from; at < piece.length; at++) {
      const char = piece.charAt(at);
      if (this.isInString || char === '"') {
        this.readString(char);
      } else if (char === '{' || char === '[') {
        this.depth++;
      } else if (this.depth > 0) {
        if (char === '}' || char === ']') this.depth--;
      } else if (char === ',') {
        this.place = 'separator';
        return at;
      } else if (char === '}') {
        this.place = 'after';
        return at + 1;
      }
    }
    return piece.length;
  }

  /** Reads a character of a string, from its first quote to its last. */
  private readString(char: string): void {
    if (!this.isInString) this.isInString = true;
    else if (this.isEscaped) this.isEscaped = false;
    else if (char === '\\') this.isEscaped = true;
    else if (char === '"') this.isInString = false;
  }

  /** Whether the next character shows that the value of the member held back is no `null`. */
  private stays(char: string): boolean {
    if (this.place === 'colon') return char !== ':' && char !== 'n' && !blank.test(char);
    return this.place === 'null' && !this.isNullAt(char);
  }

  private isNullAt(char: string): boolean {
    const isOver = char === ',' || char === '}' || blank.test(char);
    return isOver ? this.literal === 'null' : 'null'.startsWith(this.literal + char);
  }

  /** The member held back stays. */
  private keep(): string {
    const held = this.takeHeld();
    const isFirst = !this.hasMember;
    this.hasMember = true;
    this.place = 'value';
    // The separator came after a member that was left out.
    return isFirst ? held.replace(leadingSeparator, '') : held;
  }

  private takeHeld(): string {
    const { held } = this;
    this.held = '';
    return held;
  }

  /** The member held back is absent. */
  private drop(): void {
    this.keys.push(this.decodedKey());
    this.held = '';
    this.place = 'separator';
  }

  /** Reads a character outside the members that stay; returns the JSON that is now certain. */
  private read(char: string): string {
    if (this.place === 'before') {
      if (!blank.test(char)) this.place = char === '{' ? 'separator' : 'after';
      return char;
    }
    if (this.place === 'null' && this.literal === 'null') this.drop();
    this.held += char;
    if (this.place === 'separator') return this.readSeparator(char);
    if (this.place === 'key') return this.readKey(char);
    if (this.place === 'null') this.literal += char;
    else if (char === 'n') this.beginNull();
    return '';
  }

  private beginNull(): void {
    this.place = 'null';
    this.literal = 'n';
  }

  private readSeparator(char: string): string {
    if (blank.test(char)) return this.isBeforeFirst ? this.takeHeld() : '';
    if (char === ',') return '';
    if (char !== '"') return this.end();
    this.place = 'key';
    this.key = '';
    this.hasEscape = false;
    this.readString(char);
    return '';
  }

  /** Whether no member has begun; white space then stays whatever follows. */
  private get isBeforeFirst(): boolean {
    return !this.hasMember && this.keys.length === 0;
  }

  private readKey(char: string): string {
    this.readString(char);
    if (this.isInString) {
      this.key += char;
      this.hasEscape ||= char === '\\';
      return this.hasEscape || this.beginsName() ? '' : this.keep();
    }
    if (!this.names.has(this.decodedKey())) return this.keep();
    this.place = 'colon';
    return '';
  }

  private beginsName(): boolean {
    for (const name of this.names) if (name.startsWith(this.key)) return true;
    return false;
  }

  private decodedKey(): string {
    const key = this.hasEscape ? parseJson(`"${this.key}"`) : this.key;
    return typeof key === 'string' ? key : this.key;
  }
}
