/** The grammar of one request, ready for an engine: GBNF text, when it starts, and what it leaves out. */
import { markerPlan } from '../codegen/marker-plan.ts';
import type { ChatFormat } from '../format/chat-format.ts';
import { type SchemaIssue, ToolError, UnsupportedOptionError } from '../format/errors.ts';
import type { AllowedTools, JsonSchema, Tool, ToolChoice } from '../format/messages.ts';
import { chatFormat, readOptions, requireOption } from '../format/option-rules.ts';
import { plainSchema } from '../tools/plain-schema.ts';
import { toJsonSchema } from '../tools/standard-schema.ts';
import { normalizeTools } from '../tools/tools.ts';
import { checkGrammar, refuseFindings } from './expression/check-grammar.ts';
import type { Grammar } from './expression/expression.ts';
import { finish, type Steps } from './expression/steps.ts';
import { printGbnf } from './gbnf/print-gbnf.ts';
import type { GrammarOptions, PlainGrammarOptions, ResponseFormat } from './grammar-options.ts';
import { grammarRules } from './grammar-rules.ts';
import { type PromptPosition, readPromptPosition } from './prompt-position.ts';
import {
  distinctTriggers,
  openContent,
  type ResponseGrammar,
  type ResponseGrammarOptions,
  type ResponseShape,
  responseGrammarSteps,
  restOfOpener,
} from './response-grammar.ts';
import type { SchemaStore } from './stored-schemas.ts';
import type { ToolArguments } from './tool-arguments.ts';

/** When a lazy grammar starts: at the first occurrence of a word, or of a pattern's first group. */
export interface Trigger {
  readonly type: 'word' | 'pattern';
  readonly value: string;
}

/** A grammar for one request. */
export interface BuiltGrammar {
  /** GBNF with start rule `root`; `null` if there is nothing to enforce. */
  readonly grammar: string | null;
  /** The same as an expression tree, for other printers and for matching. */
  readonly expression: Grammar | null;
  /** The grammar starts at the first trigger in the output, and covers the text from there on. */
  readonly lazy: boolean;
  readonly triggers: readonly Trigger[];
  /** Special tokens that must reach the parser as text. */
  readonly preservedTokens: readonly string[];
  /** Strings at which generation ends. */
  readonly stops: readonly string[];
  /** Every keyword of a schema that is not enforced exactly. Empty: everything is. */
  readonly report: readonly SchemaIssue[];
}

/** Says where the arguments of a request's tools are kept, so that they are compiled once. */
export type KnownArguments = (
  format: ChatFormat,
  request: ResponseGrammarOptions,
) => ToolArguments | undefined;

/** A grammar that no engine can build, or that has a dead end, never leaves here. */
function* compileResponse(
  format: ChatFormat,
  request: ResponseGrammarOptions,
  known: ToolArguments | undefined,
): Steps<ResponseGrammar> {
  const made = yield* responseGrammarSteps(format, request, known);
  yield;
  refuseFindings(checkGrammar(made.grammar, { ambiguity: false }));
  return made;
}

/**
 * Builds the grammar of one request. Throws `ToolListError`, `ToolError` (unknown or unwritable tool, name
 * given twice), `SchemaError`, `GrammarError` and `UnsupportedOptionError`, all before a token is sampled.
 */
export function buildGrammar(format: ChatFormat, given: GrammarOptions = {}): BuiltGrammar {
  requireOption('format', format, chatFormat);
  const options = readOptions(given, grammarRules);
  const tools = normalizeTools(options.tools ?? []);
  return finish(buildGrammarSteps(() => undefined, format, { ...options, tools }));
}

/** The same in steps, with arguments that are kept, for options that were checked. */
export function* buildGrammarSteps(
  argumentsOf: KnownArguments,
  format: ChatFormat,
  options: PlainGrammarOptions,
  store: SchemaStore | null = null,
): Steps<BuiltGrammar> {
  const plan = planResponse(format, options);
  const rest = { preservedTokens: format.preservedTokens, stops: format.stops };
  if (plan === null)
    return { grammar: null, expression: null, lazy: false, triggers: [], report: [], ...rest };
  const request = { ...requestOf(plan, options), store };
  const { grammar, issues } = yield* compileResponse(format, request, argumentsOf(format, request));
  const lazy = plan.shape === 'calls-from-trigger';
  let printed: string | undefined;
  return {
    // Printed only when it is read: users of the tree do not need it, and it takes as long as all the rest.
    get grammar() {
      printed ??= printGbnf(grammar);
      return printed;
    },
    expression: grammar,
    lazy,
    triggers: lazy ? callTriggers(format, plan) : [],
    report: issues,
    ...rest,
  };
}

/** What is compiled for a request; `null` when any response will do. Throws what `buildGrammar` throws of it. */
export function planRequest(format: ChatFormat, options: PlainGrammarOptions): ResponseGrammarOptions | null {
  const plan = planResponse(format, options);
  return plan === null ? null : requestOf(plan, options);
}

function requestOf(
  { shape, prompt, tools, parallel }: ResponsePlan,
  { policy = 'strict', argumentOrder = 'schema', responseFormat }: PlainGrammarOptions,
): ResponseGrammarOptions {
  const contentSchema = responseSchema(responseFormat) ?? true;
  return { shape, prompt, tools, parallel, policy, argumentOrder, contentSchema };
}

interface ResponsePlan {
  readonly shape: ResponseShape;
  readonly prompt: PromptPosition;
  readonly tools: readonly Tool[];
  readonly parallel: boolean;
}

/** Decides which texts the response may be; `null` when any may. */
function planResponse(format: ChatFormat, options: PlainGrammarOptions): ResponsePlan | null {
  const all = options.tools ?? [];
  refuseDuplicates(all);
  const { offered, choice } = allowedTools(all, options.toolChoice ?? 'auto');
  const plan = {
    prompt: readPromptPosition(format, options.generationPrompt ?? '', all),
    tools: chosenTools(offered, choice),
    parallel: options.parallelToolCalls ?? typeof choice === 'string',
  };
  const forced = choice === 'required' || typeof choice === 'object';
  const schema = responseSchema(options.responseFormat);
  if (forced && schema !== null) {
    throw new UnsupportedOptionError({
      option: 'responseFormat',
      reason: 'a response cannot both be a tool call and follow a response schema; drop one of the two',
    });
  }
  if ((forced || schema !== null) && plan.prompt.place === 'ended') refuseEndedTurn();
  const canFollow = canCall(format, plan.prompt);
  if (forced) return canFollow ? { ...plan, shape: 'calls' } : refuseBegunContent();
  const callable = choice === 'auto' && offered.length > 0 && (schema === null || canFollow);
  if (schema !== null) return { ...plan, shape: callable ? schemaOrCalls(format) : 'schema' };
  if (callable) return { ...plan, shape: 'calls-from-trigger' };
  return all.length > 0 && format.calls !== null ? { ...plan, shape: 'text' } : null;
}

/** The tools that can be called at all, and what is asked of them. */
function allowedTools(
  tools: readonly Tool[],
  choice: ToolChoice,
): { readonly offered: readonly Tool[]; readonly choice: Exclude<ToolChoice, AllowedTools> } {
  if (typeof choice === 'string') return { offered: tools, choice };
  if (choice.type === 'function') return { offered: tools, choice };
  const { mode, tools: allowed } = choice.allowed_tools;
  const offered = new Set(allowed.flatMap((named) => chosenTools(tools, named)));
  return { offered: tools.filter((tool) => offered.has(tool)), choice: mode };
}

/** Whether a call can follow where the prompt has left the turn. */
function canCall(format: ChatFormat, prompt: PromptPosition): boolean {
  const open = openContent(format, prompt);
  if (open === null || format.content.position === 'before-calls') return true;
  return !prompt.begun && open.close.trim() !== '';
}

function refuseEndedTurn(): never {
  throw new UnsupportedOptionError({
    option: 'continueFinalMessage',
    reason: 'the prompt has already ended the turn, so no response can be required',
  });
}

function refuseBegunContent(): never {
  throw new UnsupportedOptionError({
    option: 'continueFinalMessage',
    reason: 'the prompt has begun an answer in text, after which this format allows no call',
  });
}

function schemaOrCalls(format: ChatFormat): ResponseShape {
  if ((markerPlan(format).calls?.opener ?? '') !== '') {
    return 'schema-or-calls';
  }
  throw new UnsupportedOptionError({
    option: 'responseFormat',
    reason:
      'this format marks its calls by nothing but their JSON, so JSON content cannot be told from a call',
  });
}

function refuseDuplicates(tools: readonly Tool[]): void {
  const seen = new Set<string>();
  for (const { function: tool } of tools) {
    if (seen.has(tool.name)) throw new ToolError({ tool: tool.name, reason: 'two tools have this name' });
    seen.add(tool.name);
  }
}

function chosenTools(offered: readonly Tool[], choice: Exclude<ToolChoice, AllowedTools>): readonly Tool[] {
  if (typeof choice === 'string') {
    if (choice !== 'required' || offered.length > 0) return offered;
    throw new UnsupportedOptionError({ option: 'toolChoice', reason: '`required` needs at least one tool' });
  }
  const { name } = choice.function;
  const chosen = offered.filter((tool) => tool.function.name === name);
  if (chosen.length > 0) return chosen;
  throw new ToolError({ tool: name, reason: 'toolChoice names it, but it is not among the tools' });
}

/** The same with plain JSON Schema: the schema objects of libraries have no JSON of their own. Throws `SchemaError`. */
export function plainResponseFormat(format: ResponseFormat | undefined): ResponseFormat | undefined {
  if (format?.type !== 'json_schema') return format;
  return { ...format, json_schema: { schema: plainSchema(toJsonSchema(format.json_schema.schema), '') } };
}

function responseSchema(format: ResponseFormat | undefined): JsonSchema | null {
  if (format?.type === 'json_object') return { type: 'object' };
  return format?.type === 'json_schema' ? plainSchema(toJsonSchema(format.json_schema.schema), '') : null;
}

/**
 * The openers of calls. Where calls have no marker of their own only a call at the beginning of the response
 * can be told from text; where the prompt already wrote it, the first call has none there, but later ones do.
 */
function callTriggers(format: ChatFormat, { prompt, tools }: ResponsePlan): readonly Trigger[] {
  const { calls } = markerPlan(format);
  if (calls === null) return [];
  const { opener, otherOpeners } = calls;
  const texts = [...new Set([opener, ...otherOpeners])].map((text) => restOfOpener(text, prompt));
  const words = texts.filter((text) => text !== '');
  const triggers = (openers: readonly string[]): readonly Trigger[] =>
    openers
      .flatMap((opener) => distinctTriggers(format, opener, tools))
      .map((value) => ({ type: 'word', value }));
  if (words.length > 0) return triggers(words);
  const beginnings = callBeginnings(format, tools);
  const pattern = `^\\s*((?:${beginnings.map(escapeRegExp).join('|')}))`;
  const later = opener === '' ? [] : [opener];
  return [{ type: 'pattern', value: pattern }, ...triggers(later)];
}

/** What follows the opener of a call: the head that all calls share, or each tool's name. */
export function callBeginnings(format: ChatFormat, tools: readonly Tool[]): readonly string[] {
  const { calls } = markerPlan(format);
  if (calls === null) return [];
  const head = calls.opening.slice(calls.opener.length);
  return head === '' ? tools.map((tool) => tool.function.name) : [head];
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
