/**
 * Marks: characters that stand for what differs from call to call while literals are being read, so that the
 * literals of different calls are equal. They stand for a call's name, id and number after its arguments,
 * and for an argument's key after its value.
 */
import type { CallPart, KeyHole } from '../format/chat-format.ts';
import type { ProbeCall } from './probes.ts';

/** Stands for an argument's key. */
export const keyMark = '\uE000';
/** Stands for the tool's name. */
const nameMark = '\uE001';
/** Stands for the call's id. */
const idMark = '\uE002';
/** Stands for the number of the call. */
const numberMark = '\uE003';
const marks = /([\uE001-\uE003])/;

/** Literals between two calls and after the last, with marks in them. */
export interface MarkedTexts {
  readonly between: string | null;
  readonly after: string;
  /** What the number mark stands for in the first call; 0 where there is none. */
  readonly number: number;
}

/** Puts marks into the literal after the first of `calls` and into the one after the last. */
export function markTexts(between: string | null, after: string, calls: readonly ProbeCall[]): MarkedTexts {
  const last = markCall(after, calls.at(-1));
  if (between === null) return { between, after: last, number: 0 };
  return markNumbers(markCall(between, calls[0]), last, calls.length - 1);
}

function markCall(text: string, call: ProbeCall | undefined): string {
  return call === undefined ? text : text.replaceAll(call.name, nameMark).replaceAll(call.id, idMark);
}

/** Numbers in the part that both begin with, and that count the calls: `distance` lies between them. */
function markNumbers(between: string, after: string, distance: number): MarkedTexts {
  const [left, right] = [between.split(/(\d+)/), after.split(/(\d+)/)];
  let number: number | null = null;
  for (const [index, piece] of left.entries()) {
    if (piece === right[index]) continue;
    const first = Number(piece);
    if (index % 2 === 0 || Number(right[index]) !== first + distance) break;
    number ??= first;
    if (first !== number) break;
    left[index] = numberMark;
    right[index] = numberMark;
  }
  return { between: left.join(''), after: right.join(''), number: number ?? 0 };
}

/** A literal with marks as it is rendered for a call. */
export function unmark(text: string, call: ProbeCall, number: number): string {
  return text
    .replaceAll(nameMark, call.name)
    .replaceAll(idMark, call.id)
    .replaceAll(numberMark, String(number));
}

/** `rendered`, which ends like the literal `marked`, with that literal's marks. */
export function markLike(rendered: string, marked: string, call: ProbeCall, number: number): string {
  const start = Array.from(marked, (_, index) => index).find((index) =>
    rendered.endsWith(unmark(marked.slice(index), call, number)),
  );
  if (start === undefined) return rendered;
  const shared = marked.slice(start);
  return rendered.slice(0, rendered.length - unmark(shared, call, number).length) + shared;
}

/** What ends a call, cut after the last mark: the tail of the call's skeleton, and its closer. */
export function splitMarks(
  text: string,
  number: number,
): { readonly tail: readonly CallPart[]; readonly close: string } {
  const pieces = text.split(marks);
  const close = pieces.pop() ?? '';
  const tail = pieces.map((piece): CallPart => {
    if (piece === nameMark) return { hole: 'name' };
    if (piece === idMark) return { hole: 'id' };
    return piece === numberMark ? { hole: 'index', base: number } : piece;
  });
  return { tail: tail.filter((part) => part !== ''), close };
}

/** Puts marks where keys stand. */
export function markKeys(text: string, keys: readonly string[]): string {
  return keys.reduce((marked, key) => marked.replaceAll(key, keyMark), text);
}

/** A literal with key marks as literals and holes. */
export function withKeyHoles(text: string): readonly (string | KeyHole)[] {
  return text.split(keyMark).flatMap((literal, position): readonly (string | KeyHole)[] => {
    const hole: readonly KeyHole[] = position === 0 ? [] : [{ hole: 'key' }];
    return literal === '' ? hole : [...hole, literal];
  });
}
