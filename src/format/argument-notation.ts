/**
 * How a format writes arguments: as one JSON object, or as entries. Says nothing of calls, so whatever compiles or writes
 * values needs no more of a format than this.
 */

/** The literals around something. */
export interface Delimiters {
  readonly open: string;
  readonly close: string;
}

/** The arguments of a call: one JSON object, or a sequence of entries. */
export type ArgumentsFormat = JsonArguments | EntryArguments;

/** All arguments as one JSON object. */
export interface JsonArguments {
  readonly kind: 'json';
  /** `string`: the object is itself JSON text inside a JSON string (`"{\"a\": 1}"`). */
  readonly encoding: 'value' | 'string';
  readonly style: JsonStyle;
  /** What a call without arguments contains, if not `{}`. */
  readonly empty: string | null;
}

/** The template's style of JSON. */
export interface JsonStyle {
  /** Between items: `, ` or `,`. */
  readonly itemSeparator: string;
  /** Between key and value: `: ` or `:`. */
  readonly keySeparator: string;
  /** Spaces per level of a pretty-printed value; `null` for one line. */
  readonly indent: number | null;
  /** Spaces before the first line of a pretty-printed value: 8. Absent means 0. */
  readonly margin?: number;
  /** Whether characters beyond ASCII are written as `\uXXXX`. */
  readonly ascii: boolean;
  /** Whether keys are sorted. */
  readonly sortKeys: boolean;
  /** Python literals instead of JSON, as when a template prints an object: `{'a': True}`. Absent means JSON. */
  readonly python?: true;
}

/**
 * Arguments as entries, each with its name and value in markers:
 *
 *     open  entry.open ⟨key⟩ entry.key  frame.open VALUE frame.close  entry.close  separator  entry.open …  close
 *
 *     <parameter=⟨key⟩>\n VALUE \n</parameter>\n     entry.open `<parameter=`, entry.key `>\n`, entry.close `\n</parameter>\n`
 *     ⟨key⟩='VALUE', ⟨key⟩=1                         entry.key `=`, string frame `'`…`'`, separator `, `
 *     ⟨key⟩:<|"|>VALUE<|"|>,⟨key⟩:1                  entry.key `:`, string frame `<|"|>`…`<|"|>`, separator `,`
 */
export interface EntryArguments {
  readonly kind: 'entries';
  /** Before the first entry and after the last, if there are any. */
  readonly open: string;
  readonly close: string;
  readonly entry: EntryFormat;
  readonly separator: string;
  /** Written instead of `open`, entries and `close` if there are no arguments. */
  readonly empty: string;
  /** How each JSON type is written. The tool's schema distinguishes types that share a frame. */
  readonly frames: Readonly<Record<JsonType, ValueFrame>>;
  /** How whole numbers are written, if unlike other numbers: `type="integer"`. Absent means alike. */
  readonly integer?: ValueFrame;
  /** A second frame for strings that the first cannot hold: `<![CDATA[` … `]]>`. */
  readonly alternativeString: ValueFrame | null;
  /** The format's own notation of nested values; set when a frame has codec `nested`. */
  readonly nested: NestedFormat | null;
  /** How values with codec `json` or `python` spell separators. */
  readonly style: JsonStyle;
  /** Whether entries, including nested ones, are sorted by name, ignoring case. */
  readonly sorted: boolean;
}

/** One argument: its key, its value, and the text around them. */
export interface EntryFormat {
  /** Before the key. */
  readonly open: string;
  /** Between the key and the value's frame. */
  readonly key: string;
  /** After the value's frame; the key may be repeated: [`</`, {hole: 'key'}, `>`]. */
  readonly close: KeyedText;
}

/** The key, repeated in the closer of its entry: `</city>`. */
export interface KeyHole {
  readonly hole: 'key';
}

/** Text that contains the entry's key: [`</`, {hole: 'key'}, `>`]. */
export type KeyedText = readonly (string | KeyHole)[];

/** The kinds of values that formats may write differently. */
export type JsonType = 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object';

/** How values of one type are written. */
export interface ValueFrame extends Delimiters {
  /**
   * `raw`: the characters unchanged. `json`: JSON. `python`: Python literals (`True`, `None`, `'a'`). `escaped`: the
   * characters unchanged, except those in `escapes`. `nested`: the format's own notation for containers, by
   * `NestedFormat`. `absent`: the template drops such values.
   */
  readonly codec: 'raw' | 'json' | 'python' | 'escaped' | 'nested' | 'absent';
  /**
   * Only for `escaped`: characters, and what is written for each: `\\` for `\`, `\'` for `'`. All escapes begin with
   * one character, which is itself among the escaped characters, as is the first of `close`.
   */
  readonly escapes?: readonly (readonly [string, string])[];
  /**
   * The quote in which history pastes strings as they are, which shows nothing of escapes: the model is taken to write
   * literals of the codec. Absent means that history shows the codec.
   */
  readonly pasted?: '"' | "'";
  /** Only for an alternative frame: the template uses it for strings that contain one of these: `<`. */
  readonly when?: readonly string[];
}

/** Containers in the format's own notation; scalars inside use the frames of their types. */
export interface NestedFormat {
  /**
   * `keyOpen ⟨key⟩ keyClose VALUE entryClose`, joined by `separator`, inside `open` and `close`: `{a:1,b:<|"|>x<|"|>}`.
   */
  readonly object: Delimiters & {
    readonly separator: string;
    readonly keyOpen: string;
    readonly keyClose: string;
    readonly entryClose: KeyedText;
  };
  /** `itemOpen VALUE itemClose`, joined by `separator`, inside `open` and `close`: `[1,2]`. */
  readonly array: Delimiters & {
    readonly separator: string;
    readonly itemOpen: string;
    readonly itemClose: string;
  };
}
