/** Builds the grammar of one request: GBNF, its triggers, and a report of what it does not enforce. */
import { interpretedModule } from '../codegen/create-response-parser.ts';
import type { ChatFormat } from '../format/chat-format.ts';
import { ToolError, UnsupportedOptionError } from '../format/errors.ts';
import type { JsonSchema, Tool } from '../format/messages.ts';
import { chatFormat, readOptions, requireOption } from '../format/option-rules.ts';
import { checkGrammarSteps, refuseFindings } from '../language/expression/check-grammar.ts';
import { finish, type Steps } from '../language/expression/steps.ts';
import { printGbnf } from '../language/gbnf/print-gbnf.ts';
import { turnLayout } from '../layout/turn-layout.ts';
import { plainSchema, plainSchemaSteps } from '../tools/plain-schema.ts';
import { toJsonSchema } from '../tools/standard-schema.ts';
import { allowedTools, chosenTools } from '../tools/tool-choice.ts';
import { normalizeTools } from '../tools/tools.ts';
import { type BuiltGrammar, freeGrammar } from './built-grammar.ts';
import { openContent } from './content-grammar.ts';
import type { GrammarOptions, PlainGrammarOptions, ResponseFormat } from './grammar-options.ts';
import { grammarRules } from './grammar-rules.ts';
import type { PromptPosition } from './prompt-position.ts';
import { readPromptPosition } from './read-prompt-position.ts';
import {
  type ResponseGrammar,
  type ResponseGrammarOptions,
  type ResponseShape,
  responseGrammar,
} from './response-grammar.ts';
import type { SchemaStore } from './stored-schemas.ts';
import type { ToolArguments } from './tool-arguments.ts';
import { callTriggers } from './triggers.ts';

/** Looks up the shared `ToolArguments` of a request, so that each schema is compiled once. */
type KnownArguments = (format: ChatFormat, request: ResponseGrammarOptions) => ToolArguments | undefined;

/** Compiles and checks a grammar. Throws `GrammarError` if no engine can build it or it has a dead end. */
function* compileResponse(
  format: ChatFormat,
  request: ResponseGrammarOptions,
  known: ToolArguments | undefined,
): Steps<ResponseGrammar> {
  const made = yield* responseGrammar(format, request, known);
  yield;
  refuseFindings(yield* checkGrammarSteps(made.grammar, { ambiguity: false }));
  return made;
}

/**
 * Builds the grammar of one request. Throws `ToolListError`, `ToolError` (unknown tool, unwritable name, duplicate
 * name), `SchemaError`, `GrammarError` or `UnsupportedOptionError`, always before a token is sampled.
 */
export function buildGrammar(format: ChatFormat, given: GrammarOptions = {}): BuiltGrammar {
  requireOption('format', format, chatFormat);
  const options = readOptions(given, grammarRules);
  const tools = normalizeTools(options.tools ?? []);
  return finish(buildGrammarSteps(() => undefined, format, { ...options, tools }));
}

/** `buildGrammar` in steps, with shared arguments; `options` are already validated. */
export function* buildGrammarSteps(
  argumentsOf: KnownArguments,
  format: ChatFormat,
  options: PlainGrammarOptions,
  store: SchemaStore | null = null,
): Steps<BuiltGrammar> {
  const plan = planResponse(format, options);
  if (plan === null) return freeGrammar(format);
  const request = { ...requestOf(plan, options), store };
  const { grammar, issues } = yield* compileResponse(format, request, argumentsOf(format, request));
  const lazy = plan.shape === 'calls-from-trigger';
  let printed: string | undefined;
  return {
    // Printed lazily: users of the tree do not need it, and printing takes as long as everything else.
    get grammar() {
      printed ??= printGbnf(grammar);
      return printed;
    },
    expression: grammar,
    lazy,
    triggers: lazy ? callTriggers(format, plan) : [],
    report: issues,
    preservedTokens: format.preservedTokens,
    stops: format.stops,
  };
}

/** The options a request's grammar is compiled with; `null` if any response is allowed. Throws like `buildGrammar`. */
export function planRequest(format: ChatFormat, options: PlainGrammarOptions): ResponseGrammarOptions | null {
  const plan = planResponse(format, options);
  return plan === null ? null : requestOf(plan, options);
}

function requestOf(
  { shape, prompt, tools, parallel }: ResponsePlan,
  {
    policy = 'strict',
    argumentOrder = 'later',
    toolNames = 'offered',
    responseFormat,
    bareCalls = false,
    oneLine = false,
    thinkingBudget,
  }: PlainGrammarOptions,
): ResponseGrammarOptions {
  const contentSchema = responseSchema(responseFormat) ?? true;
  const moreThoughts = thinkingBudget === undefined;
  const choices = { otherNames: toolNames === 'any', moreThoughts, bareCalls, oneLine };
  return { shape, prompt, tools, parallel, policy, argumentOrder, contentSchema, ...choices };
}

interface ResponsePlan {
  readonly shape: ResponseShape;
  readonly prompt: PromptPosition;
  readonly tools: readonly Tool[];
  readonly parallel: boolean;
}

/** Decides which responses are allowed; `null` if any is. */
function planResponse(format: ChatFormat, options: PlainGrammarOptions): ResponsePlan | null {
  const all = options.tools ?? [];
  refuseDuplicates(all);
  const { offered, choice } = allowedTools(all, options.toolChoice ?? 'auto');
  const plan = {
    prompt: readPromptPosition(format, interpretedModule(format), options.generationPrompt ?? '', all),
    tools: chosenTools(offered, choice),
    parallel: options.parallelToolCalls ?? typeof choice === 'string',
  };
  const forced = choice === 'required' || typeof choice === 'object';
  const schema = responseSchema(options.responseFormat);
  if ((forced || schema !== null) && plan.prompt.place === 'ended') refuseEndedTurn();
  const canFollow = canCall(format, plan.prompt);
  // A call that is demanded is made: a response format concerns answers.
  if (forced) return canFollow ? { ...plan, shape: 'calls' } : refuseBegunContent();
  const callable = choice === 'auto' && offered.length > 0 && (schema === null || canFollow);
  if (schema !== null) return { ...plan, shape: callable ? schemaOrCalls(format) : 'schema' };
  if (callable) return { ...plan, shape: 'calls-from-trigger' };
  return all.length > 0 && format.calls !== null ? { ...plan, shape: 'text' } : null;
}

/** Whether a call can follow the text that the prompt already contains. */
function canCall(format: ChatFormat, prompt: PromptPosition): boolean {
  const { content } = turnLayout(format);
  const open = openContent(content, prompt);
  const isPreamble = open?.place === 'content-with-calls';
  if (open === null || isPreamble || content.next.includes('calls')) return true;
  // What is pending inside an answer is text, unless it begins what closes it.
  const pending = prompt.pending.trim();
  const isBegun = prompt.begun || !open.close.core.startsWith(pending);
  return !isBegun && !open.close.isBlank;
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
  if (turnLayout(format).calls?.opener.isBlank === false) return 'schema-or-calls';
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

/** Converts a schema object of a library to plain JSON Schema, so that it serialises. Throws `SchemaError`. */
export function plainResponseFormat(format: ResponseFormat | undefined): ResponseFormat | undefined {
  return finish(plainResponseSteps(format));
}

/** `plainResponseFormat` in steps. What was JSON before is then known to be. */
export function* plainResponseSteps(format: ResponseFormat | undefined): Steps<ResponseFormat | undefined> {
  if (format?.type !== 'json_schema') return format;
  const schema = yield* plainSchemaSteps(toJsonSchema(format.json_schema.schema), '');
  return { ...format, json_schema: { schema } };
}

function responseSchema(format: ResponseFormat | undefined): JsonSchema | null {
  if (format?.type === 'json_object') return { type: 'object' };
  return format?.type === 'json_schema' ? plainSchema(toJsonSchema(format.json_schema.schema), '') : null;
}
