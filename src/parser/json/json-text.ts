/** Encoding and decoding of JSON strings. */

/** What may need an escape in JSON: quotes, backslashes, halves of surrogate pairs, control characters. */
const special = /["\\\ud800-\udfff]|[^ -\uffff]/;

/** Up to this length, a loop over the units is faster than a search. */
const shortPiece = 32;

/** Escapes `text` for a JSON string. */
export function escapeJson(text: string): string {
  if (text.length <= shortPiece) return escapeShort(text);
  return special.test(text) ? JSON.stringify(text).slice(1, -1) : text;
}

/** The escaped form of each unit below 128; empty for units that need no escape. */
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

/** The characters after the backslash of simple escapes in JSON and Python, and what they mean. */
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

const quote = 34;
const backslash = 92;

/** Position after the JSON string that begins at `start`; -1 if it is not complete. */
export function stringEnd(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    const unit = json.charCodeAt(at);
    if (unit === backslash) at++;
    else if (unit === quote) return at + 1;
  }
  return -1;
}

/** A decoded escape: its text, and its end. */
interface Escape {
  readonly text: string;
  readonly end: number;
}

/**
 * Reads the escape of JSON or Python at the backslash at `at`; `null` if the text ends within it. A backslash that
 * begins no escape means itself.
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

/** A code point as text; a lone surrogate stays one. */
function codeText(code: number): string {
  return code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code);
}
