/**
 * ChatFormat: how one model writes reasoning, answers and tool calls.
 *
 * It is the one intermediate representation of the project. `src/analysis` reads it off a chat
 * template; the writer, the grammar and the parser are all made from it. It is plain, frozen,
 * JSON-serialisable data, of types alone; those of calls are in `call-format.ts`.
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
import type { CallPart, CallsFormat, Delimiters } from './call-format.ts';
import type { Capabilities } from './capabilities.ts';

export type * from './call-format.ts';
export type * from './capabilities.ts';

/** Version of this representation; generated modules contain the version that they were generated with. */
export const chatFormatVersion = 1;

/** How one model writes its turns, as plain data; the result of analysing its template. */
export interface ChatFormat {
  readonly version: typeof chatFormatVersion;
  /** SHA-256 (hex) of the template's source: the fingerprint that finds the module of a loaded model. */
  readonly templateSha256: string;
  readonly labels: FormatLabels;
  readonly capabilities: Capabilities;
  /** The form of messages that the template expects. Needed to render prompts, not to parse. */
  readonly input: InputShape;
  readonly turn: TurnFormat;
  /** `null` if the template has no reasoning. */
  readonly reasoning: ReasoningFormat | null;
  readonly content: ContentFormat;
  /** `null` if the template renders no tool calls. */
  readonly calls: CallsFormat | null;
  /** Markers around a tool's result in the history, and nowhere else. Absent means none. */
  readonly results?: ResultMarkers;
  /** Other spellings of openers that models use and the history never shows. Absent means none. */
  readonly alternatives?: FormatAlternatives;
  /** Special tokens and marker texts that must reach the parser as text: `<tool_call>`, `</think>`. */
  readonly preservedTokens: readonly string[];
  /** Texts at which generation ends: `<|im_end|>`, `<|eot_id|>`. */
  readonly stops: readonly string[];
}

/** Markers around a tool's result, each by itself. A model that writes one continues in place of the tool. */
export interface ResultMarkers {
  /** Before the result: `<tool_response>`. */
  readonly open: readonly string[];
  /** After it: `</tool_response>`. */
  readonly close: readonly string[];
}

/** Openers that a parser accepts like the format's own, and that nothing writes. */
export interface FormatAlternatives {
  /** Other texts for `reasoning.start`. */
  readonly reasoning?: readonly string[];
  /** Other texts for `content.open`: `<|channel|>commentary<|message|>`. */
  readonly content?: readonly string[];
  /** Other texts for `calls.call.open` with the head that follows it. */
  readonly calls?: readonly { readonly open: string; readonly head: readonly CallPart[] }[];
}

/**
 * The field's names for a kind of format, derived from the finished format. For people and for comparison; no code
 * depends on them.
 */
export interface FormatLabels {
  readonly toolFormat: ToolFormatLabel | null;
  readonly reasoningMode: ReasoningModeLabel;
  readonly contentMode: 'plain' | 'always-wrapped' | 'wrapped-with-reasoning';
}

/** The field's name for a notation of calls, with a sample call of each; only for people. */
export type ToolFormatLabel =
  | 'JSON_NATIVE' //         {"name": "f", "arguments": {…}}
  | 'TAG_WITH_JSON' //       <function=f>{…}</function>
  | 'TAG_WITH_TAGGED' //     <function=f><parameter=a>1</parameter></function>
  | 'BRACKET_TAG' //         [TOOL_CALLS]f[ARGS]{…}
  | 'PREFIXED_INDEXED' //    functions.f:0<|tool_call_argument_begin|>{…}
  | 'RECIPIENT_BASED' //     to=functions.f<|message|>{…}
  | 'MARKDOWN_BLOCK' //      ```json [{…}] ```
  | 'PYTHONIC'; //           [f(a='x', b=1)]

/** The field's name for how thoughts are marked; only for people. */
export type ReasoningModeLabel =
  | 'none'
  | 'tag-based'
  | 'delimiter' // only an end marker
  | 'forced-open' // the prompt opens it
  | 'forced-closed' // the prompt can close it
  | 'tools-only'; // kept only next to calls

/** The form of messages in which the template renders calls and reasoning. */
export interface InputShape {
  /** `arguments` of a call in the history: an object, or JSON text. */
  readonly arguments: 'object' | 'string';
  /** Content of a message that only has calls: `""`, `null`, or no such key. */
  readonly emptyContent: 'empty' | 'null' | 'absent';
  /**
   * `composed`: a call is rendered with its id but without its name, which the model reads in ids of the form
   * `functions.⟨name⟩:⟨index⟩`. Absent means that ids may be any text.
   */
  readonly callIds?: 'composed';
  /**
   * `flat`: a call's name and arguments are in the call itself, not in its `function`. `single`: a message has one call
   * at most, in its field `function_call`. Absent means `function`.
   */
  readonly calls?: 'flat' | 'single';
  /** The role of tool results, if the template renders none of the role `tool`: `function`. Absent means `tool`. */
  readonly resultRole?: string;
  /** Roles whose content is read as parts (`[{type: "text", text: "…"}]`), not as text. Absent means none. */
  readonly contentParts?: readonly ('system' | 'user' | 'assistant' | 'tool')[];
  /**
   * The message field for reasoning: `reasoning_content`, `reasoning`, `thinking`, or the template's own.
   * `thinking-part` is a content part of type `thinking`; `null` means that the template reads none.
   */
  readonly reasoningField: string | null;
  /** Template variables that switch thinking: `enable_thinking`, `thinking`. */
  readonly thinkingVariables: readonly string[];
  /** How a prompt shows text before a call, if the template has no place for it. Absent means that it has. */
  readonly preamble?: PreambleShape;
}

/** The markers around text before a call, and what it precedes. */
export interface PreambleShape extends Delimiters {
  /** What a call begins with, up to the tool's name: `<|start|>assistant to=functions.`. */
  readonly before: string;
}

/** The beginning and end of an assistant's turn, and the part that the generation prompt already contains. */
export interface TurnFormat {
  /** What every assistant turn and every generation prompt begin with: `<|im_start|>assistant\n`. */
  readonly start: string;
  /**
   * White space that every finished turn has after `start`, while the generation prompt leaves it to the model: ` ` in
   * `assistant: text`, where the prompt is `assistant:`. Absent means none.
   */
  readonly lead?: string;
  /**
   * Texts that end a turn, never empty; the first is what the template writes last: `<|im_end|>\n`. If a template
   * writes none, the beginnings of the messages that may follow: `<|user|>`.
   */
  readonly ends: readonly string[];
  /**
   * Whether one message may have several turns: an end of turn and `start` recur between its regions
   * (`<|end|><|start|>assistant<|channel|>final…`). The strings contain them in full: `reasoning.end`,
   * `content.beforeCalls` or `calls.separator` then end with `start`.
   */
  readonly restart: boolean;
  /** What the generation prompt adds after `start`, by the setting of thinking. */
  readonly prompt: {
    /** Thinking not set: `""`. */
    readonly unset: string;
    /** Thinking turned on: `<think>\n`. */
    readonly on: string;
    /** Thinking turned off: `<think>\n\n</think>\n\n`. */
    readonly off: string;
  };
}

/** The markers of thoughts, and the text for empty thoughts. */
export interface ReasoningFormat {
  /** `<think>\n`; empty if only the prompt opens reasoning. */
  readonly start: string;
  /** `\n</think>\n\n`. */
  readonly end: string;
  /** What a message without reasoning has in its place: `<think>\n\n</think>\n\n`, `</think>`, or `""`. */
  readonly empty: string;
  /** The text next to calls, if it differs: `<think></think>\n`. Absent means `empty`. */
  readonly emptyWithCalls?: string;
  /** Whether finished messages show reasoning: never, next to content, only next to calls, or always. */
  readonly preserved: 'never' | 'with-content' | 'with-calls' | 'always';
  /**
   * How it is known. `history`: a render showed both markers. `prompt`: the prompt's variants showed them. `verified`:
   * the end marker was guessed, and a render confirmed it. `assumed`: guessed and not confirmed (also a warning).
   * `override`: asserted by a data file.
   */
  readonly basis: 'history' | 'prompt' | 'verified' | 'assumed' | 'override';
}

/** The markers around the answer, alone and next to calls. */
export interface ContentFormat extends Delimiters {
  /** Another wrapper, used only next to calls: `<|channel|>commentary<|message|>`. */
  readonly withCalls: Delimiters | null;
  /**
   * Where the history has content that comes with calls. `dropped`: not rendered; `reasoning`: moved into the
   * reasoning region. Parsers accept content before and after calls in any case.
   */
  readonly position: 'before-calls' | 'after-calls' | 'dropped' | 'reasoning';
  /**
   * Text between content and the calls next to it, only if there is content: `\n`. With `position: 'after-calls'` it
   * is between the calls and the content.
   */
  readonly beforeCalls: string;
  /**
   * What a message that only has calls contains in place of its content: `<response></response>`. Absent means nothing.
   */
  readonly empty?: string;
  /** Text before `open` that only follows non-empty reasoning: `\n`. Absent means none. */
  readonly afterReasoning?: string;
}
