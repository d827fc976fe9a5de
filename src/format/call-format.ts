/** The part of a ChatFormat for tool calls; their arguments are in `argument-notation.ts`. */
import type { ArgumentsFormat, Delimiters } from './argument-notation.ts';

export type * from './argument-notation.ts';

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
   * Set if finished turns do not show these calls: `prompt` is what the model is told, mostly an example in the
   * template's description of the tools (`<tool_call>\n{"name": <function-name>, …}`), by which they are read or
   * corrected. Absent means that finished turns show them.
   */
  readonly basis?: 'prompt';
  /** What no render shows, so that a grammar leaves it to the model. Absent means that all is shown. */
  readonly unshown?: readonly UnshownPart[];
}

/**
 * A part of calls that no render can show. `spacing`: callers write the arguments as JSON text themselves, and the
 * template prints it, so the spacing is theirs. `gaps`: a template's own indentation stands between markers. `types`:
 * the template puts values of every type into the quotes of strings. `id`: history has the call's id between name and
 * arguments, where the model may write none.
 */
export type UnshownPart = 'spacing' | 'gaps' | 'types' | 'id';

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
