/** Tool calls as an expression: the skeleton of `ChatFormat.calls` with its holes filled by the tools. */
import type { ArgumentsFormat, CallPart } from '../format/chat-format.ts';
import type { JsonSchema, Tool } from '../format/messages.ts';
import { compileArguments } from '../json-schema/compile-arguments.ts';
import { alternatives } from '../language/expression/alternatives.ts';
import {
  characterClass,
  type Expression,
  literal,
  optional,
  repeat,
  sequence,
  until,
} from '../language/expression/expression.ts';
import type { RuleSet } from '../language/expression/rule-set.ts';
import { argumentLayout, type CallsRegion } from '../layout/calls-region.ts';
import type { Marker } from '../layout/marker.ts';
import type { OfferedTool } from './offered-tools.ts';
import { endsNames, namedCall } from './other-names.ts';

/** Options of a call section. */
interface CallGrammarOptions {
  /** Tools on offer; empty allows any name with any arguments. */
  readonly tools: readonly OfferedTool[];
  /** Allows more than one call. */
  readonly parallel: boolean;
  /** Accepts other spellings of the opener, too. */
  readonly allSpellings: boolean;
  /** Accepts calls of tools that are not on offer, whose arguments are anything, if the format can tell them. */
  readonly otherNames: boolean;
  /** Turns the section's opener into an expression, which may omit what is already written. */
  readonly spellOpener: (opener: Marker) => Expression;
}

/** Letters, digits, `_` and `-`: what OpenAI's API allows in names. */
const nameCharacters = characterClass([0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a], [0x2d, 0x2d]);
const digit = characterClass([0x30, 0x39]);
const idCharacter = characterClass([0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a], [0x2d, 0x2d]);
/** OpenAI's limit for the length of names. */
const maxNameLength = 64;
/** Limit for ids whose length the template does not fix. */
const maxIdLength = 64;
/** An id of any allowed length. A single object, so that `relaxGrammar` recognises it by identity. */
export const idOfAnyLength: Expression = repeat(idCharacter, 1, maxIdLength);
/** Maximum number of digits in a call's index. */
const maxIndexDigits = 3;

/** The whole section of calls, one or more: `section.open call (separator call)* section.close`. */
export function callSection(calls: CallsRegion, options: CallGrammarOptions, rules: RuleSet): Expression {
  const offered = options.tools.length > 0 ? options.tools : [anyTool(calls, rules)];
  const isOpen = options.otherNames && options.tools.length > 0;
  const bodyOf: CallBody = (heads, place) =>
    isOpen && heads.every((head) => nameCanEnd(calls, head))
      ? openCallBody(calls, heads, { tools: offered, place, rules })
      : callBody(calls, heads, offered, place);
  const own = rules.add('call', bodyOf(headsOf(calls), 'first'));
  const following = followingCall(calls, bodyOf, own, rules);
  const more = options.parallel && calls.parallel ? moreCalls(calls, following) : literal('');
  const rest = sequence(more, sectionEnd(calls));
  const spellings = options.allSpellings ? calls.spellings : calls.spellings.slice(0, 1);
  const openers = new Map(spellings.map(({ open }) => [open.text, open]));
  const sections = Array.from(openers, ([text, opener]) => {
    const written = spellings.filter(({ open }) => open.text === text).map(({ head }) => head);
    const heads = written.includes(calls.head) ? [...new Set([...headsOf(calls), ...written])] : written;
    const isOwn = written.length === 1 && written[0] === calls.head;
    const first = isOwn ? own : rules.add('call', bodyOf(heads, 'first'));
    return sequence(options.spellOpener(opener), first, rest);
  });
  return alternatives(...sections);
}

/**
 * The rest of a call that has been written up to its name, up to its own closer. White space in what is left of the
 * head may differ. `opened`: the format's whole opener was written; otherwise the first marker of the closer is enough.
 * `null` if the name does not precede the arguments.
 */
export function restOfCall(calls: CallsRegion, tool: OfferedTool, opened: boolean): Expression | null {
  const rests = headsOf(calls).map((head) => afterName(calls, head));
  if (rests.some((rest) => rest === null)) return null;
  const spell = (part: CallPart) => partExpression(part, calls, tool, 'first');
  const spellFreely = (part: CallPart) =>
    typeof part === 'string'
      ? sequence(withAnySpace(calls, part), /[:,>\](]$/.test(part) ? gap : literal(''))
      : spell(part);
  const closer = calls.call.close.upToCore;
  const firstMarker = /^\s*(?:<[^<>]*>|\S*)/.exec(closer)?.[0] ?? '';
  return sequence(
    alternatives(...rests.map((rest) => sequence(...(rest ?? []).map(spellFreely)))),
    tool.arguments,
    ...calls.tail.map(spell),
    spellGaps(calls, opened ? closer : firstMarker),
  );
}

/** A call that is one JSON object, as the format writes it: the text up to its arguments, and after them. */
interface OwnJsonCall {
  readonly head: string;
  readonly tail: string;
}

/** A call of `toolName` within its markers, if the format writes it as one JSON object of name and arguments, in one way. */
export function ownJsonCall(calls: CallsRegion, toolName: string): OwnJsonCall | null {
  const { arguments: input } = calls;
  // Whether a model escapes other letters shows in none of its first words.
  if (input.kind !== 'json' || input.encoding !== 'value' || input.style.ascii) return null;
  const textOf = (parts: readonly CallPart[]): string =>
    parts.map((part) => (typeof part === 'string' ? part : part.hole === 'name' ? toolName : '\0')).join('');
  const own = { head: textOf(calls.head), tail: textOf(calls.tail) };
  const isOne = own.head.startsWith('{') && /^\s*\}+$/.test(own.tail) && !own.head.includes('\0');
  return isOne ? own : null;
}

/** The head, with its id and without if models may leave it out. */
function headsOf({ head, headWithoutId }: CallsRegion): readonly (readonly CallPart[])[] {
  return headWithoutId === null ? [head] : [head, headWithoutId];
}

/** The head after the name; `null` if there is none. A parser reads an id that contains the name as a whole. */
function afterName({ envelope }: CallsRegion, head: readonly CallPart[]): readonly CallPart[] | null {
  const nameAt = head.findIndex(holdsName);
  if (nameAt < 0) return null;
  const [next, ...others] = head.slice(nameAt + 1);
  // In an object, the name ends with its quote.
  const isQuoted = envelope !== null && typeof next === 'string' && next.startsWith('"');
  return isQuoted ? [next.slice(1), ...others] : head.slice(nameAt + 1);
}

const anyBlank = characterClass([0x20, 0x20], [0x09, 0x0a], [0x0d, 0x0d]);
/** Maximum length of white space that differs from the format's. */
const maxGap = 16;
const gap = repeat(anyBlank, 0, maxGap);

/** Where white space may differ in an object: where it has some, and after punctuation. */
const gapsInObject = /\s+|(?<=[:,])/;
/** Where it may differ in other text: at its edges, around line breaks, and between markers. */
const gapsInMarkers = /^\s+|(?<!\s)(?:\s*\n\s*|\s+$)|(?<=[:,>\](])(?=[<[{])/;

/** A literal with any white space in its gaps. */
function withAnySpace({ envelope }: CallsRegion, text: string): Expression {
  const [first = '', ...others] = text.split(envelope === null ? gapsInMarkers : gapsInObject);
  return sequence(literal(first), ...others.flatMap((part) => [gap, literal(part)]));
}

/** Markers of calls, with any white space after each if no text shows which. */
export function spellMarkers(calls: CallsRegion, text: string): Expression {
  return calls.unshown?.includes('gaps') === true ? withAnySpace(calls, text) : literal(text);
}

/** A literal after a call or its arguments; likewise, and also with any white space before it. */
function spellGaps(calls: CallsRegion, text: string): Expression {
  return calls.unshown?.includes('gaps') === true
    ? sequence(gap, spellMarkers(calls, text.trimStart()))
    : literal(text);
}

/**
 * The calls after the first. `laterSeparator` may contain an end of turn, at which generation stops, so that a model
 * may also use the first separator again.
 */
function moreCalls(calls: CallsRegion, following: Expression): Expression {
  const { call, separator, laterSeparator } = calls;
  const after = (between: Marker) =>
    sequence(spellGaps(calls, call.close.after + between.text + call.open.text), following);
  if (laterSeparator.text === separator.text) return repeat(after(separator));
  const later = alternatives(after(separator), after(laterSeparator));
  return optional(sequence(after(separator), repeat(later)));
}

/** The close of the section, without trailing white space: a model may stop right after the last marker. */
function sectionEnd(calls: CallsRegion): Expression {
  const { close, call, sectionCloseOptional } = calls;
  if (close.isBlank) return literal('');
  const end = spellGaps(calls, call.close.after + close.upToCore);
  return sectionCloseOptional ? optional(end) : end;
}

/** A tool with any name and any arguments, for the grammar of a format without tools. */
function anyTool(calls: CallsRegion, rules: RuleSet): OfferedTool {
  const parameters: JsonSchema = isAllText(calls.arguments)
    ? { type: 'object', additionalProperties: { type: 'string' } }
    : { type: 'object' };
  const anything: Tool = { type: 'function', function: { name: 'any', parameters } };
  const compiled = compileArguments(anything, calls.arguments, {
    rules,
    policy: 'degrade',
    argumentOrder: 'schema',
    followedBy: calls.afterArguments,
    layout: argumentLayout(calls),
  });
  return {
    name: rules.add('tool-name', repeat(nameCharacters, 1, maxNameLength)),
    arguments: rules.add('arguments', compiled.expression),
  };
}

/** Whether all values are raw text in the same frame, so that their types cannot be distinguished. */
function isAllText(format: ArgumentsFormat): boolean {
  if (format.kind === 'json') return false;
  const { string } = format.frames;
  const frames = Object.values(format.frames);
  return (
    string.codec === 'raw' &&
    frames.every(({ open, close }) => open === string.open && close === string.close)
  );
}

/** Writes a call after its opening literal, with one of these heads. */
type CallBody = (heads: readonly (readonly CallPart[])[], place: 'first' | 'following') => Expression;

function followingCall(calls: CallsRegion, bodyOf: CallBody, first: Expression, rules: RuleSet): Expression {
  const counted = [...calls.head, ...calls.tail].some(holdsIndex);
  return counted ? rules.add('following-call', bodyOf(headsOf(calls), 'following')) : first;
}

function holdsIndex(part: CallPart): boolean {
  if (typeof part === 'string') return false;
  return part.hole === 'index' || (part.hole === 'composed-id' && part.parts.some(holdsIndex));
}

/**
 * One call after its opening literal. The part before the first name is common to all tools; from the name on, each
 * tool has its own alternative. All `heads` must agree up to the name.
 */
function callBody(
  calls: CallsRegion,
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
      spellGaps(calls, calls.call.close.upToCore),
    );
  };
  const common = split[0]?.common ?? [];
  return sequence(
    ...common.map((part) => partExpression(part, calls, null, place)),
    alternatives(...tools.map(ofTool)),
  );
}

/** Whether what follows the name in this head ends any name. */
function nameCanEnd({ argumentsOpen, call }: CallsRegion, head: readonly CallPart[]): boolean {
  const parts = head.flatMap(withoutComposition);
  const nameAt = parts.findIndex(holdsName);
  if (nameAt < 0) return false;
  const [after] = parts.slice(nameAt + 1);
  // Without arguments, the call may end at once.
  if (after === undefined) return endsNames(argumentsOpen.text) && endsNames(call.close.text);
  return typeof after === 'string' && endsNames(after);
}

function withoutComposition(part: CallPart): readonly CallPart[] {
  return typeof part !== 'string' && part.hole === 'composed-id'
    ? part.parts.flatMap(withoutComposition)
    : [part];
}

interface OpenNames {
  readonly tools: readonly OfferedTool[];
  readonly place: 'first' | 'following';
  readonly rules: RuleSet;
}

/** `callBody` for tools of any name. The arguments of those that are not on offer are any text up to the closer. */
function openCallBody(
  calls: CallsRegion,
  heads: readonly (readonly CallPart[])[],
  { tools, place, rules }: OpenNames,
): Expression {
  const split = heads.map((head) => {
    const parts = head.flatMap(withoutComposition);
    const nameAt = parts.findIndex(holdsName);
    return { before: parts.slice(0, nameAt), after: parts.slice(nameAt + 1) };
  });
  const spell = (part: CallPart) => partExpression(part, calls, null, place);
  const afterName = alternatives(...split.map(({ after }) => sequence(...after.map(spell))));
  const restOf = (tool: OfferedTool): Expression =>
    sequence(
      afterName,
      tool.arguments,
      ...calls.tail.map((part) => partExpression(part, calls, tool, place)),
      literal(calls.call.close.upToCore),
    );
  const named = tools.flatMap((tool) =>
    tool.name.type === 'literal' ? [[tool.name.text, restOf(tool)] as const] : [],
  );
  const { close } = calls.call;
  const anything = until({ delimiter: close.core, next: literal('') });
  // Where the arguments follow the name at once, they tell where it ends.
  const begun = alternatives(sequence(literal(calls.argumentsOpen.text), anything), literal(close.upToCore));
  const isNext = split.some(({ after }) => after.length === 0);
  const otherCall = isNext ? begun : sequence(afterName, anything);
  const other = close.isBlank ? restOf(anyTool(calls, rules)) : otherCall;
  return sequence(...(split[0]?.before ?? []).map(spell), namedCall(new Map(named), other, rules));
}

function holdsName(part: CallPart): boolean {
  if (typeof part === 'string') return false;
  return part.hole === 'name' || (part.hole === 'composed-id' && part.parts.some(holdsName));
}

function partExpression(
  part: CallPart,
  calls: CallsRegion,
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

/** An id: of the length that the template requires, otherwise of any length. */
function idExpression({ id }: CallsRegion): Expression {
  return id?.length === undefined ? idOfAnyLength : repeat(idCharacter, id.length, id.length);
}
