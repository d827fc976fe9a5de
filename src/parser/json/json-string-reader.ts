/** JSON text inside a JSON string (`"{\"a\": 1}"`), read as it arrives. */
import { skipSpace } from '../markers/white-space.ts';
import type { JsonScanner } from './json-scanner.ts';
import { readEscape } from './json-text.ts';

/**
 * `open`: more text is needed. `done`: the closing quote comes next. `illegal`: the next character is not allowed
 * in the string.
 */
export type StringStatus = 'open' | 'done' | 'illegal';

/** Feeds the decoded text of one JSON string to a scanner, starting after the opening quote. */
export class JsonStringReader {
  status: StringStatus = 'open';
  /** JSON for the stretch that the last `read` consumed. */
  output = '';
  /** End of the text of the value itself; white space may follow before the quote. */
  valueEnd = 0;
  /** What the scanner consumed but has not output, such as half a word, as written in the string. */
  held = '';
  private readonly scanner: JsonScanner;

  constructor(scanner: JsonScanner) {
    this.scanner = scanner;
  }

  /** Reads on from `from`; returns the position after what was consumed. */
  read(text: string, from: number): number {
    this.output = '';
    this.valueEnd = from;
    let at = from;
    while (this.status === 'open' && at < text.length) {
      const next = text[at] === '\\' ? this.escape(text, at) : this.plain(text, at);
      if (next === null) return at;
      at = next;
    }
    return at;
  }

  private escape(text: string, at: number): number | null {
    const decoded = readEscape(text, at);
    if (decoded === null) return null;
    if (this.give(decoded.text, text.slice(at, decoded.end)) > 0) this.valueEnd = decoded.end;
    return this.status === 'illegal' ? at : decoded.end;
  }

  private plain(text: string, at: number): number {
    if (text[at] === '"') {
      this.scanner.end();
      this.output += this.scanner.output;
      if (this.scanner.held === '') this.held = '';
      this.status = this.scanner.status === 'done' ? 'done' : 'illegal';
      return at;
    }
    let end = at;
    while (end < text.length && text[end] !== '"' && text[end] !== '\\') end++;
    const plain = text.slice(at, end);
    const accepted = this.give(plain, plain);
    if (accepted > 0) this.valueEnd = at + accepted;
    if (this.status !== 'illegal') return end;
    // White space after the value is legal, whatever follows it.
    return this.scanner.status === 'done' ? skipSpace(text, at + accepted) : at + accepted;
  }

  /**
   * Feeds decoded text to the scanner; returns how much of it belongs to the value. `written`: its form in the string.
   */
  private give(decoded: string, written: string): number {
    const { scanner } = this;
    let end = 0;
    if (scanner.status === 'open') {
      end = scanner.scan(decoded, 0);
      this.output += scanner.output;
      this.hold(end, decoded === written ? written.slice(0, end) : written);
    }
    const isLegal =
      scanner.status === 'open' || (scanner.status === 'done' && decoded.slice(end).trim() === '');
    if (!isLegal) this.status = 'illegal';
    return end;
  }

  /** Records that the scanner consumed `accepted` units of `written`. */
  private hold(accepted: number, written: string): void {
    const { held } = this.scanner;
    if (held.length > accepted) this.held += written;
    else if (written.length > accepted) this.held = held === '' ? '' : written;
    else this.held = written.slice(accepted - held.length);
  }
}
