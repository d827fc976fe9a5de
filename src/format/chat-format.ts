/**
 * ChatFormat: how one model writes reasoning, answers and tool calls.
 *
 * It is the one intermediate representation of the project. `src/analysis` reads it off a chat
 * template; the writer, the grammar and the parser are all made from it. It is plain, frozen,
 * JSON-serialisable data, and this file imports nothing.
 *
 * Strings are exact template text, white space included: a writer that concatenates them reproduces
 * the template's render byte for byte. A parser treats white space at the edges of markers as flexible,
 * because models do.
 *
 * An assistant turn reads, in the format's own words:
 *
 *     turn.start  reasoning  content  calls  turn.end
 *
 *     <|im_start|>assistant\n                                     turn.start
 *     <think>\n reasoning \n</think>\n\n                          reasoning.start … reasoning.end
 *     content                                                     content.start … content.end
 *     \n<tool_call>\n {"name": "f", "arguments": {…}} \n</tool_call>   calls
 *     <|im_end|>\n                                                one of turn.ends
 */

/** Version of this representation; a generated module carries the version it was made from. */
export const chatFormatVersion = 1;

/** How one model writes its turns: what the analysis of its template finds out, as plain data. */
export interface ChatFormat {
  readonly version: typeof chatFormatVersion;
  /** SHA-256 (hex) of the template's source: the fingerprint by which a loaded model finds its module. */
  readonly templateSha256: string;
  readonly labels: FormatLabels;
  readonly capabilities: Capabilities;
  /** How the template wants to be called. Needed to render prompts, not to parse. */
  readonly input: InputShape;
  readonly turn: TurnFormat;
  /** `null` when the template knows no reasoning. */
  readonly reasoning: ReasoningFormat | null;
  readonly content: ContentFormat;
  /** `null` when the template renders no tool calls. */
  readonly calls: CallsFormat | null;
  /** What stands around a tool's result in the history, and nowhere else. Absent means no markers of its own. */
  readonly results?: ResultMarkers;
  /** Other spellings of openers, which models use and history never shows. Absent means none. */
  readonly alternatives?: FormatAlternatives;
  /** Special tokens and marker texts that must reach the parser as text: `<tool_call>`, `</think>`. */
  readonly preservedTokens: readonly string[];
  /** Texts at which generation ends: `<|im_end|>`, `<|eot_id|>`. */
  readonly stops: readonly string[];
}

/** Markers around a tool's result, each by itself. A model that writes one goes on in the tool's place. */
export interface ResultMarkers {
  /** Before the result: `<tool_response>`. */
  readonly open: readonly string[];
  /** After it: `</tool_response>`. */
  readonly close: readonly string[];
}

/** Openers that a parser reads like the format's own, and that nothing writes. */
export interface FormatAlternatives {
  /** Other texts for `reasoning.start`. */
  readonly reasoning?: readonly string[];
  /** Other texts for `content.open`: `<|channel|>commentary<|message|>`. */
  readonly content?: readonly string[];
  /** Other texts for `calls.call.open` with the head that follows it. */
  readonly calls?: readonly { readonly open: string; readonly head: readonly CallPart[] }[];
}

/** What the template accepts and really reads, observed by rendering sample conversations. */
export interface Capabilities {
  /** It reads the tools' names: it can describe tools to the model. */
  readonly supportsTools: boolean;
  /** It renders the calls of an assistant message. */
  readonly supportsToolCalls: boolean;
  readonly supportsSystemRole: boolean;
  /** It renders the second call of a message too. */
  readonly supportsParallelToolCalls: boolean;
  /** It renders the reasoning of earlier messages. */
  readonly supportsPreserveReasoning: boolean;
  readonly supportsReasoningEffort: boolean;
  /** `content: "text"` is rendered. */
  readonly supportsStringContent: boolean;
  /** `content: [{type: "text", text: "text"}]` is rendered. */
  readonly supportsTypedContent: boolean;
  /** `arguments` may be an object rather than JSON text. */
  readonly supportsObjectArguments: boolean;
}

/**
 * Names that the field uses, read off the finished format. For people and for comparison; no code
 * decides by them.
 */
export interface FormatLabels {
  readonly toolFormat: ToolFormatLabel | null;
  readonly reasoningMode: ReasoningModeLabel;
  readonly contentMode: 'plain' | 'always-wrapped' | 'wrapped-with-reasoning';
}

/** What the field calls a way of writing calls, with a call of each; for people, nothing is decided by it. */
export type ToolFormatLabel =
  | 'JSON_NATIVE' //         {"name": "f", "arguments": {…}}
  | 'TAG_WITH_JSON' //       <function=f>{…}</function>
  | 'TAG_WITH_TAGGED' //     <function=f><parameter=a>1</parameter></function>
  | 'BRACKET_TAG' //         [TOOL_CALLS]f[ARGS]{…}
  | 'PREFIXED_INDEXED' //    functions.f:0<|tool_call_argument_begin|>{…}
  | 'RECIPIENT_BASED' //     to=functions.f<|message|>{…}
  | 'MARKDOWN_BLOCK' //      ```json [{…}] ```
  | 'PYTHONIC'; //           [f(a='x', b=1)]

/** What the field calls a way of marking thoughts; for people, nothing is decided by it. */
export type ReasoningModeLabel =
  | 'none'
  | 'tag-based'
  | 'delimiter' // only an end marker, nothing opens it
  | 'forced-open' // the prompt opens it
  | 'forced-closed' // the prompt can close it
  | 'tools-only'; // kept only next to calls

/** The conversation shape under which the template renders calls and reasoning. */
export interface InputShape {
  /** `arguments` of a call in history: as an object or as JSON text. */
  readonly arguments: 'object' | 'string';
  /** Content of a message that only calls: `""`, `null`, or no key at all. */
  readonly emptyContent: 'empty' | 'null' | 'absent';
  /** The message field that carries reasoning, `thinking-part` being a content part of type `thinking`. */
  readonly reasoningField: 'reasoning_content' | 'reasoning' | 'thinking' | 'thinking-part' | null;
  /** Template variables that the template reads to switch thinking: `enable_thinking`, `thinking`. */
  readonly thinkingVariables: readonly string[];
}

/** What begins and ends an assistant's turn, and what the generation prompt already writes of it. */
export interface TurnFormat {
  /** What every assistant turn and every generation prompt begin with: `<|im_start|>assistant\n`. */
  readonly start: string;
  /**
   * White space that every finished turn has after `start` while the generation prompt leaves it to
   * the model: ` ` in `assistant: text`, where the prompt is `assistant:`. Absent means none.
   */
  readonly lead?: string;
  /**
   * Texts that end a turn, never empty; first the one that the template writes last: `<|im_end|>\n`.
   * Where a template writes none, the beginnings of the messages that may follow: `<|user|>`.
   */
  readonly ends: readonly string[];
  /**
   * One message may hold several turns: an end of turn and `start` come again between its regions
   * (`<|end|><|start|>assistant<|channel|>final…`). The strings hold them in full: `reasoning.end`,
   * `content.beforeCalls` or `calls.separator` then end with `start`.
   */
  readonly restart: boolean;
  /** What the generation prompt adds after `start`, by the state of thinking. */
  readonly prompt: {
    /** Thinking not mentioned: `""`. */
    readonly unset: string;
    /** Thinking asked for: `<think>\n`. */
    readonly on: string;
    /** Thinking declined: `<think>\n\n</think>\n\n`. */
    readonly off: string;
  };
}

/** The markers of thoughts, and what stands for thoughts that are empty. */
export interface ReasoningFormat {
  /** `<think>\n`; empty where nothing but the prompt opens reasoning. */
  readonly start: string;
  /** `\n</think>\n\n`. */
  readonly end: string;
  /** What a message without reasoning carries in its place: `<think>\n\n</think>\n\n`, `</think>`, or `""`. */
  readonly empty: string;
  /** The same next to calls, where that differs: `<think></think>\n`. Absent means `empty`. */
  readonly emptyWithCalls?: string;
  /** Whether finished messages show it: not at all, next to content, only next to calls, or both. */
  readonly preserved: 'never' | 'with-content' | 'with-calls' | 'always';
  /**
   * How it is known. `history`: a render showed both markers. `prompt`: the prompt's variants showed
   * them. `verified`: the end marker was guessed and a render confirmed it. `assumed`: guessed and
   * nothing could confirm it (also a warning). `override`: asserted by a data file.
   */
  readonly basis: 'history' | 'prompt' | 'verified' | 'assumed' | 'override';
}

/** Two literals around something. */
export interface Delimiters {
  readonly open: string;
  readonly close: string;
}

/** What stands around the answer, alone and next to calls. */
export interface ContentFormat extends Delimiters {
  /** Another wrapper, used only next to calls: `<|channel|>commentary<|message|>`. */
  readonly withCalls: Delimiters | null;
  /**
   * Where history puts content that stands next to calls. `dropped`: not rendered; `reasoning`: moved
   * into the reasoning region. Parsers accept content before and after calls all the same.
   */
  readonly position: 'before-calls' | 'after-calls' | 'dropped' | 'reasoning';
  /**
   * Text between content and the calls next to it, present only when there is content: `\n`. With
   * `position: 'after-calls'` it stands between the calls and the content.
   */
  readonly beforeCalls: string;
  /**
   * What a message that only calls carries in place of its content: `<response></response>`. Absent
   * means nothing.
   */
  readonly empty?: string;
  /** Text before `open` that follows only reasoning that is not empty: `\n`. Absent means none. */
  readonly afterReasoning?: string;
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
