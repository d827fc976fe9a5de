/** The beginning of a chat that all engines share: the request is checked, its prompt rendered, its run described. */
import type { ChatFormat } from '../../format/chat-format.ts';
import { readMessages } from '../../format/check-messages.ts';
import type { Message } from '../../format/messages.ts';
import type { BuiltGrammar } from '../../grammar/built-grammar.ts';
import type { PlainGrammarOptions } from '../../grammar/grammar-options.ts';
import type { Steps } from '../../language/expression/steps.ts';
import { turnLayout } from '../../layout/turn-layout.ts';
import { createModuleParser } from '../../parser/module-parser.ts';
import { normalizeToolsSteps } from '../../tools/tools.ts';
import type { ChatOptions } from './chat-options.ts';
import { type ChatRequest, isPlainText, parserOptions, promptRequest } from './chat-request.ts';
import type { EnforcedReading, Enforcement } from './enforcement/enforcement.ts';
import { unguarded } from './enforcement/late-enforcement.ts';
import type { TemplateCache } from './learned-template.ts';
import { renderOpenTurn } from './open-turn.ts';
import type { TracedPrompt } from './prompt-pieces.ts';
import { checkResultIds } from './result-ids.ts';
import { orderResults } from './result-order.ts';
import type { SteeringOptions } from './steering/steering-options.ts';
import { answerEnds, openEnds, turnEnds } from './steering/turn-ends.ts';
import type { LearnedTemplate } from './template-reader.ts';

/** Reads messages and tools, and learns the template, in steps. Throws their typed errors, and the signal's reason. */
export function* readRequest<Options extends ChatOptions>(
  checked: Options,
  templates: TemplateCache,
): Steps<ChatRequest<Options>> {
  checked.signal?.throwIfAborted();
  const { toolNames = 'any' } = checked;
  const tools = yield* normalizeToolsSteps(checked.tools ?? []);
  yield;
  const template = yield* templates.learnSteps(tools.length > 0);
  const { format, source } = template;
  const messages = readMessages(checked.messages);
  const read = { ...checked, ...thinkingLimit(checked, format), toolNames, messages };
  yield;
  const render = (rendered: readonly Message[]): Steps<TracedPrompt> =>
    renderOpenTurn(
      source,
      promptRequest({ ...read, messages: rendered }, tools, templates, format),
      template,
    );
  const strays = yield* checkResultIds(read, render);
  const ordered = yield* orderResults(read, render);
  const options = { ...read, messages: ordered.messages };
  return { options, tools, template, render, strays: [...strays, ...ordered.issues] };
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
export interface ChatReading extends EnforcedReading, Pick<SteeringOptions, 'parser'> {}

/**
 * How the response to a request is read, in steps. `enforcement`: what made its `grammar`, with `grammarOptions`; `null` if
 * nothing is enforced. `specialTokens`: markers that count only as special tokens.
 */
export function* readingOf(
  request: Omit<ChatRequest<ChatOptions>, 'render' | 'strays'>,
  enforcement: Enforcement | null,
  grammarOptions: PlainGrammarOptions,
  grammar: BuiltGrammar,
  specialTokens: readonly string[] = [],
): Steps<ChatReading> {
  const { options, tools, template } = request;
  const { generationPrompt = '' } = grammarOptions;
  const reading =
    enforcement === null ? unguarded() : yield* enforcement.reading(request, grammarOptions, grammar);
  yield;
  const parser = createModuleParser(template.reader, {
    ...parserOptions(options, tools, generationPrompt, grammar, reading.guard),
    specialTokens,
  });
  return { ...reading, parser };
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
