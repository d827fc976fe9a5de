/**
 * Tool calls as an expression: the skeleton of `ChatFormat.calls` with its holes filled by the tools
 * on offer.
 */
import type { CallPart, CallsFormat } from '../chat-format.ts';
import { type SchemaIssue, ToolError } from '../errors.ts';
import type { Tool } from '../messages.ts';
import { alternatives } from './alternatives.ts';
import { characterClass, type Expression, literal, optional, repeat, sequence } from './expression.ts';
import { compileArguments } from './json-schema/compile-arguments.ts';
import type { RuleSet } from './json-schema/rule-set.ts';

export interface CallGrammarOptions {
  /** Tools on offer; empty: any name, any arguments. */
  readonly tools: readonly Tool[];
  /** More than one call may be written. */
  readonly parallel: boolean;
  readonly policy: 'strict' | 'degrade';
  readonly argumentOrder: 'schema' | 'any';
}

export interface CallGrammar {
  readonly expression: Expression;
  readonly issues: readonly SchemaIssue[];
}

/** One tool's place in the grammar: how its name is spelled, and the expression of its arguments. */
interface OfferedTool {
  readonly name: Expression;
  readonly arguments: Expression;
}

/** Letters, digits, `_` and `-`: what OpenAI's API allows in names. */
const nameCharacters = characterClass([0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a], [0x2d, 0x2d]);
const digit = characterClass([0x30, 0x39]);
const idCharacter = characterClass([0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a], [0x2d, 0x2d]);
/** As OpenAI's API limits names. */
const maxNameLength = 64;
/** Ids longer than this are no ids. */
const maxIdLength = 64;
/** Digits of an index. */
const maxIndexDigits = 3;

/**
 * The whole section of calls, one or more: `section.open call (separator call)* section.close`.
 * Throws `ToolError` for a name that the format cannot write, `SchemaError` under policy `strict`.
 */
export function callSection(calls: CallsFormat, options: CallGrammarOptions, rules: RuleSet): CallGrammar {
  const issues: SchemaIssue[] = [];
  const tools = options.tools.map((tool): OfferedTool => {
    checkToolName(tool.function.name, calls);
    const compiled = compileArguments(tool, calls.arguments, {
      rules,
      policy: options.policy,
      argumentOrder: options.argumentOrder,
    });
    issues.push(...compiled.issues);
    return {
      name: literal(spellName(tool.function.name, calls)),
      arguments: rules.add(`${tool.function.name}-arguments`, compiled.expression),
    };
  });
  const offered = tools.length > 0 ? tools : [anyTool(calls, rules)];
  const first = rules.add('call', callBody(calls, offered, 'first'));
  const following = followingCall(calls, offered, first, rules);
  const more = sequence(literal(calls.separator + calls.call.open), following);
  const repeated = options.parallel && calls.parallel ? repeat(more) : literal('');
  const close = literal(calls.section.close);
  return {
    expression: sequence(
      literal(calls.section.open + calls.call.open),
      first,
      repeated,
      calls.sectionCloseOptional && calls.section.close !== '' ? optional(close) : close,
    ),
    issues,
  };
}

/** The text that opens a section with its first call, up to the first hole. */
export function callOpener(calls: CallsFormat): string {
  const [firstPart] = calls.head;
  return calls.section.open + calls.call.open + (typeof firstPart === 'string' ? firstPart : '');
}

/** Any function name with any arguments: for a grammar that describes the format without tools. */
function anyTool(calls: CallsFormat, rules: RuleSet): OfferedTool {
  const anything: Tool = { type: 'function', function: { name: 'any', parameters: { type: 'object' } } };
  const compiled = compileArguments(anything, calls.arguments, {
    rules,
    policy: 'degrade',
    argumentOrder: 'schema',
  });
  return {
    name: rules.add('tool-name', repeat(nameCharacters, 1, maxNameLength)),
    arguments: rules.add('arguments', compiled.expression),
  };
}

function followingCall(
  calls: CallsFormat,
  tools: readonly OfferedTool[],
  first: Expression,
  rules: RuleSet,
): Expression {
  const counted = [...calls.head, ...calls.tail].some(holdsIndex);
  return counted ? rules.add('following-call', callBody(calls, tools, 'following')) : first;
}

function holdsIndex(part: CallPart): boolean {
  if (typeof part === 'string') return false;
  return part.hole === 'index' || (part.hole === 'composed-id' && part.parts.some(holdsIndex));
}

/** One call behind its opener. What stands before the first name is common to all tools; from there each has its own. */
function callBody(
  calls: CallsFormat,
  tools: readonly OfferedTool[],
  place: 'first' | 'following',
): Expression {
  const nameAt = calls.head.findIndex(holdsName);
  const common = nameAt < 0 ? calls.head : calls.head.slice(0, nameAt);
  const own = nameAt < 0 ? [] : calls.head.slice(nameAt);
  return sequence(
    ...common.map((part) => partExpression(part, null, place)),
    alternatives(
      ...tools.map((tool) =>
        sequence(
          ...own.map((part) => partExpression(part, tool, place)),
          tool.arguments,
          ...calls.tail.map((part) => partExpression(part, tool, place)),
          literal(calls.call.close),
        ),
      ),
    ),
  );
}

function holdsName(part: CallPart): boolean {
  if (typeof part === 'string') return false;
  return part.hole === 'name' || (part.hole === 'composed-id' && part.parts.some(holdsName));
}

function partExpression(part: CallPart, tool: OfferedTool | null, place: 'first' | 'following'): Expression {
  if (typeof part === 'string') return literal(part);
  switch (part.hole) {
    case 'name':
      return tool?.name ?? repeat(nameCharacters, 1, maxNameLength);
    case 'id':
      return repeat(idCharacter, 1, maxIdLength);
    case 'index':
      return place === 'first' ? literal(String(part.base)) : repeat(digit, 1, maxIndexDigits);
    case 'composed-id':
      return sequence(...part.parts.map((inner) => partExpression(inner, tool, place)));
  }
}

/** A name as the format spells it: escaped where the call is JSON. */
function spellName(name: string, calls: CallsFormat): string {
  return calls.envelope === null ? name : JSON.stringify(name).slice(1, -1);
}

/**
 * Throws `ToolError` when a parser could not read the name back: it is empty, padded, holds a control
 * character, or holds the text that ends it.
 */
export function checkToolName(name: string, calls: CallsFormat): void {
  const reason = unwritableBecause(name, calls);
  if (reason !== null)
    throw new ToolError({ tool: name, reason: `this format cannot write the name: ${reason}` });
}

function unwritableBecause(name: string, calls: CallsFormat): string | null {
  if (name === '') return 'it is empty';
  if (name.trim() !== name) return 'it begins or ends with white space';
  if (/\p{Cc}/u.test(name)) return 'it holds a control character';
  if (/\p{Cs}/u.test(name)) return 'it holds half a surrogate pair';
  if (calls.envelope !== null) return null;
  const terminator = textAfterName(calls).trim();
  if (terminator !== '' && name.includes(terminator))
    return `it holds ${JSON.stringify(terminator)}, which ends a name`;
  const [first] = terminator === '' ? textAfterName(calls) : terminator;
  if (first !== undefined && name.includes(first))
    return `it holds ${JSON.stringify(first)}, with which the text after a name begins`;
  return null;
}

/** The literal that follows the name: where a parser stops reading it. */
function textAfterName(calls: CallsFormat): string {
  const parts = calls.head.flatMap((part): readonly CallPart[] =>
    typeof part !== 'string' && part.hole === 'composed-id' ? part.parts : [part],
  );
  const nameAt = parts.findIndex((part) => typeof part !== 'string' && part.hole === 'name');
  const next = parts[nameAt + 1];
  if (typeof next === 'string') return next;
  return calls.arguments.kind === 'json' ? '{' : calls.arguments.open + calls.arguments.entry.open;
}
