/**
 * The syntax tree of a Python regular expression, as response templates use them. Imports nothing.
 *
 * Why not JavaScript's own engine: a streaming parser must know whether more text could still change
 * the match, and a template comes from strangers, so its patterns may not run forever. Neither can be
 * asked of `RegExp`; and lookbehind, `\Z`, `\w` and possessive repetition mean other things in Python.
 */

/** One node of a pattern. Characters are Unicode code points. */
export type RegexNode =
  | CharacterNode
  | SequenceNode
  | ChoiceNode
  | RepeatNode
  | GroupNode
  | AssertionNode
  | LookNode
  | AtomicNode
  | BackreferenceNode
  | ConditionalNode;

/** One character out of a set. */
export interface CharacterNode {
  readonly type: 'character';
  readonly set: CharacterSet;
}
/** One after the other; may be empty. */
export interface SequenceNode {
  readonly type: 'sequence';
  readonly items: readonly RegexNode[];
}
/** Ordered alternatives: the first that leads to a match wins. */
export interface ChoiceNode {
  readonly type: 'choice';
  readonly alternatives: readonly RegexNode[];
}
/** `max: null` is unbounded. A possessive repetition gives nothing back. */
export interface RepeatNode {
  readonly type: 'repeat';
  readonly item: RegexNode;
  readonly min: number;
  readonly max: number | null;
  readonly mode: 'greedy' | 'lazy' | 'possessive';
}
/** A capturing group, counted from 1. */
export interface GroupNode {
  readonly type: 'group';
  readonly index: number;
  readonly item: RegexNode;
}
/**
 * A place between two characters. `start` and `end` are those of the whole text; `end-or-newline` is
 * also before a last newline (`$`); the `line-` kinds belong to the flag `m`.
 */
export interface AssertionNode {
  readonly type: 'assertion';
  readonly kind: AssertionKind;
}
/** What holds at a place without taking a character: `^`, `$`, `\b` and their kin. */
export type AssertionKind =
  | 'start'
  | 'end'
  | 'end-or-newline'
  | 'line-start'
  | 'line-end'
  | 'word-boundary'
  | 'not-word-boundary';
/** `(?=…)`, `(?!…)`, `(?<=…)`, `(?<!…)`. */
export interface LookNode {
  readonly type: 'look';
  readonly after: boolean;
  readonly negative: boolean;
  readonly item: RegexNode;
}
/** `(?>…)`: once matched, not entered again. */
export interface AtomicNode {
  readonly type: 'atomic';
  readonly item: RegexNode;
}
/** The text that a group captured, once more. */
export interface BackreferenceNode {
  readonly type: 'backreference';
  readonly index: number;
}
/** `(?(1)yes|no)`: depends on whether a group took part. */
export interface ConditionalNode {
  readonly type: 'conditional';
  readonly index: number;
  readonly yes: RegexNode;
  readonly no: RegexNode;
}

/**
 * A set of code points, as the source of a JavaScript class under the flag `v`: `[\u{61}-\u{7a}]`.
 * A class of one character is the one use of `RegExp` that is safe and fast.
 */
export interface CharacterSet {
  readonly source: string;
  readonly ignoreCase: boolean;
}

/** A parsed pattern. */
export interface ParsedRegex {
  readonly pattern: string;
  readonly root: RegexNode;
  /** How many capturing groups there are. */
  readonly groupCount: number;
  /** Group numbers by name. */
  readonly groupNames: ReadonlyMap<string, number>;
}
