/**
 * The syntax tree of a Python regular expression, as response templates use them. Imports nothing.
 *
 * JavaScript's own engine does not suffice: a streaming parser must know whether more text could still change the
 * match, and patterns of untrusted templates must not run forever. Besides, lookbehind, `\Z`, `\w` and possessive
 * repetition differ in Python.
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
interface CharacterNode {
  readonly type: 'character';
  readonly set: CharacterSet;
}
/** A sequence; may be empty. */
interface SequenceNode {
  readonly type: 'sequence';
  readonly items: readonly RegexNode[];
}
/** Ordered alternatives: the first that leads to a match is taken. */
interface ChoiceNode {
  readonly type: 'choice';
  readonly alternatives: readonly RegexNode[];
}
/** `max: null` is unbounded. A possessive repetition does not backtrack. */
export interface RepeatNode {
  readonly type: 'repeat';
  readonly item: RegexNode;
  readonly min: number;
  readonly max: number | null;
  readonly mode: 'greedy' | 'lazy' | 'possessive';
}
/** A capturing group, counted from 1. */
interface GroupNode {
  readonly type: 'group';
  readonly index: number;
  readonly item: RegexNode;
}
/**
 * A position between two characters. `start` and `end` are those of the whole text; `end-or-newline` also matches
 * before a final newline (`$`); the `line-` kinds belong to the flag `m`.
 */
interface AssertionNode {
  readonly type: 'assertion';
  readonly kind: AssertionKind;
}
/** The kinds of assertions: `^`, `$`, `\b` and the like. */
export type AssertionKind =
  | 'start'
  | 'end'
  | 'end-or-newline'
  | 'line-start'
  | 'line-end'
  | 'word-boundary'
  | 'not-word-boundary';
/** `(?=…)`, `(?!…)`, `(?<=…)`, `(?<!…)`. */
interface LookNode {
  readonly type: 'look';
  readonly after: boolean;
  readonly negative: boolean;
  readonly item: RegexNode;
}
/** `(?>…)`: once matched, not backtracked into. */
interface AtomicNode {
  readonly type: 'atomic';
  readonly item: RegexNode;
}
/** The text that a group captured, repeated. */
interface BackreferenceNode {
  readonly type: 'backreference';
  readonly index: number;
}
/** `(?(1)yes|no)`: depends on whether a group matched. */
interface ConditionalNode {
  readonly type: 'conditional';
  readonly index: number;
  readonly yes: RegexNode;
  readonly no: RegexNode;
}

/**
 * A set of code points, as the source of a JavaScript class with the flag `v`: `[\u{61}-\u{7a}]`. A class of one
 * character is the only use of `RegExp` that is safe and fast.
 */
export interface CharacterSet {
  readonly source: string;
  readonly ignoreCase: boolean;
}

/** A parsed pattern. */
export interface ParsedRegex {
  readonly pattern: string;
  readonly root: RegexNode;
  /** Number of capturing groups. */
  readonly groupCount: number;
  /** Group numbers by name. */
  readonly groupNames: ReadonlyMap<string, number>;
}
