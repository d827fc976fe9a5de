/**
 * The grammar of the rest of a call that the model has begun by itself: from its name to its own closer, for one tool
 * and in the notation that the model chose. The response is free after it.
 */

import { type CallNotationName, notationFormat } from '../format/call-notations.ts';
import { SchemaError, ToolError } from '../format/errors.ts';
import type { Tool } from '../format/messages.ts';
import { compileSchema, lenientJsonSyntax } from '../json-schema/compile-schema.ts';
import {
  characterClass,
  type Expression,
  type Grammar,
  literal,
  repeat,
  sequence,
} from '../language/expression/expression.ts';
import { withoutUnused } from '../language/expression/references.ts';
import { RuleSet } from '../language/expression/rule-set.ts';
import type { CallsRegion } from '../layout/calls-region.ts';
import { turnLayout } from '../layout/turn-layout.ts';
import type { CallNotation } from '../parser/open-call.ts';
import { restOfCall } from './call-grammar.ts';
import { type ArgumentOptions, ToolArguments } from './tool-arguments.ts';

const blank = characterClass([0x20, 0x20], [0x09, 0x0a], [0x0d, 0x0d]);
/** White space that may follow in the same token as the closer. */
const blanks = repeat(blank, 0, 20);

/** What the rest of a call is made of. */
export interface OpenCallParts {
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
  notation: CallNotation,
): Grammar | null {
  try {
    if (notation.kind === 'json') return jsonRest(tool, notation.objects, options);
    if (notation.kind === 'format') return formatRest(calls, library, tool, notation.opened);
    const others = callsOfNotation(notation.name);
    return formatRest(others, new ToolArguments(others, options), tool, true);
  } catch (error) {
    if (error instanceof SchemaError || error instanceof ToolError) return null;
    throw error;
  }
}

function callsOfNotation(name: CallNotationName): CallsRegion {
  const { calls } = turnLayout(notationFormat(name));
  if (calls === null) throw new RangeError(`${name} has no calls`);
  return calls;
}

function formatRest(calls: CallsRegion, library: ToolArguments, tool: Tool, opened: boolean): Grammar | null {
  const [offered] = library.offer([tool]).tools;
  const rest = offered === undefined ? null : restOfCall(calls, offered, opened);
  return rest === null ? null : grammarOf(library.branch(), rest);
}

const noArguments = { type: 'object', properties: {}, additionalProperties: false } as const;

function jsonRest(
  { function: { name, parameters } }: Tool,
  objects: number,
  options: ArgumentOptions,
): Grammar {
  const rules = new RuleSet();
  const { policy, argumentOrder: keyOrder } = options;
  const compiled = compileSchema(parameters ?? noArguments, {
    rules,
    syntax: lenientJsonSyntax,
    tool: name,
    policy,
    keyOrder,
  });
  const closing = Array.from({ length: objects }, () => sequence(blanks, literal('}')));
  return grammarOf(rules, sequence(blanks, rules.add('arguments', compiled.expression), ...closing));
}

function grammarOf(rules: RuleSet, rest: Expression): Grammar {
  return withoutUnused(rules.grammar('root', sequence(rest, blanks)));
}
