/** One chat request: prompt, grammar and parser for it, a free sequence, and the decoding. */
import type { LlamaContext, LlamaModel } from 'node-llama-cpp';
import type { ChatFormat } from '../../../chat-format.ts';
import { createResponseParser } from '../../../create-response-parser.ts';
import { ModelDisposedError, type SchemaIssue } from '../../../errors.ts';
import type {
  BuiltGrammar,
  GrammarOptions,
  PlainGrammarOptions,
  Trigger,
} from '../../../grammar/build-grammar.ts';
import type { Matcher } from '../../../grammar/matcher.ts';
import type { Message, Tool } from '../../../messages.ts';
import { readMessages } from '../../../template/check-messages.ts';
import { normalizeTools, type ToolList } from '../../../tools.ts';
import type { ResponseEvent, ResponseMessage } from '../../events.ts';
import type { ResponseParser } from '../../response-parser.ts';
import { argumentCheck } from './argument-checks.ts';
import { type ChatStream, GeneratedChat } from './chat-stream.ts';
import { checkChatOptions } from './check-options.ts';
import { decode, type SamplingOptions } from './decode.ts';
import { requireBuildable } from './engine-states.ts';
import type { GrammarCache, ReadyGrammar } from './grammar-cache.ts';
import type { LearnedTemplate, TemplateShelf } from './learned-template.ts';
import { type MarkerTokens, markersOf } from './marker-tokens.ts';
import { encodePrompt, type PromptTokens } from './prompt-tokens.ts';
import { ResponseRun } from './response-run.ts';
import type { SequencePool } from './sequence-pool.ts';
import type { Vocabulary } from './vocabulary.ts';

/** What a chat is to do. */
export interface ChatOptions<Tools extends ToolList = ToolList>
  extends Omit<GrammarOptions, 'generationPrompt' | 'tools'>,
    SamplingOptions {
  readonly messages: readonly Message[];
  /**
   * Tools on offer: in OpenAI's shape, as an MCP server lists them, or with a schema of a validation
   * library. Default: none.
   */
  readonly tools?: Tools;
  /** Asks for thinking or declines it, where the template can. Default: the template's own choice. */
  readonly thinking?: boolean;
  /**
   * Tokens of reasoning after which it is closed for the model; 0 for none at all. Within a character it is
   * closed behind it. Default: no limit.
   */
  readonly thinkingBudget?: number;
  /** `none`: thoughts stay in the content. Default: `separate`. */
  readonly reasoningFormat?: 'separate' | 'none';
  /** More variables for the template. */
  readonly templateVariables?: Readonly<Record<string, unknown>>;
  /** Leaves the last message, an assistant's, open and continues it. Default: false. */
  readonly continueFinalMessage?: boolean;
  /**
   * The most tokens to write, those of injected text included. A response that is not over by then ends with
   * `length`, also within a call, which is then `malformed` and none of `tool_calls`. Default: as many as the
   * context holds.
   */
  readonly maxTokens?: number;
  /**
   * More texts at which the response ends. They count in thoughts and free text only, which calls, an answer of
   * a schema and what comes before a call that is demanded are not. Of a special token the whole text counts.
   */
  readonly stop?: readonly string[];
  /**
   * Ends the response: iteration and `message` then throw the signal's reason. While tools are compiled it is
   * looked at between two of them.
   */
  readonly signal?: AbortSignal;
  /**
   * Write forced text without sampling it: several times faster. Where the model would have drawn the same
   * tokens for it, the message is the same at temperature 0; a run of tokens cut in another way can lead it
   * elsewhere. Default: true.
   */
  readonly injectForcedText?: boolean;
}

/** What chats of one loaded model share. */
export interface ChatEngine {
  readonly model: LlamaModel;
  readonly context: LlamaContext;
  readonly vocabulary: Vocabulary;
  readonly shelf: TemplateShelf;
  readonly pool: SequencePool;
  readonly grammars: GrammarCache;
}

/** A request, worked out as far as it can be before the first token. */
export interface PreparedChat {
  readonly template: LearnedTemplate;
  readonly prompt: PromptTokens;
  readonly grammar: BuiltGrammar;
  readonly matcher: Matcher | null;
  readonly parser: ResponseParser;
  readonly markers: MarkerTokens;
}

const unlimited = Number.MAX_SAFE_INTEGER;

/** Begins a chat; it runs as the stream is read. */
export function startChat<Tools extends ToolList>(
  engine: ChatEngine,
  options: ChatOptions<Tools>,
): ChatStream<Tools> {
  let run: ResponseRun | null = null;
  let prepared: Promise<PreparedChat> | null = null;
  const prepare = (): Promise<PreparedChat> => {
    prepared ??= prepareInTurns(engine, options);
    return prepared;
  };
  const start = (chat: PreparedChat, contextSize: number): ResponseRun => {
    run = createRun(engine, chat, options, contextSize - chat.prompt.tokens.length);
    return run;
  };
  const readReport = async (): Promise<readonly SchemaIssue[]> => (await prepare()).grammar.report;
  const interrupted = (): ResponseMessage =>
    run?.finish(true).message ?? { role: 'assistant', content: null };
  // That calls are of the tools' types is the grammar's promise; no compiler can see it.
  const generation = generate(engine, options, prepare, start);
  return new GeneratedChat(generation, interrupted, readReport) as unknown as ChatStream<Tools>;
}

async function* generate(
  engine: ChatEngine,
  given: ChatOptions,
  prepare: () => Promise<PreparedChat>,
  start: (prepared: PreparedChat, contextSize: number) => ResponseRun,
): AsyncGenerator<ResponseEvent, ResponseMessage> {
  const options = checkChatOptions(given);
  const prepared = await prepare();
  const { tokens } = prepared.prompt;
  const lease = await engine.pool.lease(tokens, options.signal);
  try {
    refuseDisposed(engine);
    const run = start(prepared, lease.sequence.contextSize);
    return yield* decode(lease.sequence, tokens, run, options, options.signal);
  } catch (error) {
    // Whatever the engine says of a context that is gone, this is why; an abort before it counts more.
    if (isDisposed(engine)) options.signal?.throwIfAborted();
    refuseDisposed(engine);
    throw error;
  } finally {
    lease.release();
  }
}

/** A request and its prompt. */
interface RenderedChat {
  readonly options: ChatOptions;
  readonly tools: readonly Tool[];
  readonly template: LearnedTemplate;
  readonly prompt: PromptTokens;
  /** What its grammar depends on. */
  readonly grammarOptions: PlainGrammarOptions;
}

/** Renders, builds and checks. Throws the typed errors of all three, before anything is sampled. */
export function prepareChat(engine: ChatEngine, given: ChatOptions): PreparedChat {
  const rendered = renderChat(engine, given);
  const { template, grammarOptions } = rendered;
  return completeChat(engine, rendered, engine.grammars.get(template.format, grammarOptions));
}

/** The same; while tools are compiled that take long, others have their turn, and the signal is looked at. */
export async function prepareInTurns(engine: ChatEngine, given: ChatOptions): Promise<PreparedChat> {
  const rendered = renderChat(engine, given);
  const { template, grammarOptions } = rendered;
  const ready = await engine.grammars.prepare(template.format, grammarOptions, given.signal);
  refuseDisposed(engine);
  return completeChat(engine, rendered, ready);
}

function renderChat(engine: ChatEngine, given: ChatOptions): RenderedChat {
  const checked = checkChatOptions(given);
  checked.signal?.throwIfAborted();
  refuseDisposed(engine);
  const options = { ...checked, messages: readMessages(checked.messages) };
  const { shelf, vocabulary } = engine;
  const tools = normalizeTools(options.tools ?? []);
  const template = shelf.learn(tools.length > 0);
  const { format } = template;
  const prompt = encodePrompt(
    template.source,
    {
      messages: options.messages,
      tools,
      ...optional('thinking', options.thinking),
      ...optional('templateVariables', options.templateVariables),
      ...optional('continueFinalMessage', options.continueFinalMessage),
      addGenerationPrompt: options.continueFinalMessage !== true,
      input: format.input,
      name: shelf.sources.name,
      ...shelf.specialTexts,
    },
    vocabulary,
    format,
  );
  const grammarOptions = { ...options, tools, generationPrompt: prompt.generationPrompt };
  return { options, tools, template, prompt, grammarOptions };
}

function completeChat(
  { model, vocabulary }: ChatEngine,
  { options, tools, template, prompt }: RenderedChat,
  { grammar, matcher }: ReadyGrammar,
): PreparedChat {
  if (matcher !== null) requireBuildable(matcher, model);
  const markers = markersOf(vocabulary, template.format);
  const parser = createParser({ template, prompt, grammar, markers, tools }, options);
  return { template, prompt, grammar, matcher, parser, markers };
}

function refuseDisposed(engine: ChatEngine): void {
  if (isDisposed(engine)) throw new ModelDisposedError({ model: engine.shelf.sources.name });
}

/** The context goes first. */
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
  }: Omit<PreparedChat, 'parser' | 'matcher'> & { readonly tools: readonly Tool[] },
  options: ChatOptions,
): ResponseParser {
  return createResponseParser(template.responseModule ?? template.format, {
    tools: options.toolChoice === 'none' ? [] : tools,
    generationPrompt: prompt.generationPrompt,
    createId: callIds(options.messages),
    ...optional('parallelToolCalls', options.parallelToolCalls),
    ...optional('reasoningFormat', options.reasoningFormat),
    ...optional('validate', argumentCheck(options.tools, options.policy) ?? undefined),
    // A grammar that is on from the start lets markers be spelled out, so they count in any spelling.
    specialTokens: grammar.expression === null || grammar.lazy ? markers.texts : [],
  });
}

/**
 * Ids for calls that the model writes none for: unlike those of earlier calls in the conversation, and of
 * nine letters and digits, as some templates demand.
 */
function callIds(messages: readonly Message[]): (index: number) => string {
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? (message.tool_calls ?? []) : [],
  );
  // A conversation whose beginning was left out has later numbers than its calls are many.
  const taken = new Set(calls.map(({ id }) => id));
  const free: string[] = [];
  let number = calls.length;
  return (index) => {
    while (free.length <= index) {
      number += 1;
      const id = `call${String(number).padStart(5, '0')}`;
      if (!taken.has(id)) free.push(id);
    }
    return free[index] ?? '';
  };
}

/**
 * The response to a prepared request, before its first token. `room`: tokens that the context has behind the
 * prompt. Beyond, the engine would drop the prompt's beginning.
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
    maxTokens: Math.min(options.maxTokens ?? unlimited, room),
    thinkingBudget: options.thinkingBudget ?? unlimited,
    generationPrompt: prepared.prompt.generationPrompt,
    reasoningStart: prepared.template.format.reasoning?.start.trimEnd() ?? '',
    reasoningEnd: prepared.template.format.reasoning?.end ?? '',
    plainText: options.toolChoice === 'none' && options.responseFormat === undefined,
    freeBehindCalls: isFreeBehindCalls(prepared.template.format, prepared.grammar),
  });
}

/** Texts behind which the turn is over; one that also is a part of the response's own markers tells nothing. */
function turnEnds({ stops, reasoning, content, calls, alternatives = {} }: ChatFormat): readonly string[] {
  const markers = JSON.stringify([reasoning, content, calls, alternatives]);
  return stops
    .map((stop) => stop.trimEnd())
    .filter((stop) => stop !== '' && !markers.includes(JSON.stringify(stop).slice(1, -1)));
}

/**
 * Whether text may follow a section of calls without a call hiding in it: every section begins with a
 * marker that triggers the grammar, and the grammar is complete only where a section is.
 */
export function isFreeBehindCalls({ calls }: ChatFormat, { lazy, triggers }: BuiltGrammar): boolean {
  if (calls === null || !lazy) return false;
  const { section, call } = calls;
  const opener = (section.open + call.open).trim();
  const known = triggers.some(({ value }) => value.startsWith(opener)) && triggers.every(isWord);
  return known && (section.open.trim() === '' || section.close.trim() !== '');
}

function isWord({ type }: Trigger): boolean {
  return type === 'word';
}

/** A field that is there only if it has a value. */
function optional<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { readonly [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]: Value });
}
