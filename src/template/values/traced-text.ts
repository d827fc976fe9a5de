/**
 * Text whose characters record their origin.
 *
 * A prompt mixes the template's own text with messages, tools and variables, and only the template's own characters
 * may become special tokens. In a traced render every text of the input is a `TracedText`, and the functions here cut,
 * join and change texts so that each character keeps its origin. A plain string is the template's own text. In a
 * render that is not traced, all texts are plain strings, and these functions cost no more than the corresponding
 * string operations.
 */
import { findAll, splitAll } from './search.ts';

/** Text of a template: a string is the template's own, a `TracedText` has characters of the input. */
export type Text = string | TracedText;

/** The origin of characters: the template's source, or the messages, tools and variables passed to it. */
export type TextOrigin = 'template' | 'data';

/** Consecutive characters of one origin. */
export interface TextSpan {
  readonly text: string;
  readonly origin: TextOrigin;
}

/** Non-empty text with at least one character of the input. */
export class TracedText {
  readonly text: string;
  /**
   * Positions in UTF-16 units, ascending, where the origin changes: first from template to data. The first may be 0.
   */
  readonly changes: readonly number[];
  constructor(text: string, changes: readonly number[]) {
    this.text = text;
    this.changes = changes;
  }
}

const dataFromTheStart: readonly number[] = [0];

/** Text of the input. */
export function dataText(text: string): Text {
  return text === '' ? '' : new TracedText(text, dataFromTheStart);
}

/** The characters without their origin. */
export function plainText(text: Text): string {
  return typeof text === 'string' ? text : text.text;
}

/** How often the origin changes, which adds to the cost of operations. */
export function originChanges(text: Text): number {
  return typeof text === 'string' ? 0 : text.changes.length;
}

/** Joins texts piece by piece. */
export class TextBuilder {
  private text = '';
  private changes: number[] | null = null;

  get length(): number {
    return this.text.length;
  }

  add(piece: Text): void {
    if (typeof piece !== 'string') this.addTraced(piece);
    else if (this.changes === null || piece === '') this.text += piece;
    else {
      this.turn(this.changes, false);
      this.text += piece;
    }
  }

  /** All pieces as one text. */
  build(): Text {
    return this.changes === null ? this.text : new TracedText(this.text, this.changes);
  }

  private addTraced({ text, changes }: TracedText): void {
    this.changes ??= [];
    const offset = this.text.length;
    const beginsAsData = changes[0] === 0;
    this.turn(this.changes, beginsAsData);
    for (const change of beginsAsData ? changes.slice(1) : changes) this.changes.push(offset + change);
    this.text += text;
  }

  private turn(changes: number[], toData: boolean): void {
    if ((changes.length % 2 === 1) !== toData) changes.push(this.text.length);
  }
}

/** Joins texts with a separator. */
export function joinTexts(parts: readonly Text[], separator: Text = ''): Text {
  const builder = new TextBuilder();
  parts.forEach((part, index) => {
    if (index > 0) builder.add(separator);
    builder.add(part);
  });
  return builder.build();
}

/** The same text `count` times. */
export function repeatText(text: Text, count: number): Text {
  if (typeof text === 'string') return text.repeat(count);
  if (isAllData(text)) return dataText(text.text.repeat(count));
  const builder = new TextBuilder();
  for (let done = 0; done < count; done += 1) builder.add(text);
  return builder.build();
}

function isAllData({ changes }: TracedText): boolean {
  return changes.length === 1 && changes[0] === 0;
}

/** Index of the first change after `place`. */
function changeAfter(changes: readonly number[], place: number): number {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((changes[middle] ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The part from `start` to `end`, in UTF-16 units. */
export function sliceText(text: Text, start: number, end: number = lengthOfText(text)): Text {
  if (typeof text === 'string') return text.slice(start, end);
  if (start >= end) return '';
  const { changes } = text;
  const first = changeAfter(changes, start);
  const last = changeAfter(changes, end - 1);
  const inside = changes.slice(first, last).map((place) => place - start);
  const own = first % 2 === 1 ? [0, ...inside] : inside;
  const part = text.text.slice(start, end);
  return own.length === 0 ? part : new TracedText(part, own);
}

/** Length in UTF-16 units. */
export function lengthOfText(text: Text): number {
  return typeof text === 'string' ? text.length : text.text.length;
}

/** Cuts the whole text into pieces of these lengths. */
export function cutText(text: Text, pieces: readonly string[]): readonly Text[] {
  if (typeof text === 'string') return pieces;
  let end = 0;
  return pieces.map((piece) => {
    const start = end;
    end += piece.length;
    return sliceText(text, start, end);
  });
}

/** The pieces between the occurrences of a non-empty separator: `limit` of them are cut off, and the rest is one. */
export function splitText(text: Text, separator: string, limit = Infinity): readonly Text[] {
  const plain = plainText(text);
  if (typeof text === 'string' && limit === Infinity) return splitAll(text, separator);
  const pieces: Text[] = [];
  let done = 0;
  for (const place of findAll(plain, separator)) {
    if (pieces.length >= limit) break;
    pieces.push(sliceText(text, done, place));
    done = place + separator.length;
  }
  pieces.push(sliceText(text, done, plain.length));
  return pieces;
}

/** The spans of a text; none if it is empty. */
export function spansOf(text: Text): readonly TextSpan[] {
  if (typeof text === 'string') return text === '' ? [] : [{ text, origin: 'template' }];
  const { changes, text: plain } = text;
  const spans: TextSpan[] = [];
  for (let index = changes[0] === 0 ? 0 : -1; index < changes.length; index += 1) {
    const part = plain.slice(changes[index], changes[index + 1]);
    spans.push({ text: part, origin: index % 2 === 0 ? 'data' : 'template' });
  }
  return spans;
}

/**
 * The text after a change of characters (case, escapes). If characters change one by one, each keeps its origin; if a
 * change depends on neighbours, all of the result counts as data.
 */
export function changeText(text: Text, change: (text: string) => string): Text {
  if (typeof text === 'string') return change(text);
  const changed = change(text.text);
  if (isAllData(text)) return dataText(changed);
  const builder = new TextBuilder();
  for (const span of spansOf(text)) {
    const part = change(span.text);
    builder.add(span.origin === 'data' ? dataText(part) : part);
  }
  const joined = builder.build();
  return plainText(joined) === changed ? joined : dataText(changed);
}
