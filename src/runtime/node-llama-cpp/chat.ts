/** One chat request: its prompt, grammar and parser, a free sequence, and decoding. */
import type { LlamaContext, LlamaModel } from 'node-llama-cpp';
import { createResponseParser } from '../../codegen/create-response-parser.ts';
import type { ChatFormat } from '../../format/chat-format.ts';
import { readMessages } from '../../format/check-messages.ts';
import { ContextOverflowError, ModelDisposedError } from '../../format/errors.ts';
import type { Message, Tool } from '../../format/messages.ts';
import type { BuiltGrammar, Trigger } from '../../grammar/build-grammar.ts';
import type { PlainGrammarOptions, ResponseFormat } from '../../grammar/grammar-options.ts';
import type { Matcher } from '../../language/matcher/matcher.ts';
import { turnLayout } from '../../layout/turn-layout.ts';
import type { ResponseEvent, ResponseMessage } from '../../parser/events.ts';
import type { ResponseParser } from '../../parser/response-parser.ts';
import { normalizeTools, type ToolList } from '../../tools/tools.ts';
import type { ChatOptions } from '../chat/chat-options.ts';
import { checksOf, isPlainText, parserOptions, promptRequest } from '../chat/chat-request.ts';
import { type ChatSource, type ChatStream, streamChat } from '../chat/chat-stream.ts';
import { checkChatOptions } from '../chat/check-chat-options.ts';
import type { ResponseChecks } from '../chat/checks/response-checks.ts';
import type { GrammarCache, ReadyGrammar } from '../chat/grammar-cache.ts';
import type { LearnedTemplate, TemplateCache } from '../chat/learned-template.ts';
import { once } from '../chat/once.ts';
import { type PromptRequest, renderTraced } from '../chat/prompt-pieces.ts';
import { checkResultIds } from '../chat/result-ids.ts';
import { answerEnds, mayContinue, openEnds, turnEnds } from '../chat/steering/turn-ends.ts';
import { type FittedPrompt, fitPrompt, stepOf } from './context-window.ts';
import { decode } from './decoding/decode.ts';
import { ResponseRun } from './decoding/response-run.ts';
import type { Shorten } from './decoding/shifting-window.ts';
import { requireBuildable } from './engine-states.ts';
import { type MarkerTokens, markersOf } from './marker-tokens.ts';
import { encodePrompt, type PromptTokens } from './prompt-tokens.ts';
import type { SequencePool } from './sequences/sequence-pool.ts';
import type { Vocabulary } from './vocabulary.ts';

/** What the chats of a loaded model share. */
export interface ChatEngine {
  readonly model: LlamaModel;
  readonly context: LlamaContext;
  readonly vocabulary: Vocabulary;
  readonly templates: TemplateCache;
  readonly pool: SequencePool;
  readonly grammars: GrammarCache;
  /** A hash that identifies the model's files and adapters. */
  readonly identity: () => Promise<string>;
}

/** A request, prepared up to its first token. */
export interface PreparedChat {
  readonly template: LearnedTemplate;
  readonly prompt: PromptTokens;
  readonly grammar: BuiltGrammar;
  readonly matcher: Matcher | null;
  readonly parser: ResponseParser;
  readonly markers: MarkerTokens;
  /** Number of messages dropped from the prompt. */
  readonly dropped: number;
  /** Shortens the prompt to make room for more tokens; `null` if that was not requested. */
  readonly shorten: Shorten | null;
  /** What is checked during decoding. */
  readonly checks: ResponseChecks | null;
}

const unlimited = Number.MAX_SAFE_INTEGER;

/** Begins a chat, which runs as the stream is read. */
export function startChat<Tools extends ToolList, Format extends ResponseFormat>(
  engine: ChatEngine,
  options: ChatOptions<Tools, Format>,
): ChatStream<Tools, Format> {
  const prepare = once(() => prepareInTurns(engine, options));
  const source: ChatSource = {
    generate: (started) => generate(engine, options, prepare, started),
    report: async () => {
      const { grammar, prompt } = await prepare();
      return [...grammar.report, ...prompt.report];
    },
    promptTokens: async () => (await prepare()).prompt.tokens.length,
  };
  return streamChat(source, options);
}

async function* generate(
  engine: ChatEngine,
  given: ChatOptions,
  prepare: () => Promise<PreparedChat>,
  started: (run: ResponseRun) => void,
): AsyncGenerator<ResponseEvent, ResponseMessage> {
  const options = checkChatOptions(given);
  const prepared = await prepare();
  const { prompt, shorten } = prepared;
  const { tokens } = prompt;
  const lease = await engine.pool.lease(tokens, options.signal);
  try {
    refuseDisposed(engine);
    const room = shorten === null ? lease.sequence.contextSize - tokens.length : unlimited;
    const run = createRun(engine, prepared, options, room);
    started(run);
    const { vocabulary } = engine;
    return yield* decode(lease, { ...prompt, dropped: prepared.dropped, shorten }, run, {
      ...options,
      vocabulary,
    });
  } catch (error) {
    // Errors of the engine about a disposed context are replaced by this one; an earlier abort takes precedence.
    if (isDisposed(engine)) options.signal?.throwIfAborted();
    refuseDisposed(engine);
    throw error;
  } finally {
    lease.release();
  }
}

/** A request, and its prompt. */
interface RenderedChat {
  readonly options: ChatOptions;
  readonly tools: readonly Tool[];
  readonly template: LearnedTemplate;
  readonly prompt: PromptTokens;
  readonly dropped: number;
  readonly shorten: Shorten | null;
  /** The options that determine its grammar. */
  readonly grammarOptions: PlainGrammarOptions;
}

/** Renders the prompt, builds the grammar and checks options. Throws the typed errors of all three before sampling. */
export function prepareChat(engine: ChatEngine, given: ChatOptions): PreparedChat {
  const rendered = renderChat(engine, given);
  const { template, grammarOptions } = rendered;
  return completeChat(engine, rendered, engine.grammars.get(template.format, grammarOptions));
}

/** Like `prepareChat`, but yields to other tasks while it compiles costly tools, and checks the signal. */
export async function prepareInTurns(engine: ChatEngine, given: ChatOptions): Promise<PreparedChat> {
  const rendered = renderChat(engine, given);
  const { template, grammarOptions } = rendered;
  const ready = await engine.grammars.prepare(template.format, grammarOptions, given.signal);
  refuseDisposed(engine);
  return completeChat(engine, rendered, ready);
}

/** The prompt of a chat. Throws the typed errors of invalid requests. */
export function promptOf(engine: ChatEngine, given: ChatOptions): PromptTokens {
  return renderChat(engine, given).prompt;
}

function renderChat(engine: ChatEngine, given: ChatOptions): RenderedChat {
  const checked = checkChatOptions(given);
  checked.signal?.throwIfAborted();
  refuseDisposed(engine);
  const options = { ...checked, messages: readMessages(checked.messages) };
  const { templates, vocabulary } = engine;
  const tools = normalizeTools(options.tools ?? []);
  const template = templates.learn(tools.length > 0);
  const { format } = template;
  const requestOf = (messages: readonly Message[]): PromptRequest =>
    promptRequest({ ...options, messages }, tools, templates, format);
  const render = (messages: readonly Message[]): PromptTokens =>
    encodePrompt(template.source, requestOf(messages), vocabulary, format);
  const strays = checkResultIds(
    options,
    (messages) => renderTraced(template.source, requestOf(messages), format).text,
  );
  const { contextSize } = engine.context;
  const withRoom = (wanted: number): FittedPrompt<PromptTokens> =>
    fitPrompt(options.messages, render, { contextSize, wanted });
  const shifts = options.contextOverflow === 'shift';
  const { prompt: rendered, dropped } = shifts
    ? withRoom(Math.min(options.maxTokens ?? contextSize, stepOf(contextSize)))
    : { prompt: render(options.messages), dropped: 0 };
  const prompt = { ...rendered, report: [...rendered.report, ...strays] };
  const shorten = shifts ? shorterThan(prompt, withRoom) : null;
  const grammarOptions = { ...options, tools, generationPrompt: prompt.generationPrompt };
  return { options, tools, template, prompt, dropped, shorten, grammarOptions };
}

function completeChat(
  { model, vocabulary }: ChatEngine,
  { options, tools, template, prompt, dropped, shorten }: RenderedChat,
  { grammar, matcher }: ReadyGrammar,
): PreparedChat {
  if (matcher !== null) requireBuildable(matcher, model);
  const markers = markersOf(vocabulary, template.format);
  const parser = createParser({ template, prompt, grammar, markers, tools }, options);
  const checks = checksOf(grammar, tools, options);
  return { template, prompt, grammar, matcher, parser, markers, checks, dropped, shorten };
}

/** Prompts with fewer messages that open the same turn, so that the text written so far can follow them. */
function shorterThan(
  { generationPrompt, tokens }: PromptTokens,
  withRoom: (wanted: number) => FittedPrompt<PromptTokens>,
): Shorten {
  return (wanted) => {
    try {
      const shorter = withRoom(wanted);
      const opensSame = shorter.prompt.generationPrompt === generationPrompt;
      return opensSame && shorter.prompt.tokens.length < tokens.length ? shorter : null;
    } catch (error) {
      if (error instanceof ContextOverflowError) return null;
      throw error;
    }
  };
}

/** Throws `ModelDisposedError` after the model was disposed of. */
export function refuseDisposed(engine: ChatEngine): void {
  if (isDisposed(engine)) throw disposedError(engine);
}

/** The error of chats whose model was disposed of. */
export function disposedError({ templates }: ChatEngine): ModelDisposedError {
  return new ModelDisposedError({ model: templates.sources.name });
}

/** The context is disposed of first. */
function isDisposed({ context, model }: ChatEngine): boolean {
  return context.disposed || model.disposed;
}

function createParser(
  {
    template,
    prompt,
    grammar,
    markers,
    tools,
  }: Pick<PreparedChat, 'template' | 'prompt' | 'grammar' | 'markers'> & { readonly tools: readonly Tool[] },
  options: ChatOptions,
): ResponseParser {
  return createResponseParser(template.responseModule ?? template.format, {
    ...parserOptions(options, tools, prompt.generationPrompt, grammar),
    // A grammar that applies from the start allows markers in ordinary tokens, so they count in any spelling.
    specialTokens: grammar.expression === null || grammar.lazy ? markers.texts : [],
  });
}

/**
 * The response to a prepared request, before its first token. `room`: tokens left in the context after the prompt;
 * with more, the engine would drop the beginning of the prompt.
 */
export function createRun(
  { model, vocabulary }: ChatEngine,
  prepared: PreparedChat,
  options: ChatOptions,
  room: number,
): ResponseRun {
  return new ResponseRun({
    model,
    vocabulary,
    markers: prepared.markers,
    grammar: prepared.grammar,
    matcher: prepared.matcher,
    parser: prepared.parser,
    inject: options.injectForcedText ?? true,
    stops: [...turnEnds(prepared.template.format), ...(options.stop ?? [])],
    openEnds: openEnds(prepared.template.format),
    answerEnds: answerEnds(prepared.template.format),
    maxTokens: Math.min(options.maxTokens ?? unlimited, room),
    thinkingBudget: options.thinkingBudget ?? unlimited,
    reasoningEnd: turnLayout(prepared.template.format).reasoning?.close.text ?? '',
    plainText: isPlainText(options),
    checks: prepared.checks,
    ...(options.logprobs === undefined ? {} : { logprobs: options.logprobs }),
    continues: (marker, text) =>
      mayContinue(prepared.template.format, prepared.parser.position, marker, text),
    unconstrainedAfterCalls: isUnconstrainedAfterCalls(prepared.template.format, prepared.grammar),
  });
}

/**
 * Whether any text after a section of calls may be free: every section begins with a marker that triggers the grammar,
 * and the grammar is complete only at the end of a section.
 */
export function isUnconstrainedAfterCalls(format: ChatFormat, { lazy, triggers }: BuiltGrammar): boolean {
  const { calls } = turnLayout(format);
  if (calls === null || !lazy) return false;
  const known = triggers.some(({ value }) => value.startsWith(calls.opener.core)) && triggers.every(isWord);
  return known && (calls.open.isBlank || !calls.close.isBlank);
}

function isWord({ type }: Trigger): boolean {
  return type === 'word';
}
