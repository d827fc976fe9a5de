/**
 * Tool calls as an expression: the skeleton of `ChatFormat.calls` with its holes filled by the tools
 * on offer.
 */
import type { ArgumentsFormat, CallPart, CallsFormat } from '../format/chat-format.ts';
import type { JsonSchema, Tool } from '../format/messages.ts';
import { alternatives } from './expression/alternatives.ts';
import {
  characterClass,
  type Expression,
  literal,
  optional,
  repeat,
  sequence,
} from './expression/expression.ts';
import type { RuleSet } from './expression/rule-set.ts';
import { compileArguments } from './json-schema/compile-arguments.ts';

/** What a section of calls is written for. */
export interface CallGrammarOptions {
  /** Tools on offer; empty: any name, any arguments. */
  readonly tools: readonly OfferedTool[];
  /** More than one call may be written. */
  readonly parallel: boolean;
  /** Other spellings of the opener that may be read but are not written (`ChatFormat.alternatives`). */
  readonly otherOpeners: readonly CallOpener[];
  /** The section's opener as it is to be written here, made of its full text. */
  readonly spellOpener: (text: string) => Expression;
}

/** How a call begins: its opening literal, and the skeleton up to its arguments. */
export interface CallOpener {
  readonly open: string;
  readonly head: readonly CallPart[];
}

/** One tool's place in the grammar: how its name is spelled, and the expression of its arguments. */
export interface OfferedTool {
  readonly name: Expression;
  readonly arguments: Expression;
}

/** Letters, digits, `_` and `-`: what OpenAI's API allows in names. */
const nameCharacters = characterClass([0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a], [0x2d, 0x2d]);
const digit = characterClass([0x30, 0x39]);
const idCharacter = characterClass([0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a], [0x2d, 0x2d]);
/** As OpenAI's API limits names. */
const maxNameLength = 64;
/** Ids longer than this are not ids. */
const maxIdLength = 64;
/** An id of any length that an id may have. One object, by which it is known again among patterns that look like it. */
export const idOfAnyLength: Expression = repeat(idCharacter, 1, maxIdLength);
/** Digits of an index. */
const maxIndexDigits = 3;

/** The whole section of calls, one or more: `section.open call (separator call)* section.close`. */
export function callSection(calls: CallsFormat, options: CallGrammarOptions, rules: RuleSet): Expression {
  const offered = options.tools.length > 0 ? options.tools : [anyTool(calls, rules)];
  const own = rules.add('call', callBody(calls, [calls.head], offered, 'first'));
  const following = followingCall(calls, offered, own, rules);
  const more = options.parallel && calls.parallel ? moreCalls(calls, following) : literal('');
  const rest = sequence(more, sectionEnd(calls));
  const openers = openersByText(calls, options.otherOpeners).map(([open, heads]) => {
    const [onlyHead, ...otherHeads] = heads;
    const first =
      onlyHead === calls.head && otherHeads.length === 0
        ? own
        : rules.add('call', callBody(calls, heads, offered, 'first'));
    return sequence(options.spellOpener(calls.section.open + open), first, rest);
  });
  return alternatives(...openers);
}

/** The heads that follow each opening literal. */
function openersByText(
  calls: CallsFormat,
  others: readonly CallOpener[],
): readonly (readonly [open: string, heads: readonly (readonly CallPart[])[]])[] {
  const heads = new Map<string, (readonly CallPart[])[]>([[calls.call.open, [calls.head]]]);
  for (const { open, head } of others) heads.set(open, [...(heads.get(open) ?? []), head]);
  return [...heads];
}

/**
 * The calls after the first. What separates later calls in history may hold the end of a turn, with which
 * generation stops: a model goes on as between the first two.
 */
function moreCalls(calls: CallsFormat, following: Expression): Expression {
  const after = (separator: string) =>
    sequence(literal(blankEnd(calls.call.close) + separator + calls.call.open), following);
  const { separator, laterSeparator = separator } = calls;
  if (laterSeparator === separator) return repeat(after(separator));
  const later = alternatives(after(separator), after(laterSeparator));
  return optional(sequence(after(separator), repeat(later)));
}

/** White space at the end of the calls is left out: a model may stop as soon as the last marker is written. */
function sectionEnd({ section, call, sectionCloseOptional }: CallsFormat): Expression {
  if (section.close.trim() === '') return literal('');
  const close = literal(blankEnd(call.close) + section.close.trimEnd());
  return sectionCloseOptional ? optional(close) : close;
}

function blankEnd(text: string): string {
  return text.slice(text.trimEnd().length);
}

/** Any function name with any arguments: for a grammar that describes the format without tools. */
function anyTool(calls: CallsFormat, rules: RuleSet): OfferedTool {
  const parameters: JsonSchema = isAllText(calls.arguments)
    ? { type: 'object', additionalProperties: { type: 'string' } }
    : { type: 'object' };
  const anything: Tool = { type: 'function', function: { name: 'any', parameters } };
  const compiled = compileArguments(anything, calls.arguments, {
    rules,
    policy: 'degrade',
    argumentOrder: 'schema',
    followedBy: textAfterArguments(calls),
  });
  return {
    name: rules.add('tool-name', repeat(nameCharacters, 1, maxNameLength)),
    arguments: rules.add('arguments', compiled.expression),
  };
}

/** Every value is written as raw text in one frame, so that text is all there is to say of it. */
function isAllText(format: ArgumentsFormat): boolean {
  if (format.kind === 'json') return false;
  const { string } = format.frames;
  const frames = Object.values(format.frames);
  return (
    string.codec === 'raw' &&
    frames.every(({ open, close }) => open === string.open && close === string.close)
  );
}

function followingCall(
  calls: CallsFormat,
  tools: readonly OfferedTool[],
  first: Expression,
  rules: RuleSet,
): Expression {
  const counted = [...calls.head, ...calls.tail].some(holdsIndex);
  return counted ? rules.add('following-call', callBody(calls, [calls.head], tools, 'following')) : first;
}

function holdsIndex(part: CallPart): boolean {
  if (typeof part === 'string') return false;
  return part.hole === 'index' || (part.hole === 'composed-id' && part.parts.some(holdsIndex));
}

/**
 * One call after its opening literal. What stands before the first name is common to all tools; from
 * there each has its own. Several heads must agree up to the first name.
 */
function callBody(
  calls: CallsFormat,
  heads: readonly (readonly CallPart[])[],
  tools: readonly OfferedTool[],
  place: 'first' | 'following',
): Expression {
  const split = heads.map((head) => {
    const nameAt = head.findIndex(holdsName);
    return nameAt < 0
      ? { common: head, own: [] }
      : { common: head.slice(0, nameAt), own: head.slice(nameAt) };
  });
  const ofTool = (tool: OfferedTool): Expression => {
    const spell = (part: CallPart) => partExpression(part, calls, tool, place);
    return sequence(
      alternatives(...split.map(({ own }) => sequence(...own.map(spell)))),
      tool.arguments,
      ...calls.tail.map(spell),
      literal(calls.call.close.trimEnd()),
    );
  };
  const common = split[0]?.common ?? [];
  return sequence(
    ...common.map((part) => partExpression(part, calls, null, place)),
    alternatives(...tools.map(ofTool)),
  );
}

function holdsName(part: CallPart): boolean {
  if (typeof part === 'string') return false;
  return part.hole === 'name' || (part.hole === 'composed-id' && part.parts.some(holdsName));
}

function partExpression(
  part: CallPart,
  calls: CallsFormat,
  tool: OfferedTool | null,
  place: 'first' | 'following',
): Expression {
  if (typeof part === 'string') return literal(part);
  switch (part.hole) {
    case 'name':
      return tool?.name ?? repeat(nameCharacters, 1, maxNameLength);
    case 'id':
      return idExpression(calls);
    case 'index':
      return place === 'first' ? literal(String(part.base)) : repeat(digit, 1, maxIndexDigits);
    case 'composed-id':
      return sequence(...part.parts.map((inner) => partExpression(inner, calls, tool, place)));
  }
}

/** An id of the length that the template insists on, or else of any. */
function idExpression({ id }: CallsFormat): Expression {
  return id?.length === undefined ? idOfAnyLength : repeat(idCharacter, id.length, id.length);
}

/** The literal that follows the arguments. */
export function textAfterArguments({ tail, call }: CallsFormat): string {
  const [first = call.close] = tail;
  return typeof first === 'string' ? first : '';
}
