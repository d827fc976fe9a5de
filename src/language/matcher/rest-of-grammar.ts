/** The grammar of what may follow a text: the rest of each stack, as a new start rule. */
import { choiceOf, type Expression, type Grammar, sequenceOf } from '../expression/expression.ts';
import { withoutUnused } from '../expression/references.ts';
import { expandUntil } from '../expression/until.ts';
import { Program, remainder } from './program.ts';
import { defaultStackLimit, type Position, type StackFrame, Stacks } from './stacks.ts';

/** Grammar of everything that `grammar` allows after `text`; `null` if it does not allow `text`. */
export function grammarAfter(grammar: Grammar, text: string): Grammar | null {
  const { root, rules } = expandUntil(grammar);
  const stacks = new Stacks(new Program(rules), defaultStackLimit);
  let position: Position | null = stacks.start(root);
  for (const char of text) {
    position = stacks.advance(position, char.codePointAt(0) ?? 0);
    if (position === null) return null;
  }
  const start = rest(position);
  // The old start rule becomes unused, unless the rest refers to it.
  return withoutUnused({
    root,
    rules: new Map([[root, start], ...[...rules].filter(([name]) => name !== root)]),
  });
}

/** The grammar of everything that may follow a position in a grammar with these rules. */
export function grammarOfRest(position: Position, rules: Grammar['rules']): Grammar {
  let root = 'root';
  while (rules.has(root)) root += '-rest';
  return withoutUnused({ root, rules: new Map([[root, rest(position)], ...rules]) });
}

/** Everything that may follow a position. */
export function rest({ frames }: Position): Expression {
  return choiceOf(frames.map(restOfStack));
}

/** What one stack still has to match, from top to bottom. */
function restOfStack(top: StackFrame): Expression {
  const items: Expression[] = [];
  for (let frame: StackFrame | null = top; frame !== null; frame = frame.below) {
    items.push(remainder(frame.node, frame.count));
  }
  return sequenceOf(items);
}
