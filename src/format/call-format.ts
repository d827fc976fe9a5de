/** The part of a ChatFormat that says how tool calls and their arguments are written. */
import type { Delimiters } from './delimiters.ts';

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
  /** Some renders end without `section.close` (a template that forgets it): a parser must not insist. */
  readonly sectionCloseOptional: boolean;
  /** Around each call. */
  readonly call: Delimiters;
  /** Between two calls, after `call.close` and before `call.open`. */
  readonly separator: string;
  /**
   * Only of templates that write the section's closer after every call but the first: what stands
   * between the second call and the third, and so on. No model is known to write it, and where it holds a
   * stop none can: grammars take `separator` there too. Absent means `separator`.
   */
  readonly laterSeparator?: string;
  /** More than one call in a turn is rendered. */
  readonly parallel: boolean;
  /** Between `call.open` and the arguments. */
  readonly head: readonly CallPart[];
  readonly arguments: ArgumentsFormat;
  /** Between the arguments and `call.close`. */
  readonly tail: readonly CallPart[];
  /**
   * Set when head, arguments and tail together are one JSON object. Then names and ids in `head` and
   * `tail` are JSON-escaped, and a parser takes the keys in any order, by these paths.
   */
  readonly envelope: CallEnvelope | null;
  /** How the model's ids look, where it writes them. */
  readonly id: CallIdFormat | null;
  /**
   * Set where no finished turn shows calls: `prompt` is an example in what the template tells the model about
   * its tools (`<tool_call>\n{"name": <function-name>, …}`). Absent means that finished turns show them.
   */
  readonly basis?: 'prompt';
}

/** A piece of a call's skeleton: literal text, or a hole. */
export type CallPart = string | NameHole | IdHole | IndexHole | ComposedIdHole;

/** The function's name. May come twice; both must agree. */
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
/** An id that the format composes of other holes: `functions.⟨name⟩:⟨index⟩`. */
export interface ComposedIdHole {
  readonly hole: 'composed-id';
  readonly parts: readonly (string | NameHole | IndexHole)[];
}

/** Keys, from the outside in, under which a JSON call holds its parts: `["function", "name"]`. */
export interface CallEnvelope {
  /** `null` when the name is itself the only key of the object: `{"⟨name⟩": {…}}`. */
  readonly name: readonly string[] | null;
  readonly arguments: readonly string[];
  readonly id: readonly string[] | null;
  readonly index: readonly string[] | null;
}

/** The id that a call carries. */
export interface CallIdFormat {
  /** The shape that the template insists on or shows; `free` is any string. */
  readonly style: 'free' | 'index' | 'composed';
  /** Where it stands. */
  readonly position: 'before-name' | 'between' | 'after-arguments';
  /** How many characters it must have, where the template refuses a conversation with any other id. */
  readonly length?: number;
}

/** The arguments of a call: one JSON object, or one entry after the other. */
export type ArgumentsFormat = JsonArguments | EntryArguments;

/** All arguments as one JSON object. */
export interface JsonArguments {
  readonly kind: 'json';
  /** `string`: the object is itself JSON text inside a JSON string (`"{\"a\": 1}"`). */
  readonly encoding: 'value' | 'string';
  readonly style: JsonStyle;
  /** What a call without arguments carries, where it is not `{}`. */
  readonly empty: string | null;
}

/** How the template spells JSON. */
export interface JsonStyle {
  /** Between items: `, ` or `,`. */
  readonly itemSeparator: string;
  /** Between key and value: `: ` or `:`. */
  readonly keySeparator: string;
  /** Spaces per level of a pretty-printed value; `null` for one line. */
  readonly indent: number | null;
  /** Spaces before the line on which a pretty-printed value begins: 8. Absent means 0. */
  readonly margin?: number;
  /** Characters beyond ASCII are written as `\uXXXX`. */
  readonly ascii: boolean;
  /** Keys are written in sorted order whatever the given order. */
  readonly sortKeys: boolean;
  /** Not JSON but Python's literals, as a template prints an object: `{'a': True}`. Absent means JSON. */
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
  /** Before the first entry and after the last, when there is at least one. */
  readonly open: string;
  readonly close: string;
  readonly entry: EntryFormat;
  readonly separator: string;
  /** Written instead of `open`, entries and `close` when there are no arguments. */
  readonly empty: string;
  /** How each JSON type is written. Types that share a frame are told apart by the tool's schema. */
  readonly frames: Readonly<Record<JsonType, ValueFrame>>;
  /** How whole numbers are written, where that is not how other numbers are: `type="integer"`. Absent means alike. */
  readonly integer?: ValueFrame;
  /** A second frame for strings that the first cannot hold: `<![CDATA[` … `]]>`. */
  readonly alternativeString: ValueFrame | null;
  /** The format's own notation of nested values; set when a frame has codec `nested`. */
  readonly nested: NestedFormat | null;
  /** How values with codec `json` or `python` spell separators. */
  readonly style: JsonStyle;
  /** Entries, nested ones too, are written in the order of their names, regardless of case. */
  readonly sorted: boolean;
}

/** One argument: its key and its value, with what stands around them. */
export interface EntryFormat {
  /** Before the key. */
  readonly open: string;
  /** Between the key and the value's frame. */
  readonly key: string;
  /** After the value's frame; the key may come again: [`</`, {hole: 'key'}, `>`]. */
  readonly close: readonly (string | KeyHole)[];
}

/** The key once more, in what closes its entry: `</city>`. */
export interface KeyHole {
  readonly hole: 'key';
}

/** The kinds of values that formats write differently. */
export type JsonType = 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object';

/** How values of one type are written. */
export interface ValueFrame extends Delimiters {
  /**
   * `raw`: the characters themselves. `json`: JSON. `python`: Python literals (`True`, `None`, `'a'`).
   * `escaped`: the characters themselves, but for those in `escapes`. `nested`: the format's own notation
   * for containers, by `NestedFormat`. `absent`: the template drops such values.
   */
  readonly codec: 'raw' | 'json' | 'python' | 'escaped' | 'nested' | 'absent';
  /**
   * Only of `escaped`: characters, and what is written for each: `\\` for `\`, `\'` for `'`. The writings all
   * begin with one character, which is among the characters, and so is the first of `close`.
   */
  readonly escapes?: readonly (readonly [string, string])[];
  /** Only of an alternative frame: the template takes it for strings that hold one of these: `<`. */
  readonly when?: readonly string[];
}

/** Containers in the format's own notation; the scalars inside use the frames of their types. */
export interface NestedFormat {
  /**
   * `keyOpen ⟨key⟩ keyClose VALUE entryClose`, joined by `separator`, inside `open` and `close`:
   * `{a:1,b:<|"|>x<|"|>}`.
   */
  readonly object: Delimiters & {
    readonly separator: string;
    readonly keyOpen: string;
    readonly keyClose: string;
    readonly entryClose: readonly (string | KeyHole)[];
  };
  /** `itemOpen VALUE itemClose`, joined by `separator`, inside `open` and `close`: `[1,2]`. */
  readonly array: Delimiters & {
    readonly separator: string;
    readonly itemOpen: string;
    readonly itemClose: string;
  };
}
