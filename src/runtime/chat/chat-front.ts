/** The beginning of a chat that all engines share: the request is checked, its prompt rendered, its run described. */
import { createResponseParser } from '../../codegen/create-response-parser.ts';
import type { ChatFormat } from '../../format/chat-format.ts';
import { readMessages } from '../../format/check-messages.ts';
import type { SchemaIssue } from '../../format/errors.ts';
import type { Message, Tool } from '../../format/messages.ts';
import { answerStart } from '../../grammar/answer-start.ts';
import type { BuiltGrammar } from '../../grammar/built-grammar.ts';
import type { PlainGrammarOptions } from '../../grammar/grammar-options.ts';
import { readPromptPosition } from '../../grammar/read-prompt-position.ts';
import { distinctTriggers } from '../../grammar/triggers.ts';
import type { Steps } from '../../language/expression/steps.ts';
import { createMatcher } from '../../language/matcher/matcher.ts';
import { turnLayout } from '../../layout/turn-layout.ts';
import type { OpenCall } from '../../parser/response-parser.ts';
import { normalizeTools } from '../../tools/tools.ts';
import type { ChatOptions } from './chat-options.ts';
import { checksOf, isPlainText, parserOptions, promptRequest } from './chat-request.ts';
import { callGuard } from './checks/call-guard.ts';
import type { EnforcedThoughts } from './checks/enforced-text.ts';
import type { ResponseChecks } from './checks/response-checks.ts';
import type { GrammarCache } from './grammar-cache.ts';
import type { TemplateCache } from './learned-template.ts';
import { renderOpenTurn } from './open-turn.ts';
import type { TracedPrompt } from './prompt-pieces.ts';
import { checkResultIds } from './result-ids.ts';
import type { SteeringOptions } from './steering/steering-options.ts';
import type { MatchedStart } from './steering/thinking-budget.ts';
import { answerEnds, openEnds, turnEnds } from './steering/turn-ends.ts';
import type { LearnedTemplate } from './template-reader.ts';

/** A request whose options were checked. */
export interface ChatRequest<Options extends ChatOptions> {
  readonly options: Options;
  readonly tools: readonly Tool[];
  readonly template: LearnedTemplate;
  /** The prompt of these messages instead, in steps. Throws what `renderPrompt` throws. */
  readonly render: (messages: readonly Message[]) => Steps<TracedPrompt>;
  /** Results without a call, for the report. */
  readonly strays: readonly SchemaIssue[];
}

/** Reads messages and tools, and learns the template, in steps. Throws their typed errors, and the signal's reason. */
export function* readRequest<Options extends ChatOptions>(
  checked: Options,
  templates: TemplateCache,
): Steps<ChatRequest<Options>> {
  checked.signal?.throwIfAborted();
  const { toolNames = 'any' } = checked;
  const tools = normalizeTools(checked.tools ?? []);
  yield;
  const template = yield* templates.learnSteps(tools.length > 0);
  const { format, source } = template;
  const messages = readMessages(checked.messages);
  const options = { ...checked, ...thinkingLimit(checked, format), toolNames, messages };
  yield;
  const render = (rendered: readonly Message[]): Steps<TracedPrompt> =>
    renderOpenTurn(
      source,
      promptRequest({ ...options, messages: rendered }, tools, templates, format),
      format,
    );
  const strays = yield* checkResultIds(options, render);
  return { options, tools, template, render, strays };
}

/** A template without a switch cannot be asked for no thoughts: a budget keeps them out. */
function thinkingLimit(
  { thinking, thinkingBudget }: ChatOptions,
  { reasoning, input }: ChatFormat,
): Pick<ChatOptions, 'thinkingBudget'> {
  const isLeft = reasoning !== null && input.thinkingVariables.length === 0;
  return thinking === false && thinkingBudget === undefined && isLeft ? { thinkingBudget: 0 } : {};
}

/** What reads the response, and checks it. */
export interface ChatReading
  extends Pick<Required<SteeringOptions>, 'answerStart' | 'guard' | 'parser' | 'restOf'> {
  /** What is checked while it is written. */
  readonly checks: ResponseChecks | null;
}

/**
 * How the response to a request is read, in steps. `grammarOptions`: those of its `grammar`, from `grammars`; `specialTokens`:
 * markers that count only as special tokens.
 */
export function* readingOf(
  { options, tools, template }: Omit<ChatRequest<ChatOptions>, 'render' | 'strays'>,
  grammars: GrammarCache,
  grammarOptions: PlainGrammarOptions,
  grammar: BuiltGrammar,
  specialTokens: readonly string[] = [],
): Steps<ChatReading> {
  const { generationPrompt = '' } = grammarOptions;
  const thoughts = grammar.lazy ? null : thoughtsAt(template.format, generationPrompt);
  const guard = callGuard(options, tools, grammar.report, thoughts);
  const parser = createResponseParser(template.responseModule ?? template.format, {
    ...parserOptions(options, tools, generationPrompt, grammar, guard),
    specialTokens,
  });
  const restOf = (call: OpenCall, written: string) =>
    grammars.restOf(template.format, grammarOptions, call, written);
  const start = () => matchedStart(template.format, grammar, options, tools);
  yield;
  const checks = yield* checksOf(grammar, tools, options);
  return { answerStart: start, guard, parser, restOf, checks };
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
function thoughtsAt(format: ChatFormat, generationPrompt: string): EnforcedThoughts | null {
  const { reasoning } = turnLayout(format);
  if (reasoning === null || reasoning.close.isBlank) return null;
  const { place } = readPromptPosition(format, generationPrompt, []);
  const { open, close } = reasoning;
  if (place === 'reasoning') return { open: '', close: close.core };
  return open.isBlank ? null : { open: open.core, close: close.core };
}

const unlimited = Number.MAX_SAFE_INTEGER;

/** What steers a response, as far as options and format say it; at most `room` tokens. */
export function steeringOf(
  { format }: LearnedTemplate,
  options: ChatOptions,
  room: number,
): Omit<SteeringOptions, keyof ChatReading | 'grammar' | 'matcher' | 'markers' | 'unconstrainedAfterCalls'> {
  return {
    stops: turnEnds(format),
    stopSequences: {
      texts: options.stop ?? [],
      within: options.stopIn ?? 'answer',
      thoughtsAreText: options.reasoningFormat === 'none',
    },
    openEnds: openEnds(format),
    answerEnds: answerEnds(format),
    maxTokens: Math.min(options.maxTokens ?? unlimited, room),
    thinkingBudget: options.thinkingBudget ?? unlimited,
    reasoningEnd: turnLayout(format).reasoning?.close.text ?? '',
    plainText: isPlainText(options),
  };
}
