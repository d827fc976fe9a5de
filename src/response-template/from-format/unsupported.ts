/** What a response template cannot say of a format. */

/** One thing that a response template cannot express. */
export interface UnsupportedReason {
  readonly code: UnsupportedCode;
  /** `true`: responses of this kind are not read at all; `false`: something of them is lost or may be misread. */
  readonly fatal: boolean;
  /** What it means for this format. */
  readonly detail: string;
}

/** What of a format a response template cannot express, for programs. */
export type UnsupportedCode =
  /** The turn has no beginning by which to find it in the prompt, and the prompt opens something. */
  | 'no-turn-start'
  /** Arguments as in a Python call: `f(a='x', b=1)`. */
  | 'pythonic-arguments'
  /** Containers or whole calls as Python literals (`['a', None]`), which no content parser reads. */
  | 'python-values'
  /** Strings in which the template escapes characters by itself. */
  | 'escaped-strings'
  /** Containers in a notation of the format's own. */
  | 'nested-values'
  /** Nothing stands before a call: text that looks like one is taken for one. */
  | 'no-call-marker'
  /** Several calls follow one another with nothing to tell them apart. */
  | 'calls-not-separated'
  /** The call's id is written where no placeholder reaches it. */
  | 'unreachable-id'
  /** A call without arguments is written as something that is not JSON. */
  | 'empty-arguments';
