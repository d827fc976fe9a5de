/**
 * Calls as JSON that a model writes in place of its format's own: after their beginning, in one of the usual layouts, the
 * arguments are enforced. Every other text is free, and so is what follows the arguments.
 */
import type { Tool } from '../../format/messages.ts';
import {
  characterClass,
  type Expression,
  exceptCharacters,
  type Grammar,
  repeat,
  rule,
  sequence,
  type Until,
  untilOrEnd,
} from '../../language/expression/expression.ts';
import { mapChildren } from '../../language/expression/references.ts';
import { RuleSet } from '../../language/expression/rule-set.ts';
import type { ArgumentOptions } from '../grammar-options.ts';
import { freeJsonArguments } from '../open-call-grammar.ts';

/** With more tools a server would take too long to compile them. */
const maxTools = 12;

/**
 * A call's beginning, up to its arguments: spaced, compact, on lines of its own, and as some templates have it. With the
 * whole name, so that hardly any other text has it.
 */
const layouts: readonly ((name: string) => string)[] = [
  (name) => `"name": ${name}, "arguments":`,
  (name) => `"name":${name},"arguments":`,
  (name) => `"name": ${name},\n  "arguments":`,
  (name) => `"name": ${name}, "parameters":`,
];

const blank = characterClass([0x20, 0x20], [0x09, 0x0a], [0x0d, 0x0d]);
/** How an answer begins that may be calls as JSON: with an object, a list, a code fence or a marker. */
const beginnings = '{[`<';

/** Parts of the grammar of an answer. */
interface JsonCalls {
  /** Text with calls, in the format or as JSON. */
  readonly text: Expression;
  /** How other answers begin; in them, JSON is text. */
  readonly otherBeginning: Expression;
  readonly rules: Grammar['rules'];
}

/**
 * Text with calls as JSON and those of the format, which begin with the delimiters of `own`; the rules of those are
 * `known`. `null` if there are too many tools, or no schema can be enforced.
 */
export function jsonCalls(
  tools: readonly Tool[],
  options: ArgumentOptions,
  own: Until['branches'],
  known: Grammar['rules'],
): JsonCalls | null {
  // Where the format's own calls begin as JSON, all JSON that begins so is one of them.
  if (tools.length > maxTools || own.some(({ delimiter }) => delimiter.includes('{'))) return null;
  const rules = new RuleSet();
  rules.reserve(known.keys());
  const calls = tools.flatMap((tool) => {
    const input = freeJsonArguments(tool, options, rules);
    const name = JSON.stringify(tool.function.name);
    const next = input && sequence(repeat(blank), input);
    return next === null ? [] : layouts.map((layout) => ({ delimiter: layout(name), next }));
  });
  if (calls.length === 0) return null;
  const text = rule(rules.freshName('text'));
  const branches = [...own, ...calls].map(({ delimiter, next }) => ({
    delimiter,
    next: next && sequence(next, text),
  }));
  const firsts = own.map(({ delimiter }) => delimiter.charAt(0)).join('');
  return {
    text,
    otherBeginning: sequence(repeat(blank), otherThan(beginnings + firsts)),
    rules: new Map([
      ...Array.from(rules.rules, ([name, body]) => [name, anyBlanks(body)] as const),
      [text.name, untilOrEnd(...branches)],
    ]),
  };
}

/** XGrammar scans the vocabulary for each count, so white space may be of any length. */
function anyBlanks(expression: Expression): Expression {
  const inner = mapChildren(expression, anyBlanks);
  return inner.type === 'repeat' && isBlank(inner.item) ? repeat(inner.item, Math.min(inner.min, 1)) : inner;
}

function isBlank(expression: Expression): boolean {
  switch (expression.type) {
    case 'class':
      return expression.ranges.every(([from, to]) => blank.ranges.some(([a, b]) => a <= from && to <= b));
    case 'literal':
      return expression.text.trim() === '';
    case 'sequence':
      return expression.items.every(isBlank);
    case 'repeat':
      return isBlank(expression.item);
    default:
      return false;
  }
}

function otherThan(characters: string): Expression {
  const codes = Array.from(characters, (each) => each.codePointAt(0) ?? 0);
  return exceptCharacters(...codes.map((code) => [code, code] as const), ...blank.ranges);
}
