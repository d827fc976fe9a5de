/** The grammar of what may follow a text: what each stack has left to match, as a new start rule. */
import { choice, type Expression, type Grammar, sequence } from '../expression/expression.ts';
import { withoutUnused } from '../expression/references.ts';
import { expandUntil } from '../expression/until.ts';
import { Program, remainder } from './program.ts';
import { defaultStackLimit, type Frame, type Position, Stacks } from './stacks.ts';

/** Everything that `grammar` allows after `text`; `null` where it does not allow `text`. */
export function grammarAfter(grammar: Grammar, text: string): Grammar | null {
  const { root, rules } = expandUntil(grammar);
  const stacks = new Stacks(new Program(rules), defaultStackLimit);
  let position: Position | null = stacks.start(root);
  for (const char of text) {
    position = stacks.advance(position, char.codePointAt(0) ?? 0);
    if (position === null) return null;
  }
  const start = rest(position);
  // Nothing refers to the old start rule, unless what is left begins with it again.
  return withoutUnused({
    root,
    rules: new Map([[root, start], ...[...rules].filter(([name]) => name !== root)]),
  });
}

/** All that a position has left to match. */
export function rest({ frames }: Position): Expression {
  return choice(...frames.map(restOfStack));
}

/** What one stack has left, from its top to its ground. */
function restOfStack(top: Frame): Expression {
  const items: Expression[] = [];
  for (let frame: Frame | null = top; frame !== null; frame = frame.below) {
    items.push(remainder(frame.node, frame.count));
  }
  return sequence(...items);
}
