/**
 * Placeholders: characters that replace what differs from call to call, so that the literals of different calls become
 * equal. They replace a call's name, id and number after its arguments, and an argument's key after its value.
 */
import type { CallPart, KeyHole } from '../../format/chat-format.ts';
import type { ProbeCall } from './probes.ts';

/** Replaces an argument's key. */
export const keyPlaceholder = '\uE000';
/** Replaces the tool's name. */
const namePlaceholder = '\uE001';
/** Replaces the call's id. */
const idPlaceholder = '\uE002';
/** Replaces the number of the call. */
const numberPlaceholder = '\uE003';
const placeholders = /([\uE001-\uE003])/;

/** The literals between two calls and after the last, with placeholders. */
interface CallLiterals {
  readonly between: string | null;
  readonly after: string;
  /** The number in the first call that the placeholder replaces; 0 if there is none. */
  readonly number: number;
}

/** Puts placeholders into the literals after the first and after the last of `calls`. */
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

/** Replaces numbers that count the calls in the common prefix of both literals; they differ by `distance`. */
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

/** Fills the placeholders of a literal for a call. */
export function fillPlaceholders(text: string, call: ProbeCall, number: number): string {
  return text
    .replaceAll(namePlaceholder, call.name)
    .replaceAll(idPlaceholder, call.id)
    .replaceAll(numberPlaceholder, String(number));
}

/** `rendered`, which ends with the literal `marked`, with that literal's placeholders. */
export function likePattern(rendered: string, marked: string, call: ProbeCall, number: number): string {
  const start = Array.from(marked, (_, index) => index).find((index) =>
    rendered.endsWith(fillPlaceholders(marked.slice(index), call, number)),
  );
  if (start === undefined) return rendered;
  const shared = marked.slice(start);
  return rendered.slice(0, rendered.length - fillPlaceholders(shared, call, number).length) + shared;
}

/** Splits the end of a call after its last placeholder: into the tail of the skeleton, and the closer. */
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

/** Replaces keys by placeholders. */
export function withKeyPlaceholders(text: string, keys: readonly string[]): string {
  return keys.reduce((marked, key) => marked.replaceAll(key, keyPlaceholder), text);
}

/** A literal as text and holes, from placeholders for keys. */
export function withKeyHoles(text: string): readonly (string | KeyHole)[] {
  return text.split(keyPlaceholder).flatMap((literal, position): readonly (string | KeyHole)[] => {
    const hole: readonly KeyHole[] = position === 0 ? [] : [{ hole: 'key' }];
    return literal === '' ? hole : [...hole, literal];
  });
}
