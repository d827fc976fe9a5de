/**
 * The grammar of the rest of a call that the model has begun by itself: from its name to its own closer, for one tool
 * and in the notation that the model chose. The response is free after it.
 */

import type { JsonArguments } from '../format/argument-notation.ts';
import { type CallNotationName, notationFormat } from '../format/call-notations.ts';
import { unless } from '../format/error-class.ts';
import { SchemaError, ToolError } from '../format/errors.ts';
import type { Tool } from '../format/messages.ts';
import { compileArguments } from '../json-schema/compile-arguments.ts';
import { oneOf } from '../language/expression/alternatives.ts';
import {
  characterClass,
  type Expression,
  type Grammar,
  literal,
  optional,
  repeat,
  sequence,
} from '../language/expression/expression.ts';
import { withoutUnused } from '../language/expression/references.ts';
import { RuleSet } from '../language/expression/rule-set.ts';
import type { CallsRegion } from '../layout/calls-region.ts';
import { turnLayout } from '../layout/turn-layout.ts';
import type { OpenCall } from '../parser/response-parser.ts';
import { ownJsonCall, restOfCall } from './call-grammar.ts';
import type { ArgumentOptions } from './grammar-options.ts';
import { ToolArguments } from './tool-arguments.ts';

const blank = characterClass([0x20, 0x20], [0x09, 0x0a], [0x0d, 0x0d]);
/** White space that may follow in the same token as the closer. */
const blanks = repeat(blank, 0, 20);

/** How the rest of a call is written. */
export type RestNotation =
  /** In the format's notation, with any spacing. `opened`: after its own opener, so that its whole closer must follow. */
  | { readonly kind: 'format'; readonly opened: boolean }
  /** As JSON, within so many objects. `isOwn`: in the layout of the format's calls; otherwise in any. */
  | { readonly kind: 'json'; readonly objects: number; readonly isOwn: boolean }
  /** In a notation of other formats. */
  | { readonly kind: 'notation'; readonly name: CallNotationName };

/**
 * How the rest of `call` may be written, the notation that leaves least to sampling first: a call that begins as the
 * format writes it may go on so, and be forced where those are.
 */
export function restNotations(calls: CallsRegion, { toolName, notation }: OpenCall): readonly RestNotation[] {
  if (notation.kind !== 'json') return [notation];
  const { kind, objects, head } = notation;
  const isOwn = ownJsonCall(calls, toolName)?.head.trimEnd() === head;
  return [...(isOwn ? [{ kind, objects, isOwn }] : []), { kind, objects, isOwn: false }];
}

/** What the rest of a call is made of. */
interface OpenCallParts {
  readonly calls: CallsRegion;
  /** The compiled arguments of the request. */
  readonly library: ToolArguments;
  readonly options: ArgumentOptions;
}

/**
 * The rest of a call of `tool`. `null` if no grammar can be made: the arguments precede the name, or the schema cannot
 * be enforced in this notation. Such a call is validated when it is complete.
 */
export function openCallGrammar(
  { calls, library, options }: OpenCallParts,
  tool: Tool,
  notation: RestNotation,
): Grammar | null {
  return unless([SchemaError, ToolError], () => {
    switch (notation.kind) {
      case 'format':
        return skeletonRest(withOwnSpacing(calls), tool, options, notation.opened);
      case 'notation':
        return skeletonRest(callsOfNotation(notation.name), tool, options, true);
      case 'json':
        return notation.isOwn
          ? ownJsonRest(calls, library, tool)
          : freeJsonRest(tool, notation.objects, options);
    }
  });
}

function callsOfNotation(name: CallNotationName): CallsRegion {
  const { calls } = turnLayout(notationFormat(name));
  if (calls === null) throw new RangeError(`${name} has no calls`);
  return calls;
}

/** The calls of a format as a model writes them that has not begun as the template does: with spacing of its own. */
function withOwnSpacing(calls: CallsRegion): CallsRegion {
  return { ...calls, unshown: [...(calls.unshown ?? []), 'spacing', 'gaps'] };
}

/** The rest of a call after its name, as the skeleton of `calls` has it. */
function skeletonRest(
  calls: CallsRegion,
  tool: Tool,
  options: ArgumentOptions,
  opened: boolean,
): Grammar | null {
  const library = new ToolArguments(calls, options);
  const [offered] = library.offer([tool]).tools;
  const rest = offered === undefined ? null : restOfCall(calls, offered, opened);
  return rest === null ? null : grammarOf(library.branch(), rest);
}

/** The rest of a call as JSON in the format's layout, with the compiled arguments of the request. */
function ownJsonRest(calls: CallsRegion, library: ToolArguments, tool: Tool): Grammar | null {
  const [offered] = library.offer([tool]).tools;
  const own = ownJsonCall(calls, tool.function.name);
  if (offered === undefined || own === null) return null;
  const gap = own.head.slice(own.head.trimEnd().length);
  return grammarOf(library.branch(), sequence(literal(gap), offered.arguments, literal(own.tail)));
}

/** Arguments as JSON in APIs. */
const plainJson: JsonArguments = {
  kind: 'json',
  encoding: 'value',
  style: { itemSeparator: ', ', keySeparator: ': ', indent: null, ascii: false, sortKeys: false },
  empty: null,
};

function freeJsonRest(tool: Tool, objects: number, options: ArgumentOptions): Grammar | null {
  const rules = new RuleSet();
  const input = freeJsonArguments(tool, options, rules);
  const closing = Array.from({ length: objects }, () => sequence(blanks, literal('}')));
  const after = [optional(laterMember), ...closing];
  return input === null ? null : grammarOf(rules, sequence(blanks, input, ...after));
}

/** Arguments as JSON in any white space; `null` if the schema cannot be enforced. */
export function freeJsonArguments(
  tool: Tool,
  { policy, argumentOrder }: ArgumentOptions,
  rules: RuleSet,
): Expression | null {
  const options = { rules, policy, argumentOrder, layout: 'any' } as const;
  return unless([SchemaError, ToolError], () =>
    rules.add('arguments', compileArguments(tool, plainJson, options).expression),
  );
}

/** A member that APIs write, after the arguments. */
const laterMember = sequence(
  ...[blanks, literal(','), blanks, oneOf(['"id"', '"type"']), blanks, literal(':'), blanks, literal('"')],
  repeat(characterClass([0x2d, 0x2d], [0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]), 0, 64),
  literal('"'),
);

function grammarOf(rules: RuleSet, rest: Expression): Grammar {
  return withoutUnused(rules.grammar('root', sequence(rest, blanks)));
}
