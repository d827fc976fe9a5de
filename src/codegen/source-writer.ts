/** Prints TypeScript values: in the style of the project's formatter, or more densely. */

/** The line width of the project's formatter. */
export const lineWidth = 110;

/** How values are laid out. */
export interface Layout {
  /** Longest line. */
  readonly width: number;
  /** Objects may have several entries per line. */
  readonly dense: boolean;
}

/** The layout of the project's formatter, so that output needs no formatting. */
const formatted: Layout = { width: lineWidth, dense: false };

/** What can be printed: JSON values. */
export type Printable = string | number | boolean | null | readonly Printable[] | PrintableObject;

type PrintableObject = { readonly [key: string]: Printable };

/** A value as source text. It begins in column `column` of a line indented by `indent`; `rest` units follow it. */
export function printValue(
  value: Printable,
  indent: number,
  column: number,
  rest: number,
  layout: Layout = formatted,
): string {
  if (!isContainer(value)) return printAtom(value);
  const flat = printFlat(value);
  if (flat !== null && column + displayWidth(flat) + rest <= layout.width) return flat;
  if (isList(value)) return printArray(value, indent, layout);
  return layout.dense ? printDense(value, indent, layout) : printObject(value, indent, layout);
}

function isContainer(value: Printable): value is readonly Printable[] | PrintableObject {
  return typeof value === 'object' && value !== null;
}

function isList(value: Printable): value is readonly Printable[] {
  return Array.isArray(value);
}

function printAtom(value: Printable): string {
  return typeof value === 'string' ? printString(value) : String(value);
}

/** On one line; `null` for values that the formatter always breaks: arrays of objects with several keys. */
function printFlat(value: Printable): string | null {
  if (!isContainer(value)) return printAtom(value);
  if (isList(value)) {
    if (alwaysBreaks(value)) return null;
    const items = value.map(printFlat);
    return items.includes(null) ? null : `[${items.join(', ')}]`;
  }
  const entries = Object.entries(value).map(([key, each]) => {
    const text = printFlat(each);
    return text === null ? null : `${printKey(key)}: ${text}`;
  });
  if (entries.length === 0) return '{}';
  return entries.includes(null) ? null : `{ ${entries.join(', ')} }`;
}

function alwaysBreaks(items: readonly Printable[]): boolean {
  if (items.length < 2) return false;
  return items.every(isLargeObject) || items.every((item) => Array.isArray(item) && item.length > 1);
}

function isLargeObject(value: Printable): boolean {
  return isContainer(value) && !Array.isArray(value) && Object.keys(value).length > 1;
}

function printDense(value: PrintableObject, indent: number, layout: Layout): string {
  return `{\n${printEntries(value, indent + 2, layout)}\n${' '.repeat(indent)}}`;
}

/** The entries of an object: short ones share lines as far as they fit, others are on lines of their own. */
export function printEntries(value: PrintableObject, indent: number, layout: Layout): string {
  const entries = Object.entries(value).map(([key, each]) => {
    const start = `${printKey(key)}: `;
    return start + printValue(each, indent, indent + displayWidth(start), 1, layout);
  });
  return fillLines(entries, indent, layout.width);
}

/** Items, each with a comma, as many per line as fit. */
function fillLines(items: readonly string[], indent: number, width: number): string {
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    const longer = `${last} ${item},`;
    const fits = last !== undefined && !longer.includes('\n') && displayWidth(longer) <= width;
    if (fits) lines[lines.length - 1] = longer;
    else lines.push(`${' '.repeat(indent)}${item},`);
  }
  return lines.join('\n');
}

function printArray(items: readonly Printable[], indent: number, layout: Layout): string {
  const pad = ' '.repeat(indent + 2);
  const lines = items.map((item) => `${pad}${printValue(item, indent + 2, indent + 2, 1, layout)},`);
  return `[\n${lines.join('\n')}\n${' '.repeat(indent)}]`;
}

function printObject(value: PrintableObject, indent: number, layout: Layout): string {
  const pad = ' '.repeat(indent + 2);
  const lines = Object.entries(value).map(([key, each]) => {
    const start = `${pad}${printKey(key)}: `;
    const text = printValue(each, indent + 2, displayWidth(start), 1, layout);
    if (typeof each !== 'string' || isShortKey(key)) return `${start}${text},`;
    // A long string is moved to a line of its own.
    return displayWidth(start + text) < layout.width
      ? `${start}${text},`
      : `${start.trimEnd()}\n${pad}  ${text},`;
  });
  return `{\n${lines.join('\n')}\n${' '.repeat(indent)}}`;
}

/** After so short a key, breaking the line gains nothing. */
function isShortKey(key: string): boolean {
  return displayWidth(printKey(key)) < 5;
}

/** A key of an object: quoted unless it is an identifier. */
export function printKey(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : printString(key);
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** A string literal: single quotes, unless double quotes save escapes. */
export function printString(text: string): string {
  const singles = text.split("'").length;
  const doubles = text.split('"').length;
  const quote = singles > doubles ? '"' : "'";
  const body = Array.from(text, (character) => {
    if (character === quote) return `\\${character}`;
    return escapes.get(character) ?? escapeControl(character);
  });
  return quote + body.join('') + quote;
}

/** Characters that are invalid or invisible in source text. */
function escapeControl(character: string): string {
  const isHidden = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(character);
  if (!isHidden) return character;
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }).join('');
}

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g;

/** The width of text in columns: East Asian wide characters count two, as in the formatter. */
function displayWidth(text: string): number {
  return text.length + (text.match(wide)?.length ?? 0);
}

/** An import of values and types from a module, sorted as the formatter does; on one line if it fits. */
export function printImport(
  values: readonly string[],
  types: readonly string[],
  from: string,
  { width, dense }: Layout = formatted,
): string {
  const names = [
    ...values.map((name) => ({ name, text: name })),
    ...types.map((name) => ({ name, text: `type ${name}` })),
  ].sort((a, b) => compareNames(a.name, b.name));
  const line = `import { ${names.map(({ text }) => text).join(', ')} } from '${from}';`;
  if (line.length <= width) return line;
  const texts = names.map(({ text }) => text);
  return `import {\n${fillLines(texts, 2, dense ? width : 0)}\n} from '${from}';`;
}

/** The formatter's order of imported names: alphabetical, capitals before small letters. */
function compareNames(left: string, right: string): number {
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index++) {
    const [a, b] = [left.charAt(index), right.charAt(index)];
    if (a === b) continue;
    const [low, high] = [a.toLowerCase(), b.toLowerCase()];
    return low === high ? a.charCodeAt(0) - b.charCodeAt(0) : low.charCodeAt(0) - high.charCodeAt(0);
  }
  return left.length - right.length;
}
