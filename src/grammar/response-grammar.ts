/** Builds the expression of one response from the format, the tools and the request. */

import type { ChatFormat } from '../format/chat-format.ts';
import { type SchemaIssue, UnsupportedOptionError } from '../format/errors.ts';
import type { JsonSchema, Tool } from '../format/messages.ts';
import { alternatives } from '../language/expression/alternatives.ts';
import {
  type Expression,
  type Grammar,
  literal,
  optional,
  sequence,
  without,
} from '../language/expression/expression.ts';
import { withoutUnused } from '../language/expression/references.ts';
import { RuleSet } from '../language/expression/rule-set.ts';
import type { Steps } from '../language/expression/steps.ts';
import { grammarAfter } from '../language/matcher/rest-of-grammar.ts';
import type { Marker } from '../layout/marker.ts';
import type { ContentRegion, ReasoningRegion } from '../layout/regions.ts';
import { type CallsLayout, type TurnLayout, turnLayout } from '../layout/turn-layout.ts';
import { bareCalls } from './bare-calls.ts';
import { callSection, spellMarkers } from './call-grammar.ts';
import {
  blanks,
  contentBeforeCalls,
  schemaContent,
  textThenCalls,
  textWithoutCalls,
} from './content-grammar.ts';
import type { ArgumentOptions } from './grammar-options.ts';
import type { OfferedTools } from './offered-tools.ts';
import type { PromptPosition } from './prompt-position.ts';
import { afterOtherRegions, withReasoning } from './reasoning-grammar.ts';
import type { SchemaStore } from './stored-schemas.ts';
import { ToolArguments } from './tool-arguments.ts';
import { restOfOpener } from './triggers.ts';

/** What a response may contain. */
export type ResponseShape =
  /** The calls alone, starting at the trigger; for a lazy grammar. */
  | 'calls-from-trigger'
  /** Reasoning, then only calls. */
  | 'calls'
  /** Reasoning, then content that conforms to a schema. */
  | 'schema'
  /** Reasoning, then content that conforms to a schema, or calls. */
  | 'schema-or-calls'
  /** Reasoning, then text that contains no call opener. */
  | 'text'
  /** Everything the format allows, in order of its regions; serves as a readable specification. */
  | 'whole';

/** Options of a response's grammar. */
export interface ResponseGrammarOptions extends ArgumentOptions {
  readonly shape: ResponseShape;
  readonly prompt: PromptPosition;
  /** Tools that can be called; empty allows any name with any arguments. */
  readonly tools: readonly Tool[];
  /** Allows more than one call. */
  readonly parallel: boolean;
  /** Whether calls of tools that are not on offer can be written; used by `calls-from-trigger`. */
  readonly otherNames: boolean;
  /** Schema of the content; used by `schema` and `schema-or-calls`. */
  readonly contentSchema: JsonSchema;
  /** Whether calls next to such content may be bare JSON. Default: false. */
  readonly bareCalls?: boolean;
  /** Whether such content is on one line, whatever its report says. Default: false. */
  readonly oneLine?: boolean;
  /** Whether thoughts may come again before demanded calls. */
  readonly moreThoughts: boolean;
  /** Keeps the results of expensive schemas between processes. Default: none. */
  readonly store?: SchemaStore | null;
}

/** The grammar of a response, and the schema keywords it does not enforce exactly. */
export interface ResponseGrammar {
  readonly grammar: Grammar;
  readonly issues: readonly SchemaIssue[];
}

/** Shapes that contain tool calls. */
const callingShapes: ReadonlySet<ResponseShape> = new Set([
  'calls-from-trigger',
  'calls',
  'schema-or-calls',
  'whole',
]);

/** The tools whose arguments become part of the grammar. */
export function callableTools(
  { calls }: ChatFormat,
  { shape, tools }: ResponseGrammarOptions,
): readonly Tool[] {
  return calls !== null && callingShapes.has(shape) ? tools : [];
}

/**
 * Builds the grammar of one response, reusing compiled arguments in `known`. Throws what `ToolArguments` and
 * `compileSchema` throw.
 */
export function* responseGrammar(
  format: ChatFormat,
  options: ResponseGrammarOptions,
  known?: ToolArguments,
): Steps<ResponseGrammar> {
  const layout = turnLayout(format);
  const { calls } = layout;
  const library = known ?? (calls === null ? null : new ToolArguments(calls, options, null, options.store));
  const tools = callableTools(format, options);
  if (library !== null) yield* library.add(tools);
  // Together: another request may begin to compile rules into the library.
  const offered = library?.offer(tools) ?? { tools: [], issues: [] };
  const rules = library?.branch() ?? new RuleSet();
  yield;
  const hasSchema = options.shape === 'schema' || options.shape === 'schema-or-calls';
  const none = { expression: literal(''), issues: [] };
  const content = hasSchema ? yield* schemaContent(layout.content, options, rules) : none;
  const parts: Parts = { offered, rules, content: content.expression, issues: [...content.issues] };
  yield;
  const answer = answerExpression(layout, options, parts);
  yield;
  const fromTrigger = options.shape === 'calls-from-trigger';
  const root = fromTrigger ? answer : turnExpression(layout, options, answer, parts.rules);
  const whole = parts.rules.grammar('root', root);
  yield;
  const isTemplates = Object.values(format.turn.prompt).includes(options.prompt.written);
  const grammar = fromTrigger ? whole : afterPrompt(whole, layout, options, isTemplates);
  return { grammar: withoutUnused(grammar), issues: parts.issues };
}

/**
 * Removes the prompt's pending text, or the answer that it has begun, from the front of the grammar. If the grammar
 * cannot begin with it, it is plain text or a malformed call, and the grammar stays as it is. `isTemplates`: the prompt
 * is the template's own, without a message that is to be continued.
 */
function afterPrompt(
  grammar: Grammar,
  { restarts }: TurnLayout,
  { prompt, shape }: ResponseGrammarOptions,
  isTemplates: boolean,
): Grammar {
  const { place, pending, laterCall, begun, answer } = prompt;
  const isContinued = begun && (shape === 'schema' || shape === 'schema-or-calls');
  const continued = isContinued ? grammarAfter(grammar, answer) : null;
  if (continued !== null) return continued;
  if (isContinued && !isTemplates) refuseOtherAnswer();
  if (pending.trim() === '') return grammar;
  const rest = grammarAfter(grammar, pending) ?? (laterCall === '' ? null : grammarAfter(grammar, laterCall));
  if (rest !== null) return rest;
  // If every region has a header, no call can begin inside the malformed one.
  if (restarts && (place === 'call' || place === 'start')) return refuseBrokenHeader();
  return grammar;
}

/**
 * The rest of the turn from the prompt's position: whatever precedes the answer, then `answer`. Nothing replaces empty
 * reasoning before free text, which can begin with anything.
 */
function turnExpression(
  { start, lead, reasoning, ends }: TurnLayout,
  { prompt, shape }: ResponseGrammarOptions,
  answer: Expression,
  rules: RuleSet,
): Expression {
  const isRequired = shape !== 'text' && shape !== 'whole';
  const empty = isRequired && reasoning !== null ? emptyReasoning(reasoning, shape) : [];
  const parts = { reasoning, prompt, answer, empty, ends: isRequired ? ends : [] };
  const turn = withReasoning(parts, rules);
  if (prompt.place === 'between-turns') return sequence(literal(start.text), turn);
  return prompt.untouched && lead.text !== '' ? sequence(optional(literal(lead.text)), turn) : turn;
}

/** Texts that may replace empty reasoning. */
function emptyReasoning(reasoning: ReasoningRegion, shape: ResponseShape): readonly Marker[] {
  const { empty, emptyWithCalls } = reasoning;
  if (shape === 'calls') return [emptyWithCalls];
  return shape === 'schema' || empty.text === emptyWithCalls.text ? [empty] : [empty, emptyWithCalls];
}

/** The parts of a grammar. */
interface Parts {
  readonly offered: OfferedTools;
  readonly rules: RuleSet;
  /** Content that conforms to the schema; empty for the other shapes. */
  readonly content: Expression;
  readonly issues: SchemaIssue[];
}

function answerExpression(
  layout: TurnLayout,
  options: ResponseGrammarOptions,
  { offered, rules, content, issues }: Parts,
): Expression {
  const calls = () => {
    const fromTrigger = options.shape === 'calls-from-trigger';
    const region = requireCalls(layout);
    const section = callSection(
      region,
      {
        tools: offered.tools,
        parallel: options.parallel,
        // The specification shows the template's own spelling; to a model all are open.
        allSpellings: options.shape !== 'whole',
        otherNames: fromTrigger && options.otherNames,
        spellOpener: (opener) =>
          fromTrigger
            ? spellTrigger(region, opener, options.prompt)
            : spellOpener(region, opener, layout.content, options.shape),
      },
      rules,
    );
    issues.push(...offered.issues);
    // In a free response, the model closes the content before the calls itself.
    const isFree = fromTrigger || options.shape === 'whole';
    const before = isFree ? literal('') : contentBeforeCalls(layout, options.prompt);
    return sequence(before, section, blanks);
  };
  // Only where an answer begins with its own brace: a marker before it tells it from a call.
  const isBare = options.bareCalls === true && layout.content.open.isBlank;
  const bare = () => (isBare ? bareCalls(options.tools, options, rules) : []);
  switch (options.shape) {
    case 'calls-from-trigger':
      return calls();
    case 'calls':
      return afterOtherRegions(layout, options, calls(), rules);
    case 'schema':
      return content;
    case 'schema-or-calls':
      return alternatives(content, calls(), ...bare());
    case 'text':
      return rules.add('answer', textWithoutCalls(layout, options));
    case 'whole':
      return rules.add(
        'answer',
        layout.calls === null ? without() : textThenCalls(layout.content, layout.calls, calls()),
      );
  }
}

/** The opener of the calls. White space that the format has in front of it or of an answer is the model's choice. */
function spellOpener(
  calls: CallsLayout,
  opener: Marker,
  content: ContentRegion,
  shape: ResponseShape,
): Expression {
  if (shape === 'whole' || opener.isBlank) return literal(opener.text);
  const known = [opener.before, content.open.isBlank ? content.open.text : ''];
  const blanks = [...new Set(known)].filter((each) => each !== '').map(literal);
  const before = blanks.length === 0 ? literal('') : optional(alternatives(...blanks));
  return sequence(before, spellMarkers(calls, opener.fromCore));
}

function requireCalls({ calls }: TurnLayout): CallsLayout {
  if (calls !== null) return calls;
  throw new UnsupportedOptionError({
    option: 'toolChoice',
    reason:
      'this chat template has no tool calls; load a model whose template has them, or leave the tools out',
  });
}

/**
 * The opener of the calls from its first marker on. If the prompt contains its beginning, the first call needs only
 * the rest, but later calls need the whole opener.
 */
function spellTrigger(
  calls: CallsLayout,
  { fromCore: whole, core: marker }: Marker,
  prompt: PromptPosition,
): Expression {
  const rest = restOfOpener(whole, prompt);
  const spell = (text: string) => spellMarkers(calls, text);
  if (rest === whole || marker === '') return spell(rest);
  return rest === '' ? optional(literal(marker)) : alternatives(spell(rest), spell(whole));
}

function refuseOtherAnswer(): never {
  throw new UnsupportedOptionError({
    option: 'continueFinalMessage',
    reason:
      'the last message has begun something else than responseFormat asks for; end it with the beginning of that JSON, or leave one of the two out',
  });
}

function refuseBrokenHeader(): never {
  throw new UnsupportedOptionError({
    option: 'continueFinalMessage',
    reason: 'the prompt ends inside a header that this format cannot continue',
  });
}
