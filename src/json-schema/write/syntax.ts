/** How values are spelled: one compiler serves JSON in any style, JSON in a JSON string, Python, and more. */
import type { EntryArguments, JsonStyle, NestedFormat, ValueFrame } from '../../format/argument-notation.ts';
import {
  escapedSpelling,
  jsonSpelling,
  nestSpelling,
  plainSpelling,
  pythonSpelling,
  type Spelling,
} from '../../language/regular/spelling.ts';

/** Literals are as they appear in the response, including escapes. */
export interface Syntax {
  /** Prefix of the rules for any value: `json-value`. */
  readonly name: 'json' | 'python' | 'nested';
  readonly null: string;
  readonly true: string;
  readonly false: string;
  readonly string: StringNotation;
  /**
   * Another notation for strings: where the two can hold the same ones, either serves for any (`when` is `null`);
   * otherwise this one is for strings that contain any of `when`, and the first for all others.
   */
  readonly alternativeString: (StringNotation & { readonly when: readonly string[] | null }) | null;
  readonly array: ArrayNotation;
  readonly object: ObjectNotation;
  /** Spaces per level of a pretty-printed value; `null` for a single line. */
  readonly indent: number | null;
  /** Indentation of the line on which the value begins. */
  readonly margin: number;
  /** Keys are sorted by code point. */
  readonly sortKeys: boolean;
  /** Allows other spellings of JSON: any layout, `1.0` for integers, any escape in unrestricted strings. */
  readonly lenient: boolean;
  /** White space between tokens: none but the notation's own, as JSON is usually laid out, or more than that, too. */
  readonly space: 'none' | 'usual' | 'any';
}

/** A string between delimiters. */
export interface StringNotation {
  readonly open: string;
  readonly close: string;
  /** `null`: literal characters, up to the first `close`. */
  readonly spelling: Spelling | null;
}
/** The literals of an array. */
export interface ArrayNotation {
  readonly open: string;
  readonly close: string;
  readonly separator: string;
  /** An array without items. */
  readonly empty: string;
  readonly itemOpen: string;
  readonly itemClose: string;
}
/** The literals of an object, and how its keys are written. */
export interface ObjectNotation {
  readonly open: string;
  readonly close: string;
  readonly separator: string;
  /** An object without properties. */
  readonly empty: string;
  readonly keyOpen: string;
  /** `null`: literal characters, except those that begin `keyClose`. */
  readonly keySpelling: Spelling | null;
  readonly keyClose: string;
  /** After a value; `null` stands for the key, which must be declared. */
  readonly entryClose: readonly (string | null)[];
}

/** JSON in `style`, or Python; with `encoding: 'string'`, the inside of a JSON string that contains that JSON. */
export function jsonStyleSyntax(style: JsonStyle, encoding: 'value' | 'string' = 'value'): Syntax {
  if (style.python) return pythonSyntax;
  const outer = encoding === 'string' ? jsonSpelling(style.ascii) : plainSpelling;
  const text = (plain: string) => outer.text(plain);
  const spelling = nestSpelling(jsonSpelling(style.ascii), outer);
  return {
    name: 'json',
    null: 'null',
    true: 'true',
    false: 'false',
    string: { open: text('"'), close: text('"'), spelling },
    alternativeString: null,
    array: {
      open: text('['),
      close: text(']'),
      separator: text(style.itemSeparator),
      empty: text('[]'),
      itemOpen: '',
      itemClose: '',
    },
    object: {
      open: text('{'),
      close: text('}'),
      separator: text(style.itemSeparator),
      empty: text('{}'),
      keyOpen: text('"'),
      keySpelling: spelling,
      keyClose: text(`"${style.keySeparator}`),
      entryClose: [],
    },
    indent: style.indent,
    margin: style.margin ?? 0,
    sortKeys: style.sortKeys,
    lenient: false,
    space: 'none',
  };
}

/** JSON on one line with a space after `:` and `,`, as most templates write it. */
export const jsonSyntax: Syntax = jsonStyleSyntax({
  itemSeparator: ', ',
  keySeparator: ': ',
  indent: null,
  ascii: false,
  sortKeys: false,
});

/** JSON in any layout: compact, on one line, or indented. */
export const lenientJsonSyntax: Syntax = {
  ...jsonStyleSyntax({
    itemSeparator: ',',
    keySeparator: ':',
    indent: null,
    ascii: false,
    sortKeys: false,
  }),
  lenient: true,
  space: 'usual',
};

/** JSON in any layout, with any white space: as in a call that a model has begun in a notation of its own. */
export const freeJsonSyntax: Syntax = { ...lenientJsonSyntax, space: 'any' };

const single = pythonSpelling("'");
const doubleQuoted: StringNotation = { open: '"', close: '"', spelling: pythonSpelling('"') };

/** Python literals as `repr` writes them, but for strings, which models put in either quotes. */
export const pythonSyntax: Syntax = {
  ...jsonSyntax,
  name: 'python',
  null: 'None',
  true: 'True',
  false: 'False',
  string: { open: "'", close: "'", spelling: single },
  alternativeString: { ...doubleQuoted, when: null },
  object: { ...jsonSyntax.object, keyOpen: "'", keySpelling: single, keyClose: "': " },
};

/** JSON whose strings are spelled by `frame`; their delimiters are the frame's. */
export function escapedSyntax(frame: ValueFrame, json: Syntax): Syntax {
  return { ...json, string: { open: '', close: '', spelling: escapedSpelling(frame.escapes ?? []) } };
}

/** A format's own notation for containers, with scalars in the frames of their types. */
export function nestedSyntax(nested: NestedFormat, format: EntryArguments, json: Syntax): Syntax {
  const { frames } = format;
  const framed = (frame: ValueFrame, name: 'null' | 'true' | 'false') =>
    frame.open + (frame.codec === 'python' ? pythonSyntax : json)[name] + frame.close;
  const { array, object } = nested;
  return {
    ...json,
    name: 'nested',
    null: framed(frames.null, 'null'),
    true: framed(frames.boolean, 'true'),
    false: framed(frames.boolean, 'false'),
    string: framedString(frames.string, json),
    alternativeString: alternativeNotation(format, json),
    array: { ...array, empty: array.open + array.close },
    object: {
      open: object.open,
      close: object.close,
      separator: object.separator,
      empty: object.open + object.close,
      keyOpen: object.keyOpen,
      keySpelling: null,
      keyClose: object.keyClose,
      entryClose: object.entryClose.map((part) => (typeof part === 'string' ? part : null)),
    },
    indent: null,
    sortKeys: format.sorted,
  };
}

/** The other notation of strings in containers: the format's own, or Python's other quotes. */
function alternativeNotation(
  { frames, alternativeString: frame }: EntryArguments,
  json: Syntax,
): Syntax['alternativeString'] {
  if (frame === null) {
    return frames.string.codec === 'python'
      ? { ...framedString(frames.string, json, doubleQuoted), when: null }
      : null;
  }
  const notation = framedString(frame, json);
  return { ...notation, when: notation.spelling === null ? (frame.when ?? []) : null };
}

function framedString(frame: ValueFrame, json: Syntax, python = pythonSyntax.string): StringNotation {
  const inner = frame.codec === 'python' ? python : json.string;
  if (frame.codec === 'escaped') {
    return { open: frame.open, close: frame.close, spelling: escapedSpelling(frame.escapes ?? []) };
  }
  if (frame.codec === 'raw') return { open: frame.open, close: frame.close, spelling: null };
  return { open: frame.open + inner.open, close: inner.close + frame.close, spelling: inner.spelling };
}

/** The notation of objects and arrays with line breaks if values are pretty-printed. */
export function indented<T extends { open: string; close: string; separator: string }>(
  notation: T,
  indent: number | null,
  margin: number,
): T {
  if (indent === null) return notation;
  const line = (width: number) => `\n${' '.repeat(width)}`;
  return {
    ...notation,
    open: notation.open + line(margin + indent),
    separator: notation.separator + line(margin + indent),
    close: line(margin) + notation.close,
  };
}
