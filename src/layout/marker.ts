/** Markers: literals of a format, and what a reader has to know about each. White space at their edges is flexible. */

/** Shorter markers are too common in prose to count by themselves. */
export const significantLength = 4;

/** A literal of a format, as the template writes it. */
export class Marker {
  /** Exact text. */
  readonly text: string;
  /** The text without white space at its edges, by which it is recognised; empty for a blank marker. */
  readonly core: string;
  /** White space before the core. */
  readonly before: string;
  /** White space after the core; all of a blank marker. */
  readonly after: string;

  constructor(text: string) {
    this.text = text;
    this.core = text.trim();
    const at = text.indexOf(this.core);
    this.before = text.slice(0, at);
    this.after = text.slice(at + this.core.length);
  }

  /** Whether there is nothing, or only white space. */
  get isBlank(): boolean {
    return this.core === '';
  }

  /** Whether it is white space, and not nothing. */
  get isSpace(): boolean {
    return this.isBlank && this.text !== '';
  }

  /** Whether it is rare enough in prose to count without a look at what follows. */
  get isSignificant(): boolean {
    return this.core.length >= significantLength && /[^\w\s]/.test(this.core);
  }

  /** From its first character on: the text without the white space before it; empty for a blank marker. */
  get fromCore(): string {
    return this.isBlank ? '' : this.core + this.after;
  }

  /** Up to its last character: the text without the white space after it; empty for a blank marker. */
  get upToCore(): string {
    return this.isBlank ? '' : this.before + this.core;
  }

  /** Its first word: `{"name":` of `{"name": "`. */
  get firstWord(): string {
    return this.core.split(/\s/)[0] ?? '';
  }

  /**
   * The pieces between its line breaks, each with the white space after it, the first also with the white space before
   * it: `<a>\n`, `<b>`. None of a blank marker.
   */
  get pieces(): readonly Marker[] {
    if (this.isBlank) return [];
    const text = this.fromCore;
    const [first = '', ...others] = text.match(/\S[^\r\n]*(?:[\r\n]\s*)?/g) ?? [text];
    return markers([this.before + first, ...others]);
  }
}

/** A marker of each text. */
export function markers(texts: readonly string[]): readonly Marker[] {
  return texts.map((text) => new Marker(text));
}

/** The cores of markers, without duplicates and blank ones. */
export function coresOf(all: readonly Marker[]): readonly string[] {
  return [...new Set(all.map(({ core }) => core))].filter((core) => core !== '');
}

/** Markers by name. */
export type Marked<Name extends string> = { readonly [name in Name]: Marker };

/** A marker of each of the named texts. */
export function markersOf<Name extends string>(texts: { readonly [name in Name]: string }): Marked<Name>;
export function markersOf(texts: Readonly<Record<string, string>>): Marked<string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, new Marker(text)]));
}
