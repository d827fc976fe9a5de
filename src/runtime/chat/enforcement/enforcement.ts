/**
 * What enforces the responses of one model: grammars, and what reads and checks responses under them. In a file of its
 * own, so that it is loaded only when a chat has tools, a schema or a budget.
 */
import type { ChatFormat } from '../../../format/chat-format.ts';
import type { SchemaIssue } from '../../../format/errors.ts';
import type { Tool } from '../../../format/messages.ts';
import { answerStart } from '../../../grammar/answer-start.ts';
import type { BuiltGrammar } from '../../../grammar/built-grammar.ts';
import type { PlainGrammarOptions } from '../../../grammar/grammar-options.ts';
import { readPromptPosition } from '../../../grammar/read-prompt-position.ts';
import { distinctTriggers } from '../../../grammar/triggers.ts';
import type { Steps } from '../../../language/expression/steps.ts';
import { createMatcher } from '../../../language/matcher/matcher.ts';
import { turnLayout } from '../../../layout/turn-layout.ts';
import type { OpenCall } from '../../../parser/response-parser.ts';
import { toJsonSchema } from '../../../tools/standard-schema.ts';
import type { ChatOptions } from '../chat-options.ts';
import { type ChatRequest, isPlainText } from '../chat-request.ts';
import { callGuard } from '../checks/call-guard.ts';
import type { EnforcedThoughts } from '../checks/enforced-text.ts';
import { watchesAnswer } from '../checks/json-or-calls.ts';
import { requiredChecks } from '../checks/required-checks.ts';
import type { ResponseChecks } from '../checks/response-checks.ts';
import { hasStrictLibrary, libraryReport, withLibraries } from '../checks/strict-libraries.ts';
import { GrammarCache, type ReadyGrammar } from '../grammar-cache.ts';
import type { SteeringOptions } from '../steering/steering-options.ts';
import type { MatchedStart } from '../steering/thinking-budget.ts';
import type { LearnedTemplate } from '../template-reader.ts';

/** What guards a response, and goes on where its grammar does not apply. */
export interface EnforcedReading extends Pick<Required<SteeringOptions>, 'answerStart' | 'guard' | 'restOf'> {
  /** What is checked while it is written. */
  readonly checks: ResponseChecks | null;
}

type AskedChat = Pick<ChatRequest<ChatOptions>, 'options' | 'template'>;

/** Enforces the responses of one model. */
export class Enforcement {
  readonly #grammars: GrammarCache;

  constructor(grammars = new GrammarCache()) {
    this.#grammars = grammars;
  }

  /** The grammar of a request. Throws the errors of `buildGrammar`, and `GrammarError`. */
  get(format: ChatFormat, options: PlainGrammarOptions): ReadyGrammar {
    return this.#grammars.get(format, asChecked(options));
  }

  /** Like `get`, but yields to other tasks in between and checks the signal. Also throws the signal's reason. */
  prepare(
    format: ChatFormat,
    options: PlainGrammarOptions,
    signal: AbortSignal | undefined,
  ): Promise<ReadyGrammar> {
    return this.#grammars.prepare(format, asChecked(options), signal);
  }

  /** How the response to a request is guarded under its `grammar`, which was made with `grammarOptions`, in steps. */
  *reading(
    { options, tools, template }: Omit<ChatRequest<ChatOptions>, 'render' | 'strays'>,
    grammarOptions: PlainGrammarOptions,
    grammar: BuiltGrammar,
  ): Steps<EnforcedReading> {
    const { generationPrompt = '', responseFormat } = grammarOptions;
    const thoughts = grammar.lazy ? null : thoughtsAt(template, generationPrompt);
    const hasThoughts = template.format.reasoning !== null;
    const guard = callGuard(options, tools, grammar.report, thoughts, hasThoughts);
    const restOf = (call: OpenCall, written: string) =>
      this.#grammars.restOf(template.format, grammarOptions, call, written);
    const start = () => matchedStart(template.format, grammar, options, tools);
    yield;
    const answer =
      responseFormat?.type === 'json_schema' && watchesAnswer(options, hasThoughts)
        ? toJsonSchema(responseFormat.json_schema.schema)
        : null;
    const checks = yield* requiredChecks(grammar.report, tools, answer);
    return { answerStart: start, guard, restOf, checks };
  }

  /** `checks`, and the libraries of schemas that are asked while a value is written; `null` if there is nothing to check. */
  withLibraries(checks: ResponseChecks | null, { options, template }: AskedChat): ResponseChecks | null {
    return withLibraries(checks, options, template.format.reasoning !== null);
  }

  /** A line for each of these libraries. */
  libraryReport({ options, template }: AskedChat): readonly SchemaIssue[] {
    return libraryReport(options, template.format.reasoning !== null);
  }
}

/** An answer that a library may refuse while it is written is on one line. */
function asChecked(options: PlainGrammarOptions): PlainGrammarOptions {
  return hasStrictLibrary(options.responseFormat) ? { ...options, oneLine: true } : options;
}

/** What may follow thoughts; `null` if the grammar of the response says it, or nothing opens thoughts. */
function matchedStart(
  format: ChatFormat,
  { expression, lazy, triggers }: BuiltGrammar,
  options: ChatOptions,
  tools: readonly Tool[],
): MatchedStart | null {
  const isPlain = isPlainText(options);
  if (expression !== null && !lazy && !isPlain) return null;
  const layout = turnLayout(format);
  const opener = layout.calls?.trigger ?? '';
  const barred = isPlain && tools.length > 0 && opener !== '' ? distinctTriggers(layout, opener, tools) : [];
  const start = answerStart(format, triggers, barred);
  return start === null ? null : { ...start, matcher: createMatcher(start.grammar) };
}

/** The thoughts that a grammar from the first token on lets a response begin with; `null` if there are none. */
function thoughtsAt({ format, reader }: LearnedTemplate, generationPrompt: string): EnforcedThoughts | null {
  const { reasoning } = turnLayout(format);
  if (reasoning === null || reasoning.close.isBlank) return null;
  const { place } = readPromptPosition(format, reader, generationPrompt, []);
  const { open, close } = reasoning;
  if (place === 'reasoning') return { open: '', close: close.core };
  return open.isBlank ? null : { open: open.core, close: close.core };
}
