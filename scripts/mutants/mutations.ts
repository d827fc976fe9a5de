/**
 * The mutants of a source file: small changes, each of which makes the code wrong, or shows that it did not matter.
 * Types are not looked at: a mutant that the compiler would refuse is one that no test needs to find, so kinds are chosen
 * that nearly always keep the types.
 */
import ts from 'typescript';

/** One change of a file: the characters from `start` to `end` become `text`. */
export interface Mutant {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly kind: MutantKind;
}

export type MutantKind =
  | 'bound'
  | 'comparison'
  | 'connective'
  | 'negation'
  | 'condition'
  | 'arithmetic'
  | 'number'
  | 'boolean'
  | 'default'
  | 'quantifier'
  | 'statement';

type Change = readonly [kind: MutantKind, start: number, end: number, text: string];

/** An operator and what takes its place: a bound moves by one, a comparison turns round. */
const operators: ReadonlyMap<ts.SyntaxKind, readonly (readonly [MutantKind, string])[]> = new Map([
  [
    ts.SyntaxKind.LessThanToken,
    [
      ['bound', '<='],
      ['comparison', '>='],
    ],
  ],
  [
    ts.SyntaxKind.LessThanEqualsToken,
    [
      ['bound', '<'],
      ['comparison', '>'],
    ],
  ],
  [
    ts.SyntaxKind.GreaterThanToken,
    [
      ['bound', '>='],
      ['comparison', '<='],
    ],
  ],
  [
    ts.SyntaxKind.GreaterThanEqualsToken,
    [
      ['bound', '>'],
      ['comparison', '<'],
    ],
  ],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, [['comparison', '!==']]],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, [['comparison', '===']]],
  [ts.SyntaxKind.AmpersandAmpersandToken, [['connective', '||']]],
  [ts.SyntaxKind.BarBarToken, [['connective', '&&']]],
  [ts.SyntaxKind.MinusToken, [['arithmetic', '+']]],
  [ts.SyntaxKind.AsteriskToken, [['arithmetic', '/']]],
  [ts.SyntaxKind.PlusEqualsToken, [['arithmetic', '-=']]],
  [ts.SyntaxKind.MinusEqualsToken, [['arithmetic', '+=']]],
]);

const quantifiers: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
};

/** All mutants of a file, by place. `file` is only their name; `source` is the file's text. */
export function mutantsOf(file: string, source: string): readonly Mutant[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found: Mutant[] = [];
  const visit = (node: ts.Node) => {
    if (isOutside(node)) return;
    for (const [kind, start, end, text] of changesOf(node, tree)) {
      const line = tree.getLineAndCharacterOfPosition(start).line + 1;
      found.push({ file, line, start, end, text, kind });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** The text of the file with the change made. */
export function mutated(source: string, { start, end, text }: Mutant): string {
  return source.slice(0, start) + text + source.slice(end);
}

/** The name of a mutant among those of all files. */
export function placeOf(file: string, number: number): string {
  return `${file}:${number}`;
}

/**
 * The text of the file in which every place that a mutant changes adds the mutant's name to a set, `globalThis.mutants`, as
 * soon as it is evaluated. A mutant in `switched` takes effect there while `globalThis.mutant` is its name.
 */
export function withHits(
  source: string,
  mutants: readonly Mutant[],
  file: string,
  switched: ReadonlySet<string> = new Set(),
): string {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const numbers = new Map<ts.Node, number[]>();
  for (const [number, { start, end }] of mutants.entries()) {
    const node = evaluatedAt(tree, start, end);
    if (node !== null) numbers.set(node, [...(numbers.get(node) ?? []), number]);
  }
  const inserted: { at: number; size: number; text: string }[] = [];
  for (const [node, hit] of numbers) {
    const call = `globalThis.mutants?.add(${hit.map((number) => `'${placeOf(file, number)}'`).join(').add(')})`;
    const [start, end] = [node.getStart(tree), node.end];
    const others = hit.flatMap((number) => {
      const [name, mutant] = [placeOf(file, number), mutants[number]];
      if (mutant === undefined || !switched.has(name)) return [];
      const text = source.slice(start, mutant.start) + mutant.text + source.slice(mutant.end, end);
      return [{ test: `globalThis.mutant === '${name}'`, text }];
    });
    if (ts.isStatement(node)) {
      const switches = others.map(({ test, text }) => `if (${test}) { ${text} } else `).join('');
      inserted.push(
        { at: start, size: end - start, text: `{ ${call}; ${switches}` },
        { at: end, size: start - end, text: ' }' },
      );
    } else {
      const switches = others.map(({ test, text }) => `${test} ? (${text}) : `).join('');
      inserted.push(
        { at: start, size: end - start, text: `(${call}, ${switches}(` },
        { at: end, size: start - end, text: '))' },
      );
    }
  }
  // At one place the end of an inner node comes before that of an outer one, and the outer start before the inner.
  inserted.sort((a, b) => a.at - b.at || Math.sign(a.size) - Math.sign(b.size) || b.size - a.size);
  let [text, from] = ['', 0];
  for (const { at, text: added } of inserted) {
    text += source.slice(from, at) + added;
    from = at;
  }
  return text + source.slice(from);
}

/** Types, imports, and the texts of errors: what no test has to hold word for word. */
function isOutside(node: ts.Node): boolean {
  return (
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    ts.isThrowStatement(node)
  );
}

function changesOf(node: ts.Node, tree: ts.SourceFile): readonly Change[] {
  if (ts.isBinaryExpression(node)) return changesOfBinary(node, tree);
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return [['negation', node.getStart(tree), node.end, node.operand.getText(tree)]];
  if (ts.isNumericLiteral(node)) {
    if (isName(node)) return [];
    return [['number', node.getStart(tree), node.end, `(${node.getText(tree)} + 1)`]];
  }
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [['boolean', node.getStart(tree), node.end, 'false']];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [['boolean', node.getStart(tree), node.end, 'true']];
  if (ts.isIfStatement(node)) return conditions(node.expression, tree);
  if (ts.isConditionalExpression(node)) return conditions(node.condition, tree);
  if (ts.isPropertyAccessExpression(node) && ts.isCallExpression(node.parent)) {
    const other = Object.hasOwn(quantifiers, node.name.text) ? quantifiers[node.name.text] : undefined;
    return other === undefined ? [] : [['quantifier', node.name.getStart(tree), node.name.end, other]];
  }
  // `super()` has to be called, and what is alone in its place needs braces around nothing.
  if (ts.isExpressionStatement(node) && !/^(?:super\b|for\b|while\b)/.test(node.getText(tree)))
    return [['statement', node.getStart(tree), node.end, ';']];
  return [];
}

/** Whether a number names a property, as in `{ 0: word }`. */
function isName(node: ts.NumericLiteral): boolean {
  const { parent } = node;
  return (
    (ts.isPropertyAssignment(parent) && parent.name === node) ||
    (ts.isBindingElement(parent) && parent.propertyName === node)
  );
}

function changesOfBinary(node: ts.BinaryExpression, tree: ts.SourceFile): readonly Change[] {
  const { operatorToken, left } = node;
  const kind = operatorToken.kind;
  if (kind === ts.SyntaxKind.QuestionQuestionToken)
    return [['default', node.getStart(tree), node.end, left.getText(tree)]];
  return (operators.get(kind) ?? []).map(([name, text]) => [
    name,
    operatorToken.getStart(tree),
    operatorToken.end,
    text,
  ]);
}

function conditions(condition: ts.Expression, tree: ts.SourceFile): readonly Change[] {
  const place = [condition.getStart(tree), condition.end] as const;
  return [
    ['condition', ...place, 'true'],
    ['condition', ...place, 'false'],
  ];
}

/** The innermost expression or statement that holds the characters, and can be told apart when it runs. */
function evaluatedAt(tree: ts.SourceFile, start: number, end: number): ts.Node | null {
  let found: ts.Node | null = null;
  const visit = (node: ts.Node) => {
    if (node.getStart(tree) > start || node.end < end) return;
    if (canBeMarked(node)) found = node;
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function canBeMarked(node: ts.Node): boolean {
  if (ts.isSourceFile(node)) return false;
  if (ts.isExpressionStatement(node)) return !node.getText().startsWith('super');
  const { parent } = node;
  // Apart from its beginning, `a?.f()` gives a chain more than the chain may be given.
  if (ts.isOptionalChain(parent) && parent.expression === node) return false;
  return (
    (ts.isBinaryExpression(node) && !isAssignment(node)) ||
    ts.isPrefixUnaryExpression(node) ||
    (ts.isCallExpression(node) && node.expression.kind !== ts.SyntaxKind.SuperKeyword) ||
    (ts.isIfStatement(parent) && parent.expression === node) ||
    (ts.isConditionalExpression(parent) && parent.condition === node) ||
    (ts.isExpression(node) && (ts.isReturnStatement(parent) || ts.isVariableDeclaration(parent)))
  );
}

function isAssignment({ operatorToken: { kind } }: ts.BinaryExpression): boolean {
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}
