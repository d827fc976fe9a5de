/** The part of a ChatFormat for tool calls and their arguments. */

/** The literals around something. */
export interface Delimiters {
  readonly open: string;
  readonly close: string;
}

/**
 * Tool calls: a section of calls, each a skeleton of literals and holes.
 *
 *     section.open  call.open head ARGUMENTS tail call.close  separator  call.open … call.close  section.close
 *
 *     Qwen style      call.open `<tool_call>\n`, head `{"name": "⟨name⟩", "arguments": `, tail `}`,
 *                     call.close `\n</tool_call>`, separator `\n`
 *     bracket style   section.open `[TOOL_CALLS][`, head `{"name": "⟨name⟩", "arguments": `,
 *                     tail `, "id": "⟨id⟩"}`, separator `, `, section.close `]`
 *     tagged style    call.open `<tool_call>\n<function=`, head `⟨name⟩>\n`, arguments entries,
 *                     tail ``, call.close `</function>\n</tool_call>`
 */
export interface CallsFormat {
  /** Around all calls. */
  readonly section: Delimiters;
  /** Whether some renders end without `section.close` (the template forgets it), so a parser must not require it. */
  readonly sectionCloseOptional: boolean;
  /** Around each call. */
  readonly call: Delimiters;
  /** Between two calls, after `call.close` and before `call.open`. */
  readonly separator: string;
  /**
   * Only for templates that write the section's closer after every call but the first: the text between the second and
   * third calls, and so on. No model is known to write it, and none can if it contains a stop: grammars use
   * `separator` there, too. Absent means `separator`.
   */
  readonly laterSeparator?: string;
  /** Whether more than one call in a turn is rendered. */
  readonly parallel: boolean;
  /** Between `call.open` and the arguments. */
  readonly head: readonly CallPart[];
  readonly arguments: ArgumentsFormat;
  /** Between the arguments and `call.close`. */
  readonly tail: readonly CallPart[];
  /**
   * Set if head, arguments and tail together are one JSON object. Then names and ids in `head` and `tail` are
   * JSON-escaped, and a parser accepts the keys in any order, by these paths.
   */
  readonly envelope: CallEnvelope | null;
  /** The form of the model's ids, if it writes them. */
  readonly id: CallIdFormat | null;
  /**
   * Set if no finished turn shows calls: `prompt` is an example in the template's description of the tools
   * (`<tool_call>\n{"name": <function-name>, …}`). Absent means that finished turns show them.
   */
  readonly basis?: 'prompt';
}

/** A piece of a call's skeleton: literal text, or a hole. */
export type CallPart = string | NameHole | IdHole | IndexHole | ComposedIdHole;

/** The function's name. If it occurs twice, both must be equal. */
export interface NameHole {
  readonly hole: 'name';
}
/** The call's id, as given. */
export interface IdHole {
  readonly hole: 'id';
}
/** The call's position in the message, counted from `base`. */
export interface IndexHole {
  readonly hole: 'index';
  readonly base: number;
}
/** An id composed of other holes: `functions.⟨name⟩:⟨index⟩`. */
export interface ComposedIdHole {
  readonly hole: 'composed-id';
  readonly parts: readonly (string | NameHole | IndexHole)[];
}

/** Paths to the parts of a JSON call; keys, outermost first: `["function", "name"]`. */
export interface CallEnvelope {
  /** `null` if the name is the only key of the object: `{"⟨name⟩": {…}}`. */
  readonly name: readonly string[] | null;
  readonly arguments: readonly string[];
  readonly id: readonly string[] | null;
  readonly index: readonly string[] | null;
}

/** The id of a call. */
export interface CallIdFormat {
  /** The form that the template requires or shows; `free` is any string. */
  readonly style: 'free' | 'index' | 'composed';
  /** Its position in the call. */
  readonly position: 'before-name' | 'between' | 'after-arguments';
  /** The required number of characters, if the template refuses any other. */
  readonly length?: number;
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
