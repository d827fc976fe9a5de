/** The syntax tree of `@huggingface/jinja`: plain nodes, distinguished by `type`. */

/** Any node. */
export type Node = Statement | Expression;

/** Nodes that write, assign or control. */
type Statement =
  | { readonly type: 'Program'; readonly body: readonly Node[] }
  | {
      readonly type: 'If';
      readonly test: Expression;
      readonly body: readonly Node[];
      readonly alternate: readonly Node[];
    }
  | For
  | { readonly type: 'Break' }
  | { readonly type: 'Continue' }
  | SetNode
  | Macro
  | { readonly type: 'Comment'; readonly value: string }
  | {
      readonly type: 'FilterStatement';
      readonly filter: Identifier | CallNode;
      readonly body: readonly Node[];
    }
  | CallStatement;

/** `{% for a, b in xs if c %}…{% else %}…{% endfor %}`. */
export interface For {
  readonly type: 'For';
  readonly loopvar: Expression;
  readonly iterable: Expression;
  readonly body: readonly Node[];
  readonly defaultBlock: readonly Node[];
}

/** `{% set x = y %}` or, without a value, `{% set x %}…{% endset %}`. */
export interface SetNode {
  readonly type: 'Set';
  readonly assignee: Expression;
  readonly value: Expression | null;
  readonly body: readonly Node[];
}

/** `{% macro f(a, b=1) %}…{% endmacro %}`. */
export interface Macro {
  readonly type: 'Macro';
  readonly name: Identifier;
  readonly args: readonly Expression[];
  readonly body: readonly Node[];
}

/** `{% call(x) f(y) %}…{% endcall %}`. */
export interface CallStatement {
  readonly type: 'CallStatement';
  readonly call: CallNode;
  readonly callerArgs: readonly Expression[] | null;
  readonly body: readonly Node[];
}

/** A name. */
export interface Identifier {
  readonly type: 'Identifier';
  readonly value: string;
}

/** `f(a, b=c, *d, **e)`. */
export interface CallNode {
  readonly type: 'CallExpression';
  readonly callee: Expression;
  readonly args: readonly Expression[];
}

/** `a.b`, `a[b]`, or a slice if the property is one. */
export interface MemberNode {
  readonly type: 'MemberExpression';
  readonly object: Expression;
  readonly property: Expression;
  readonly computed: boolean;
}

/** `a + b`; also comparisons and `and`, `or`, `in`, `not in`. */
export interface BinaryNode {
  readonly type: 'BinaryExpression';
  readonly operator: { readonly value: string };
  readonly left: Expression;
  readonly right: Expression;
}

/** Nodes that have a value. */
export type Expression =
  | Identifier
  | CallNode
  | MemberNode
  | BinaryNode
  | { readonly type: 'IntegerLiteral' | 'FloatLiteral'; readonly value: number }
  | { readonly type: 'StringLiteral'; readonly value: string }
  | { readonly type: 'ArrayLiteral' | 'TupleLiteral'; readonly value: readonly Expression[] }
  | { readonly type: 'ObjectLiteral'; readonly value: ReadonlyMap<Expression, Expression> }
  | FilterNode
  | { readonly type: 'SelectExpression'; readonly lhs: Expression; readonly test: Expression }
  | { readonly type: 'TestExpression' }
  | {
      readonly type: 'UnaryExpression';
      readonly operator: { readonly value: string };
      readonly argument: Expression;
    }
  | SliceNode
  | { readonly type: 'KeywordArgumentExpression'; readonly key: Identifier; readonly value: Expression }
  | { readonly type: 'SpreadExpression' | 'KeywordSpreadExpression'; readonly argument: Expression }
  | Ternary;

/** `a | f(b)`. */
export interface FilterNode {
  readonly type: 'FilterExpression';
  readonly operand: Expression;
  readonly filter: Identifier | CallNode;
}

/** `start:stop:step` in brackets. */
export interface SliceNode {
  readonly type: 'SliceExpression';
  readonly start: Expression | undefined;
  readonly stop: Expression | undefined;
  readonly step: Expression | undefined;
}

/** `a if b else c`. */
export interface Ternary {
  readonly type: 'Ternary';
  readonly condition: Expression;
  readonly trueExpr: Expression;
  readonly falseExpr: Expression;
}
