/** One chat request to a server: its prompt, grammar and parser, and as many completions as necessary. */

import { ContextOverflowError, type SchemaIssue, ServerError } from '../format/errors.ts';
import { once } from '../format/memoize.ts';
import type { Tool } from '../format/messages.ts';
import { type BuiltGrammar, freeGrammar } from '../grammar/built-grammar.ts';
import type { ResponseFormat } from '../grammar/grammar-options.ts';
import type { StructuralTag } from '../grammar/structural-tag/structural-tag.ts';
import { finish, finishInTurns, startAndFinishInTurns } from '../language/expression/steps.ts';
import type { Matcher } from '../language/matcher/matcher.ts';
import type { ResponseEvent, ResponseMessage } from '../parser/events.ts';
import { type ChatReading, readingOf, readRequest, steeringOf } from '../runtime/chat/chat-front.ts';
import { isPlainText } from '../runtime/chat/chat-request.ts';
import { type ChatSource, type ChatStream, streamChat } from '../runtime/chat/chat-stream.ts';
import { enforcesNothing, type LateEnforcement } from '../runtime/chat/enforcement/late-enforcement.ts';
import type { TemplateCache } from '../runtime/chat/learned-template.ts';
import { reportUnprotected, type TracedPrompt } from '../runtime/chat/prompt-pieces.ts';
import { turnEnds } from '../runtime/chat/steering/turn-ends.ts';
import type { LearnedTemplate } from '../runtime/chat/template-reader.ts';
import { reportDropped } from '../template/prompt/dropped-data.ts';
import { fillMarks } from '../tools/picture-marks.ts';
import type { ToolList } from '../tools/tools.ts';
import { checkServerChatOptions } from './check-server-options.ts';
import { inOneCompletion, isAtOnce, picturedPrompt, reportBroken } from './pictured-chat.ts';
import { canPass, hasPictures, lineOf, markPictures } from './pictures.ts';
import type { PromptEncoder } from './prompt-encoder.ts';
import type { ServerDialect } from './server-dialect.ts';
import type { ServerChatOptions } from './server-options.ts';
import type { ServerPool } from './server-pool.ts';
import { ServerRun } from './server-run.ts';

/** What the chats with one server share. */
export interface ServerEngine {
  readonly servers: ServerPool;
  readonly dialect: ServerDialect;
  /** The model's name in requests. */
  readonly model: string | null;
  readonly contextSize: number;
  /** Whether it enforces structural tags, so that a response with calls takes one completion. */
  readonly takesTags: boolean;
  /** Whether its model sees pictures. */
  readonly vision: boolean;
  readonly encoder: PromptEncoder;
  readonly templates: TemplateCache;
  readonly enforcement: LateEnforcement;
}

/** A request, prepared up to its first token. */
interface PreparedServerChat extends ChatReading {
  readonly options: ServerChatOptions;
  readonly template: LearnedTemplate;
  readonly tools: readonly Tool[];
  /** With marks for `pictures`. */
  readonly prompt: TracedPrompt;
  /** The addresses of what the model sees. */
  readonly pictures: readonly string[];
  /** Results without a call, pictures that are not seen, and what is not kept for those that are, for the report. */
  readonly notes: readonly SchemaIssue[];
  readonly grammar: BuiltGrammar;
  readonly matcher: Matcher | null;
  /** The whole response; `null` if nothing is enforced, or the server gets grammars instead. */
  readonly structuralTag: StructuralTag | null;
}

/** Begins a chat, which runs as the stream is read. */
export function startServerChat<Tools extends ToolList, Format extends ResponseFormat>(
  engine: ServerEngine,
  options: ServerChatOptions<Tools, Format>,
): ChatStream<Tools, Format> {
  const prepare = once(() => prepareServerChat(engine, options));
  const encode = once(async () => {
    const { prompt, options: checked } = await prepare();
    return engine.encoder.encode(prompt, checked.signal);
  });
  const report = async (): Promise<readonly SchemaIssue[]> => {
    const { grammar, prompt, template, notes, options: checked, pictures } = await prepare();
    const dropped = await finishInTurns(reportDropped(checked.messages, prompt.text), checked.signal);
    if (pictures.length > 0) await encode();
    const broken = pictures.length > 0 ? reportBroken(prompt, engine.encoder.specials) : [];
    const known = [...grammar.report, ...notes, ...dropped, ...broken];
    const unprotected = () => finish(reportUnprotected(prompt, template.format, engine.encoder.specials));
    if (unprotected().length === 0) return known;
    // They may just not be known yet: the tokens of the prompt show which texts are special.
    await encode();
    return [...known, ...unprotected()];
  };
  const source: ChatSource = {
    generate: (started) => generate(engine, prepare, encode, started),
    report,
    prompt: async () => {
      const { prompt, pictures } = await prepare();
      return fillMarks(prompt.text, pictures, lineOf);
    },
    // How many a picture takes is only known to its server.
    promptTokens: async () => ((await prepare()).pictures.length > 0 ? null : (await encode()).length),
  };
  return streamChat(source, options);
}

async function* generate(
  engine: ServerEngine,
  prepare: () => Promise<PreparedServerChat>,
  encode: () => Promise<readonly number[]>,
  started: (run: ServerRun) => void,
): AsyncGenerator<ResponseEvent, ResponseMessage> {
  const prepared = await prepare();
  const { signal } = prepared.options;
  const prompt = await encode();
  const room = engine.contextSize - prompt.length;
  if (room <= 0) throw new ContextOverflowError({ needed: prompt.length + 1, available: engine.contextSize });
  const run = createServerRun(prepared, room);
  started(run);
  run.follow(prompt.length, null);
  const opening = run.start();
  yield* opening.events;
  for (let { next } = opening; next === 'ask-again'; ) next = yield* complete(engine, prepared, prompt, run);
  const { events, message } = run.finish();
  yield* events;
  signal?.throwIfAborted();
  return message;
}

/** One completion after everything written so far; returns what to do next. */
async function* complete(
  engine: ServerEngine,
  prepared: PreparedServerChat,
  prompt: readonly number[],
  run: ServerRun,
): AsyncGenerator<ResponseEvent, 'ask-again' | 'over'> {
  const { servers, dialect, model, encoder, contextSize, takesTags } = engine;
  const { options, template, structuralTag, pictures } = prepared;
  const isPictured = pictures.length > 0;
  const shown = isPictured ? picturedPrompt(prepared, engine, run.text) : null;
  const isOpenEnded = isPictured && options.maxTokens === undefined;
  const { signal } = options;
  const { grammar } = run;
  // It describes what follows the prompt, not what follows half a response.
  const whole = run.text === '' && !run.strayed ? structuralTag : null;
  // Penalties and biases would count within a call, too.
  run.ask(grammar === null && !changesFreeText(options), whole !== null && grammar !== null);
  const written = await encoder.encodeInside(run.text, signal);
  // The written text may have more tokens by now, because of closed thoughts and different tokenisation.
  const room = contextSize - prompt.length - written.length;
  if (room <= 0) return run.cutOff();
  // Without tools and a schema, `stop` counts under a grammar, too.
  const free = grammar === null || isPlainText(options);
  const request = {
    prompt: [...prompt, ...written],
    pictured: shown,
    grammar: takesTags ? null : grammar,
    structuralTag: whole ?? (takesTags ? await tagOfRest(run) : null),
    // Inside a call they are ordinary text, and a grammar decides itself where to end. The caller's stops are searched
    // here: a server would find them in thoughts and markers, too.
    stops: free ? turnEnds(template.format) : [],
    preservedTokens: template.format.preservedTokens,
    // A server rejects more than fit after its pictures.
    maxTokens: isOpenEnded ? null : Math.min(run.tokensLeft, room),
    free,
    sampling: samplingOf(options, run.tries),
    logprobs: options.logprobs ?? null,
  };
  const question = dialect.complete(request, model);
  try {
    for await (const piece of servers.stream(question, conversationOf(options), signal)) {
      // Later requests only find in the cache what this one has put there.
      if (written.length === 0) run.follow(piece.promptTokens ?? prompt.length, piece.cachedTokens ?? null);
      const { events, next } = run.take(piece);
      yield* events;
      if (next === 'ask-again') await startAndFinishInTurns(run.rewind(), signal);
      if (next !== 'go-on') return next;
    }
  } catch (error) {
    // Another request continues what was written, on another server if there is one.
    const isBroken = error instanceof ServerError && error.transient;
    if (!isBroken || isAtOnce(prepared, dialect) || !run.mayContinue(servers.retries)) throw error;
    return 'ask-again';
  }
  return 'over';
}

/** The beginning of a conversation, which stays the same while it grows: up to the first user message. */
function conversationOf({ messages, cacheSalt = '' }: ServerChatOptions): string {
  const first = messages.findIndex(({ role }) => role === 'user');
  return `${cacheSalt}\n${JSON.stringify(messages.slice(0, first + 1))}`;
}

/** After an invalid value, the temperature is at least this: the same again would be equally invalid. */
const warm = 0.7;

/** The sampling options after this many attempts. */
function samplingOf(options: ServerChatOptions, tries: number): ServerChatOptions {
  if (tries === 0) return options;
  const { temperature = 0, seed } = options;
  const again = { ...options, temperature: Math.max(temperature, warm) };
  return seed === undefined ? again : { ...again, seed: seed + tries };
}

/**
 * Renders the prompt, builds the grammar and checks options. Throws the typed errors of all three before the server is
 * asked for a token.
 */
export async function prepareServerChat(
  { templates, enforcement: late, dialect, takesTags, vision }: ServerEngine,
  wished: ServerChatOptions,
): Promise<PreparedServerChat> {
  const checked = checkServerChatOptions(wished, dialect);
  const passes = (address: string): boolean => vision && canPass(address, dialect.pictures);
  const seen = hasPictures(checked.messages) ? markPictures(checked.messages, passes) : null;
  const given = { ...checked, ...(seen && { messages: seen.messages }) };
  const request = await finishInTurns(readRequest(given, templates), checked.signal);
  const { pictures = [], report: unseen = [] } = seen ?? {};
  const { options, dropped } = isAtOnce({ pictures }, dialect)
    ? inOneCompletion(request.options)
    : { ...request, dropped: [] };
  const { tools, template, strays } = request;
  const prompt = await finishInTurns(request.render(options.messages), options.signal);
  const { generationPrompt } = prompt;
  const wanted = { ...options, tools, generationPrompt, bareCalls: true };
  const { format } = template;
  const enforcement = enforcesNothing(options, tools) ? null : await late.load();
  const made = await enforcement?.prepare(format, wanted, options.signal);
  const { grammar, matcher } = made ?? { grammar: freeGrammar(format), matcher: null };
  const steps = readingOf({ ...request, options }, enforcement, wanted, grammar);
  const reading = await finishInTurns(steps, options.signal);
  const isTagged = enforcement !== null && takesTags && !(grammar.lazy && changesFreeText(options));
  const tagged = isTagged ? (await import('./server-tags.ts')).tagOf(format, wanted, grammar) : null;
  const enforced = { matcher: tagged?.matcher ?? matcher, structuralTag: tagged?.tag ?? null };
  const notes = [...strays, ...unseen, ...dropped];
  return { ...reading, options, tools, template, prompt, pictures, notes, grammar, ...enforced };
}

/** Penalties and biases apply only in free text, which a single completion for the whole response cannot separate. */
function changesFreeText(options: ServerChatOptions): boolean {
  const { repeatPenalty = 1, frequencyPenalty = 0, presencePenalty = 0, dry, xtc, logitBias } = options;
  const isPenalised = repeatPenalty !== 1 || frequencyPenalty !== 0 || presencePenalty !== 0;
  return isPenalised || dry !== undefined || xtc !== undefined || logitBias !== undefined;
}

async function tagOfRest({ rest }: ServerRun): Promise<StructuralTag | null> {
  return rest === null ? null : (await import('./server-tags.ts')).tagOfGrammar(rest);
}

function createServerRun(
  { options, template, grammar, matcher, answerStart, parser, guard, restOf, checks }: PreparedServerChat,
  room: number,
): ServerRun {
  const steering = steeringOf(template, options, room);
  return new ServerRun({ ...steering, grammar, matcher, answerStart, parser, guard, restOf, checks });
}
