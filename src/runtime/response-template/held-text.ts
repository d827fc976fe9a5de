/** The part of the response that may still matter: text that is not yet said, and a little before it. */
import { codePointBefore, type GrowingText } from './python-regex/pattern-search.ts';

/** Text in pieces, so that adding to much of it stays cheap. Places count from the first character ever added. */
export class HeldText implements GrowingText {
  #pieces: string[] = [];
  #start = 0;
  #end = 0;

  get start(): number {
    return this.#start;
  }

  get end(): number {
    return this.#end;
  }

  append(piece: string): void {
    if (piece === '') return;
    this.#pieces.push(piece);
    this.#end += piece.length;
  }

  text(): string {
    const text = this.#pieces.join('');
    this.#pieces = text === '' ? [] : [text];
    return text;
  }

  /** The text from `from` to `to`, both within what is held. */
  slice(from: number, to: number): string {
    if (this.#pieces.length > 1) this.text();
    return (this.#pieces[0] ?? '').slice(from - this.#start, to - this.#start);
  }

  piece(from: number, to: number): string {
    // What is searched is nearly always the last piece.
    const last = this.#pieces.at(-1) ?? '';
    const lastStart = this.#end - last.length;
    if (from >= lastStart) return last.slice(from - lastStart, to - lastStart);
    return this.slice(from, to);
  }

  codePointBefore(at: number): number {
    if (at <= this.#start) return -1;
    const last = this.#pieces.at(-1) ?? '';
    const inLast = at - (this.#end - last.length);
    if (inLast >= 2) return codePointBefore(last, inLast);
    return codePointBefore(this.slice(this.#start, at), at - this.#start);
  }

  /** Forgets everything before `at`. */
  forget(at: number): void {
    if (at <= this.#start) return;
    const rest = this.slice(at, this.#end);
    this.#pieces = rest === '' ? [] : [rest];
    this.#start = at;
  }
}
