/** The part of the response that may still matter: text that was not emitted yet, and a little before it. */
import { codePointBefore, type GrowingText } from './pattern/search.ts';

/** Up to this length, the unneeded beginning of a piece is kept. */
const keptLength = 512;

/** Text in pieces, so that appending to a long text is cheap. Positions count from the first character ever added. */
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
    const last = this.#pieces.at(-1) ?? '';
    const lastStart = this.#end - last.length;
    // Requested text is nearly always in the last piece.
    if (from >= lastStart) return last.slice(from - lastStart, to - lastStart);
    return this.text().slice(from - this.#start, to - this.#start);
  }

  piece(from: number, to: number): string {
    return this.slice(from, to);
  }

  codePointBefore(at: number): number {
    if (at <= this.#start) return -1;
    const last = this.#pieces.at(-1) ?? '';
    const inLast = at - (this.#end - last.length);
    if (inLast >= 2) return codePointBefore(last, inLast);
    return codePointBefore(this.slice(this.#start, at), at - this.#start);
  }

  /** Drops text before `at`, or slightly less: whole pieces, then the beginning of a long piece. */
  forget(at: number): void {
    let count = 0;
    for (const piece of this.#pieces) {
      if (this.#start + piece.length > at || count === this.#pieces.length - 1) break;
      this.#start += piece.length;
      count++;
    }
    if (count > 0) this.#pieces.splice(0, count);
    const first = this.#pieces[0];
    if (first === undefined || at - this.#start < keptLength) return;
    this.#pieces[0] = first.slice(at - this.#start);
    this.#start = at;
  }
}
