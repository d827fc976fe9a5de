/** One chat with an engine: its prompt, grammar and parser, and decoding. */

import type { ChatFormat } from '../../format/chat-format.ts';
import {
  ContextOverflowError,
  DecodingError,
  ModelDisposedError,
  TemplateLimitError,
} from '../../format/errors.ts';
import { once } from '../../format/memoize.ts';
import type { Message } from '../../format/messages.ts';
import { refuseOptions, withoutUndefined } from '../../format/option-rules.ts';
import { type BuiltGrammar, freeGrammar, type Trigger } from '../../grammar/built-grammar.ts';
import type { PlainGrammarOptions, ResponseFormat } from '../../grammar/grammar-options.ts';
import { finish, finishInTurns, type Steps } from '../../language/expression/steps.ts';
import type { Matcher } from '../../language/matcher/matcher.ts';
import { turnLayout } from '../../layout/turn-layout.ts';
import type { ResponseEvent, ResponseMessage } from '../../parser/events.ts';
import { reportDropped } from '../../template/prompt/dropped-data.ts';
import type { ToolList } from '../../tools/tools.ts';
import { type ChatReading, readingOf, readRequest, steeringOf } from '../chat/chat-front.ts';
import type { ChatOptions } from '../chat/chat-options.ts';
import type { ChatRequest } from '../chat/chat-request.ts';
import { type ChatSource, type ChatStream, streamChat } from '../chat/chat-stream.ts';
import { checkChatOptions } from '../chat/check-chat-options.ts';
import type { Enforcement } from '../chat/enforcement/enforcement.ts';
import { enforcesNothing, type LateEnforcement } from '../chat/enforcement/late-enforcement.ts';
import type { ReadyGrammar } from '../chat/grammar-cache.ts';
import type { TemplateCache } from '../chat/learned-template.ts';
import type { TracedPrompt } from '../chat/prompt-pieces.ts';
import { withDefaultSampling } from '../chat/sampling-rules.ts';
import { mayContinue } from '../chat/steering/turn-ends.ts';
import { type FittedPrompt, fitPrompt, stepOf } from './context-window.ts';
import { decode } from './decoding/decode.ts';
import { logitBiasOf } from './decoding/logit-bias.ts';
import { ResponseRun } from './decoding/response-run.ts';
import type { Shorten } from './decoding/shifting-window.ts';
import type { Engine } from './engine.ts';
import { fromEngine } from './engine-failure.ts';
import { type MarkerTokens, markersOf } from './tokens/marker-tokens.ts';
import { encodePrompt, type PromptTokens, requireTokens } from './tokens/prompt-tokens.ts';
import { type Vocabulary, vocabularyOf } from './tokens/vocabulary.ts';

/** What the requests to one model share, whatever evaluates it. */
export interface ChatTemplates {
  readonly engine: Omit<Engine, 'name' | 'open' | 'dispose'>;
  readonly templates: TemplateCache;
  readonly enforcement: LateEnforcement;
}

/** What the chats with one engine share. */
export interface ChatEngine extends ChatTemplates {
  readonly engine: Engine;
}

/** A request, and its prompt. */
interface RenderedChat extends Omit<ChatRequest<ChatOptions>, 'render' | 'strays'> {
  readonly vocabulary: Vocabulary;
  readonly prompt: PromptTokens;
  /** Number of messages dropped from the prompt. */
  readonly dropped: number;
  /** Shortens the prompt to make room for more tokens; `null` if that was not requested. */
  readonly shorten: Shorten | null;
  /** The options that determine its grammar. */
  readonly grammarOptions: PlainGrammarOptions;
}

/** A request, prepared up to its first token. */
export interface PreparedChat extends RenderedChat, ChatReading {
  readonly grammar: BuiltGrammar;
  readonly matcher: Matcher | null;
  readonly markers: MarkerTokens;
  /** What made the grammar; `null` if nothing is enforced. */
  readonly enforcement: Enforcement | null;
}

const unlimited = Number.MAX_SAFE_INTEGER;

/** Begins a chat, which runs as the stream is read. */
export function startChat<Tools extends ToolList, Format extends ResponseFormat>(
  shared: ChatEngine,
  options: ChatOptions<Tools, Format>,
): ChatStream<Tools, Format> {
  const prepare = once(() => prepareInTurns(shared, options));
  const source: ChatSource = {
    generate: (started) => generate(shared.engine, prepare, started),
    report: async () => {
      const prepared = await prepare();
      const { grammar, prompt, enforcement } = prepared;
      return [...grammar.report, ...(enforcement?.libraryReport(prepared) ?? []), ...prompt.report];
    },
    prompt: async () => (await prepare()).prompt.text,
    promptTokens: async () => (await prepare()).prompt.tokens.length,
  };
  return streamChat(source, options);
}

async function* generate(
  engine: Engine,
  prepare: () => Promise<PreparedChat>,
  started: (run: ResponseRun) => void,
): AsyncGenerator<ResponseEvent, ResponseMessage> {
  const { options, prompt, dropped, shorten, ...prepared } = await prepare();
  try {
    const room = shorten === null ? engine.contextSize - prompt.tokens.length : unlimited;
    const run = createRun({ options, prompt, dropped, shorten, ...prepared }, room);
    started(run);
    const { tellOverruled = false, logprobs = tellOverruled ? 0 : undefined } = options;
    const sampling = withDefaultSampling({ ...options, ...withoutUndefined({ logprobs }) });
    return yield* decode(engine, { ...prompt, dropped, shorten }, run, sampling);
  } catch (error) {
    // Errors of the engine about a disposed context are replaced by this one; an earlier abort takes precedence.
    if (engine.disposed && error instanceof DecodingError) {
      options.signal?.throwIfAborted();
      refuseDisposed(engine);
    }
    throw error;
  }
}

/** Renders the prompt, builds the grammar and checks options. Throws the typed errors of all three before sampling. */
export function prepareChat(shared: ChatTemplates, given: ChatOptions): PreparedChat {
  const rendered = finish(renderChat(shared, checkChatOptions(given)));
  const { format } = rendered.template;
  const enforcement = isFree(rendered) ? null : shared.enforcement.loaded;
  const ready = enforcement?.get(format, rendered.grammarOptions) ?? free(format);
  return finish(completeChat(shared, rendered, enforcement, ready));
}

/** Like `prepareChat`, but yields to other tasks, and checks the signal. */
export async function prepareInTurns(shared: ChatTemplates, given: ChatOptions): Promise<PreparedChat> {
  const checked = checkChatOptions(given);
  const { signal } = checked;
  try {
    const rendered = await finishInTurns(renderChat(shared, checked), signal);
    const { format } = rendered.template;
    const enforcement = isFree(rendered) ? null : await shared.enforcement.load();
    const made = await enforcement?.prepare(format, rendered.grammarOptions, signal);
    refuseDisposed(shared.engine);
    return await finishInTurns(completeChat(shared, rendered, enforcement, made ?? free(format)), signal);
  } catch (error) {
    signal?.throwIfAborted();
    // Disposed of between two steps.
    refuseDisposed(shared.engine);
    throw error;
  }
}

function isFree({ options, tools }: RenderedChat): boolean {
  return enforcesNothing(options, tools);
}

function free(format: ChatFormat): ReadyGrammar {
  return { grammar: freeGrammar(format), matcher: null };
}

/** The prompt of a chat. Throws the typed errors of invalid requests. */
export function promptOf(shared: ChatEngine, given: ChatOptions): PromptTokens {
  return finish(renderChat(shared, checkChatOptions(given))).prompt;
}

function* renderChat({ engine, templates }: ChatTemplates, checked: ChatOptions): Steps<RenderedChat> {
  refuseOptions(checked, engine.refused ?? {});
  checked.signal?.throwIfAborted();
  refuseDisposed(engine);
  const shifts = checked.contextOverflow === 'shift';
  if (!shifts) requireTokens(checked.messages.length, engine.contextSize);
  const { render: trace, strays, ...request } = yield* readRequest(checked, templates);
  yield;
  const { options, tools, template } = request;
  const vocabulary = vocabularyOf(engine.tokenizer);
  const { contextSize } = engine;
  function* render(messages: readonly Message[]): Steps<PromptTokens> {
    const traced = yield* traceFitting(trace(messages), vocabulary, contextSize);
    yield;
    return yield* encodePrompt(traced, vocabulary, template.format);
  }
  const withRoom = (wanted: number): Steps<FittedPrompt<PromptTokens>> =>
    fitPrompt(options.messages, render, { contextSize, wanted });
  const { prompt: rendered, dropped } = shifts
    ? yield* withRoom(Math.min(options.maxTokens ?? contextSize, stepOf(contextSize)))
    : { prompt: yield* render(options.messages), dropped: 0 };
  // What does not fit is dropped as whole messages, which `contextOverflow` asked for.
  yield;
  const lost = dropped === 0 ? yield* reportDropped(options.messages, rendered.text) : [];
  const prompt = { ...rendered, report: [...rendered.report, ...strays, ...lost] };
  const shorten = shifts ? shorterThan(prompt, withRoom) : null;
  const { generationPrompt } = prompt;
  const grammarOptions = { ...options, tools, generationPrompt, bareCalls: true };
  return { ...request, vocabulary, prompt, dropped, shorten, grammarOptions };
}

/** The prompt of `steps`. Throws `ContextOverflowError` if it is too long for the context whatever its tokens are. */
function* traceFitting(
  steps: Steps<TracedPrompt>,
  vocabulary: Vocabulary,
  contextSize: number,
): Steps<TracedPrompt> {
  try {
    const traced = yield* steps;
    requireTokens(vocabulary.fewestTokens(traced.text.length), contextSize);
    return traced;
  } catch (error) {
    // A text so long that no template may write it.
    if (error instanceof TemplateLimitError && error.limit === 'output')
      requireTokens(vocabulary.fewestTokens(error.allowed), contextSize);
    throw error;
  }
}

function* completeChat(
  { engine }: ChatTemplates,
  rendered: RenderedChat,
  enforcement: Enforcement | null,
  { grammar, matcher }: ReadyGrammar,
): Steps<PreparedChat> {
  const { template, vocabulary, grammarOptions } = rendered;
  yield;
  if (matcher !== null) fromEngine('the engine', () => engine.build?.(matcher));
  yield;
  const markers = markersOf(vocabulary, template.format);
  // A grammar that applies from the start allows markers in ordinary tokens, so they count in any spelling.
  const texts = grammar.expression === null || grammar.lazy ? markers.texts : [];
  const reading = yield* readingOf(rendered, enforcement, grammarOptions, grammar, texts);
  yield;
  const checks = enforcement?.withLibraries(reading.checks, rendered) ?? reading.checks;
  return { ...rendered, ...reading, checks, grammar, matcher, markers, enforcement };
}

/** Prompts with fewer messages that open the same turn, so that the text written so far can follow them. */
function shorterThan(
  { generationPrompt, tokens }: PromptTokens,
  withRoom: (wanted: number) => Steps<FittedPrompt<PromptTokens>>,
): Shorten {
  return function* (wanted) {
    try {
      const shorter = yield* withRoom(wanted);
      const opensSame = shorter.prompt.generationPrompt === generationPrompt;
      return opensSame && shorter.prompt.tokens.length < tokens.length ? shorter : null;
    } catch (error) {
      if (error instanceof ContextOverflowError) return null;
      throw error;
    }
  };
}

/** Throws `ModelDisposedError` after the model was disposed of. */
export function refuseDisposed({ disposed, model }: Pick<Engine, 'disposed' | 'model'>): void {
  if (disposed) throw new ModelDisposedError({ model });
}

/**
 * The response to a prepared request, before its first token. `room`: tokens left in the context after the prompt;
 * with more, an engine might drop the beginning of the prompt.
 */
export function createRun(
  {
    template,
    grammar,
    matcher,
    answerStart,
    parser,
    guard,
    restOf,
    markers,
    checks,
    options,
    vocabulary,
  }: PreparedChat,
  room: number,
): ResponseRun {
  const { format } = template;
  return new ResponseRun({
    ...steeringOf(template, options, room),
    vocabulary,
    markers,
    grammar,
    matcher,
    parser,
    answerStart,
    guard,
    restOf,
    checks,
    inject: options.injectForcedText ?? true,
    logitBias: logitBiasOf(options, vocabulary),
    ...(options.logprobs === undefined ? {} : { logprobs: options.logprobs }),
    tellOverruled: options.tellOverruled ?? false,
    continues: (marker, text) => mayContinue(format, parser.position, marker, text),
    unconstrainedAfterCalls: isUnconstrainedAfterCalls(format, grammar),
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
