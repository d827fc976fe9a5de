/** What the object writer needs to know about values and the notation around them. */
import type { Expression } from '../../language/expression/expression.ts';
import type { RuleSet } from '../../language/expression/rule-set.ts';
import type { Compilation } from '../plan/compilation.ts';
import type { InstanceLocation } from '../plan/instance-locations.ts';
import type { Constraint } from '../shapes/constraints.ts';
import type { ObjectNotation } from '../write/syntax.ts';

/** Where and how an object is written. */
export interface ObjectWriting {
  readonly compilation: Compilation;
  readonly rules: RuleSet;
  readonly object: ObjectNotation;
  /** White space allowed between tokens; `empty` if the notation fixes it. */
  readonly blank: Expression;
  /** The same between a key and its value, where more of it would be part of the value. */
  readonly blankAfterKey?: Expression;
  /** A value and the text after it; `key` is `null` for undeclared keys. */
  value(constraint: Constraint, location: InstanceLocation, key: string | null, close: string): Expression;
  /** `null` and the text after it, where that can only mean that `key` is absent; `null` elsewhere. */
  absent?(key: string, close: string): Expression | null;
  /** Whether some value of `constraint` can be written before `close`; absent if every value can. */
  canWrite?(constraint: Constraint, close: string): boolean;
}

/** An object with at least one property (`null` if impossible), and whether it may have none. */
export interface WrittenObject {
  readonly some: Expression | null;
  readonly mayBeEmpty: boolean;
}
