/** Pieces of JSON text. */

/** What JSON may have to escape: quotes, backslashes, halves of surrogate pairs, control characters. */
const special = /["\\\ud800-\udfff]|[^ -\uffff]/;

/** Pieces up to this length are looked at unit by unit, which is faster than a search. */
const shortPiece = 32;

/** The characters of `text` as they stand inside a JSON string. */
export function escapeJson(text: string): string {
  if (text.length <= shortPiece) return escapeShort(text);
  return special.test(text) ? JSON.stringify(text).slice(1, -1) : text;
}

/** How the units below 128 stand inside a JSON string; empty where a unit stands for itself. */
export const escaped: readonly string[] = Array.from({ length: 128 }, (_, unit) => {
  const character = String.fromCharCode(unit);
  const json = JSON.stringify(character).slice(1, -1);
  return json === character ? '' : json;
});

function escapeShort(text: string): string {
  let json = '';
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 128) {
      const sequence = escaped[unit] ?? '';
      if (sequence === '') continue;
      json += text.slice(copied, at) + sequence;
      copied = at + 1;
    } else if (unit >= 0xd800 && unit <= 0xdfff) {
      return JSON.stringify(text).slice(1, -1);
    }
  }
  return copied === 0 ? text : json + text.slice(copied);
}

/** What stands after the backslash of an escape, and the text that it means: of JSON and of Python. */
const simpleEscapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
  ['/', '/'],
  ['\\', '\\'],
  ['"', '"'],
  ["'", "'"],
  ['\n', ''],
]);

/** An escape at some position: the text it stands for, and where it ends. */
export interface Escape {
  readonly text: string;
  readonly end: number;
}

/**
 * The escape of JSON or Python that begins with the backslash at `at`; `null` if the text ends within it.
 * A backslash that begins none stands for itself.
 */
export function readEscape(text: string, at: number): Escape | null {
  const kind = text[at + 1];
  if (kind === undefined) return null;
  const simple = simpleEscapes.get(kind);
  if (simple !== undefined) return { text: simple, end: at + 2 };
  const digits = kind === 'u' ? 4 : kind === 'x' ? 2 : kind === 'U' ? 8 : 0;
  const hex = /^[0-9a-fA-F]*/.exec(text.slice(at + 2, at + 2 + digits))?.[0] ?? '';
  if (digits > 0 && hex.length === digits) {
    const code = Number.parseInt(hex, 16);
    return { text: code <= 0x10ffff ? codeText(code) : '\ufffd', end: at + 2 + digits };
  }
  if (digits > 0 && at + 2 + hex.length === text.length) return null;
  return { text: '\\', end: at + 1 };
}

/** A code point as text; half a surrogate pair stays half. */
function codeText(code: number): string {
  return code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code);
}
