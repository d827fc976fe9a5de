/** What a response template cannot express. */

/** One thing that a response template cannot express. */
export interface UnsupportedReason {
  readonly code: UnsupportedCode;
  /** `true`: responses of this kind are not read at all; `false`: they are read partly, or may be misread. */
  readonly fatal: boolean;
  /** The consequence for this format. */
  readonly detail: string;
}

/** The kinds of what a response template cannot express, for programs. */
export type UnsupportedCode =
  /** The turn has no beginning by which it is found in the prompt, although the prompt opens something. */
  | 'no-turn-start'
  /** Arguments as in a Python call: `f(a='x', b=1)`. */
  | 'pythonic-arguments'
  /** Containers or whole calls as Python literals (`['a', None]`), which no content parser reads. */
  | 'python-values'
  /** Strings that the template escapes itself. */
  | 'escaped-strings'
  /** Containers in the format's own notation. */
  | 'nested-values'
  /** Nothing precedes a call, so text that looks like a call is read as one. */
  | 'no-call-marker'
  /** Several calls follow each other without a separator. */
  | 'calls-not-separated'
  /** The call's id is where no placeholder reaches it. */
  | 'unreachable-id'
  /** A call without arguments is written as something other than JSON. */
  | 'empty-arguments';
