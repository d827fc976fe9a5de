/** The stretches of the response that were written as special tokens, if the caller marks them. */

/** Records special tokens, and decides which markers count. */
export class SpecialSpans {
  /** Texts of the special tokens in the model's vocabulary, the longest first. */
  readonly tokens: readonly string[];
  /** Offsets at which a special token begins, ascending. */
  private starts: number[] = [];
  private lengths: number[] = [];
  private readonly inside = new Map<string, readonly number[]>();

  /** `tokens`: texts of special tokens. Longer ones win. */
  constructor(tokens: readonly string[]) {
    this.tokens = [...tokens].filter((token) => token !== '').sort((a, b) => b.length - a.length);
  }

  /** Records a special token at `start`; offsets before `needed` will not be asked for again. */
  add(start: number, length: number, needed: number): void {
    if (this.starts.length > 256) this.forget(needed);
    this.starts.push(start);
    this.lengths.push(length);
  }

  private forget(needed: number): void {
    const kept = this.starts.findIndex((each) => each >= needed);
    const from = kept === -1 ? this.starts.length : kept;
    this.starts = this.starts.slice(from);
    this.lengths = this.lengths.slice(from);
  }

  /** The first special token at or after `offset`. */
  next(offset: number): { readonly start: number; readonly length: number } | null {
    const index = this.starts.findIndex((each) => each >= offset);
    return index === -1 ? null : { start: this.starts[index] ?? 0, length: this.lengths[index] ?? 0 };
  }

  /** The text, which begins at `offset`, in pieces: each special token, and what is between them. */
  pieces(text: string, offset: number): readonly { readonly text: string; readonly special: boolean }[] {
    const pieces: { readonly text: string; readonly special: boolean }[] = [];
    let at = 0;
    for (const [index, start] of this.starts.entries()) {
      const from = start - offset;
      const to = from + (this.lengths[index] ?? 0);
      if (from < at || to > text.length) continue;
      if (from > at) pieces.push({ text: text.slice(at, from), special: false });
      pieces.push({ text: text.slice(from, to), special: true });
      at = to;
    }
    if (at < text.length) pieces.push({ text: text.slice(at), special: false });
    return pieces;
  }

  /** Whether every special token in the first `length` units of `part`, at `offset`, was written as that token. */
  isWrittenAsTokens(part: string, offset: number, length: number): boolean {
    if (this.tokens.length === 0) return true;
    const positions = this.positions(part).filter((position) => position < length);
    return positions.every((position) => this.starts.includes(offset + position));
  }

  /** Whether a special token was fed at `offset`. */
  beginsAt(offset: number): boolean {
    return this.starts.includes(offset);
  }

  private positions(part: string): readonly number[] {
    const known = this.inside.get(part);
    if (known !== undefined) return known;
    const found: number[] = [];
    let at = 0;
    while (at < part.length) {
      const token = this.tokens.find((each) => part.startsWith(each, at));
      if (token !== undefined) found.push(at);
      at += token?.length ?? 1;
    }
    this.inside.set(part, found);
    return found;
  }
}
