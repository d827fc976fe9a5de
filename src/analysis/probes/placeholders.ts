/**
 * Placeholders: characters that stand for what differs from call to call while literals are being read, so that
 * the literals of different calls are equal. They stand for a call's name, id and number after its arguments,
 * and for an argument's key after its value.
 */
import type { CallPart, KeyHole } from '../../format/chat-format.ts';
import type { ProbeCall } from './probes.ts';

/** Stands for an argument's key. */
export const keyPlaceholder = '\uE000';
/** Stands for the tool's name. */
const namePlaceholder = '\uE001';
/** Stands for the call's id. */
const idPlaceholder = '\uE002';
/** Stands for the number of the call. */
const numberPlaceholder = '\uE003';
const placeholders = /([\uE001-\uE003])/;

/** Literals between two calls and after the last, with placeholders in them. */
export interface CallLiterals {
  readonly between: string | null;
  readonly after: string;
  /** What the placeholder for numbers stands for in the first call; 0 where there is none. */
  readonly number: number;
}

/** Puts placeholders into the literal after the first of `calls` and into the one after the last. */
export function withPlaceholders(
  between: string | null,
  after: string,
  calls: readonly ProbeCall[],
): CallLiterals {
  const last = replaceCall(after, calls.at(-1));
  if (between === null) return { between, after: last, number: 0 };
  return replaceNumbers(replaceCall(between, calls[0]), last, calls.length - 1);
}

function replaceCall(text: string, call: ProbeCall | undefined): string {
  return call === undefined
    ? text
    : text.replaceAll(call.name, namePlaceholder).replaceAll(call.id, idPlaceholder);
}

/** Numbers in the part that both begin with, and that count the calls: `distance` lies between them. */
function replaceNumbers(between: string, after: string, distance: number): CallLiterals {
  const [left, right] = [between.split(/(\d+)/), after.split(/(\d+)/)];
  let number: number | null = null;
  for (const [index, piece] of left.entries()) {
    if (piece === right[index]) continue;
    const first = Number(piece);
    if (index % 2 === 0 || Number(right[index]) !== first + distance) break;
    number ??= first;
    if (first !== number) break;
    left[index] = numberPlaceholder;
    right[index] = numberPlaceholder;
  }
  return { between: left.join(''), after: right.join(''), number: number ?? 0 };
}

/** A literal with placeholders as it is rendered for a call. */
export function fillPlaceholders(text: string, call: ProbeCall, number: number): string {
  return text
    .replaceAll(namePlaceholder, call.name)
    .replaceAll(idPlaceholder, call.id)
    .replaceAll(numberPlaceholder, String(number));
}

/** `rendered`, which ends like the literal `marked`, with that literal's placeholders. */
export function likePattern(rendered: string, marked: string, call: ProbeCall, number: number): string {
  const start = Array.from(marked, (_, index) => index).find((index) =>
    rendered.endsWith(fillPlaceholders(marked.slice(index), call, number)),
  );
  if (start === undefined) return rendered;
  const shared = marked.slice(start);
  return rendered.slice(0, rendered.length - fillPlaceholders(shared, call, number).length) + shared;
}

/** What ends a call, cut after the last placeholder: the tail of the call's skeleton, and its closer. */
export function splitAfterPlaceholders(
  text: string,
  number: number,
): { readonly tail: readonly CallPart[]; readonly close: string } {
  const pieces = text.split(placeholders);
  const close = pieces.pop() ?? '';
  const tail = pieces.map((piece): CallPart => {
    if (piece === namePlaceholder) return { hole: 'name' };
    if (piece === idPlaceholder) return { hole: 'id' };
    return piece === numberPlaceholder ? { hole: 'index', base: number } : piece;
  });
  return { tail: tail.filter((part) => part !== ''), close };
}

/** Puts placeholders where keys stand. */
export function withKeyPlaceholders(text: string, keys: readonly string[]): string {
  return keys.reduce((marked, key) => marked.replaceAll(key, keyPlaceholder), text);
}

/** A literal with placeholders for keys as literals and holes. */
export function withKeyHoles(text: string): readonly (string | KeyHole)[] {
  return text.split(keyPlaceholder).flatMap((literal, position): readonly (string | KeyHole)[] => {
    const hole: readonly KeyHole[] = position === 0 ? [] : [{ hole: 'key' }];
    return literal === '' ? hole : [...hole, literal];
  });
}
