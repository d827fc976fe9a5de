/** What the writers of arrays need to know about values and the notation around them. */
import type { Expression } from '../../language/expression/expression.ts';
import type { RuleSet } from '../../language/expression/rule-set.ts';
import type { Compilation } from '../plan/compilation.ts';
import type { InstanceLocation } from '../plan/instance-locations.ts';
import type { Constraint } from '../shapes/constraints.ts';
import type { Syntax } from './syntax.ts';

/** Where and how arrays are written. */
export interface ArrayWriting {
  readonly compilation: Compilation;
  readonly rules: RuleSet;
  readonly syntax: Syntax;
  /** Indentation inside an array whose own line is indented by `margin`. */
  innerMargin(margin: number): number;
  /** An item and the text that closes its place. */
  closed(
    constraint: Constraint,
    location: InstanceLocation,
    hint: string,
    margin: number,
    close: string,
  ): Expression;
}
