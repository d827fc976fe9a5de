/** Follows one value while its JSON text grows: each part with a check is checked as soon as it closes. */
import { pointerPart } from '../../../format/json-values.ts';
import type { JsonValue } from '../../../format/messages.ts';
import type { CheckedPlace } from '../../../json-schema/validate/checked-places.ts';
import type { ValidationFailure } from '../../../json-schema/validate/validate.ts';
import type { LibraryCheck } from '../../../tools/library-check.ts';

/** A closed part that is invalid. */
export interface WrongValue {
  /** Offset of its first character in the text of the whole value. */
  readonly start: number;
  readonly problems: readonly ValidationFailure[];
  /** Whether only the library of the schema refuses it: some of its rules no other text may meet. */
  readonly fromLibrary: boolean;
}

/** How often a library is asked about one value before it is whole. */
const maxAsked = 64;
const cameBefore = { pointer: '', keyword: 'uniqueItems' };

/** An open value or key. */
interface OpenValue {
  readonly kind: 'object' | 'array' | 'string' | 'scalar' | 'key';
  readonly place: CheckedPlace;
  /** Offset of its first character. */
  readonly start: number;
  /** For an array whose items must be distinct: the items so far, in canonical JSON. */
  readonly seen: Set<string> | null;
  /** For an object: the key of the next value; `null` if there is none yet. */
  key: string | null;
  /** Number of items begun. */
  items: number;
}

/** Follows the text of one value, which must be a beginning of JSON at every moment. */
export class ValueWatch {
  readonly #root: CheckedPlace;
  readonly #library: LibraryCheck | null;
  readonly #open: OpenValue[] = [];
  #text = '';
  #escaped = false;
  #asked = 0;

  /** `library` is asked about the whole value, and earlier about each of its parts that closes. */
  constructor(root: CheckedPlace, library: LibraryCheck | null = null) {
    this.#root = root;
    this.#library = library;
  }

  /** Adds text. Returns the first value that closes and is invalid, or `null`. */
  feed(delta: string): WrongValue | null {
    const start = this.#text.length;
    this.#text += delta;
    for (let at = start; at < this.#text.length; at++) {
      const wrong = this.#read(this.#text.charAt(at), at);
      if (wrong !== null) return wrong;
    }
    return null;
  }

  /** Ends the text, and thereby a number at its end. */
  end(): WrongValue | null {
    return this.#open.at(-1)?.kind === 'scalar' ? this.#close(this.#text.length) : null;
  }

  /** Length so far. */
  get length(): number {
    return this.#text.length;
  }

  /** Whether a value is open that will be checked when it closes. */
  get pending(): boolean {
    const awaitsLibrary = this.#library?.needsTime === false && this.#open.length > 0;
    return awaitsLibrary || this.#open.some(({ place }) => place.validate !== null);
  }

  #read(character: string, at: number): WrongValue | null {
    const top = this.#open.at(-1);
    if (top?.kind === 'string' || top?.kind === 'key') return this.#readString(character, at);
    if (top?.kind === 'scalar') {
      if (!/[,\]}\s]/.test(character)) return null;
      return this.#close(at) ?? this.#read(character, at);
    }
    if (character === '}' || character === ']') return this.#close(at + 1);
    if (character === ',' && top?.kind === 'object') top.key = null;
    if (/[,:\s]/.test(character)) return null;
    this.#begin(character, at, top);
    return null;
  }

  #readString(character: string, at: number): WrongValue | null {
    if (this.#escaped) this.#escaped = false;
    else if (character === '\\') this.#escaped = true;
    else if (character === '"') return this.#close(at + 1);
    return null;
  }

  #begin(character: string, start: number, parent: OpenValue | undefined): void {
    if (parent?.kind === 'object' && parent.key === null) {
      this.#push('key', noPlace, start);
      return;
    }
    const place = this.#placeIn(parent);
    const kind =
      character === '{' ? 'object' : character === '[' ? 'array' : character === '"' ? 'string' : 'scalar';
    this.#push(kind, place, start);
  }

  #placeIn(parent: OpenValue | undefined): CheckedPlace {
    if (parent === undefined) return this.#root;
    if (parent.kind === 'object') return parent.place.property(parent.key ?? '');
    parent.items += 1;
    return parent.place.item(parent.items - 1);
  }

  #push(kind: OpenValue['kind'], place: CheckedPlace, start: number): void {
    const seen = kind === 'array' && place.uniqueItems ? new Set<string>() : null;
    this.#open.push({ kind, place, start, seen, key: null, items: 0 });
  }

  #close(end: number): WrongValue | null {
    const closed = this.#open.pop();
    if (closed === undefined) return null;
    const parent = this.#open.at(-1);
    const text = this.#text.slice(closed.start, end);
    if (closed.kind === 'key') {
      if (parent !== undefined) parent.key = JSON.parse(text);
      return null;
    }
    const problems = this.#problemsOf(closed, text, parent);
    if (problems.length > 0) return { start: closed.start, problems, fromLibrary: false };
    const refused = this.#library?.needsTime === false ? this.#ask(this.#library, closed, end) : [];
    return refused.length === 0 ? null : { start: closed.start, problems: refused, fromLibrary: true };
  }

  #problemsOf(
    { place: { validate } }: OpenValue,
    text: string,
    parent: OpenValue | undefined,
  ): readonly ValidationFailure[] {
    const seen = parent?.seen ?? null;
    if (seen === null && validate === null) return [];
    const value: JsonValue = JSON.parse(text);
    const spelling = seen === null ? '' : canonical(value);
    const equal = seen?.has(spelling) === true ? [{ ...cameBefore, message: `${text} came before` }] : [];
    seen?.add(spelling);
    return [...equal, ...(validate?.(value) ?? [])];
  }

  /**
   * The library's problems with the value so far, whose part `closed` ends at `end`: all if it is whole, otherwise those
   * of the part. What is still missing is none of them.
   */
  #ask(library: LibraryCheck, closed: OpenValue, end: number): readonly ValidationFailure[] {
    const [root, ...inner] = this.#open;
    const part = root?.kind === 'object' ? root.key : String((root?.items ?? 0) - 1);
    if (inner.length > 0 || (root !== undefined && this.#asked >= maxAsked)) return [];
    this.#asked += 1;
    const from = root?.start ?? closed.start;
    const close = root === undefined ? '' : root.kind === 'object' ? '}' : ']';
    const value: JsonValue = JSON.parse(this.#text.slice(from, end) + close);
    return library
      .problemsOf(value)
      .filter(({ path }) => root === undefined || path[0] === part)
      .map(({ path, text }) => ({
        pointer: path.map((key) => `/${pointerPart(key)}`).join(''),
        keyword: '~standard',
        message: text,
      }));
  }
}

/** A place without checks. */
export const noPlace: CheckedPlace = {
  validate: null,
  uniqueItems: false,
  property: () => noPlace,
  item: () => noPlace,
};

/** A text that is equal for equal values, whatever the order of keys. */
function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_, part: JsonValue) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(
          Object.entries(part)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, each]) => [`:${key}`, each]),
        )
      : part,
  );
}
