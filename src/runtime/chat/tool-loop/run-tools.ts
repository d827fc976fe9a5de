/**
 * Runs a conversation with tools: calls of the model are executed, their results are added to the conversation, and so
 * on until the model answers without a call.
 */
import { AnswerError, type SchemaIssue } from '../../../format/errors.ts';
import type { Message, ToolChoice, ToolMessage } from '../../../format/messages.ts';
import { follow } from '../../../format/on-abort.ts';
import { isRecord, type OptionRule, requireOption } from '../../../format/option-rules.ts';
import type { ResponseFormat } from '../../../grammar/grammar-options.ts';
import type { ResponseEvent, ResponseMessage, Usage } from '../../../parser/events.ts';
import type { ChatEvent, ToolCallOf, ToolList } from '../../../tools/tools.ts';
import { type AnswerOf, readAnswer } from '../answer.ts';
import type { ChatOptions } from '../chat-options.ts';
import { type ChatStream, callsOf, type ReadReport, unseen } from '../chat-stream.ts';
import { checkRunOptions } from '../check-chat-options.ts';
import { GeneratedStream } from '../generated-stream.ts';
import { addUsage, noUsage } from '../token-usage.ts';
import { abandoned, canExecute, executeCall, notMade } from './execute-call.ts';
import type { CallOutcome, ToolFailure, ToolResultOf } from './executor.ts';
import { OverruledCalls } from './overruled-calls.ts';
import { noRefusals, questionOf, refusalsOf, toHistory } from './refused-calls.ts';
import { RepeatedCalls } from './repeated-calls.ts';
import type { RunToolsOptions } from './run-tools-options.ts';
import { isMet, type RunStep, stepOf } from './stop-conditions.ts';

/** A response of the model begins. Offsets of events refer to one step. */
export interface StepStart {
  readonly type: 'step-start';
  /** From 0. */
  readonly step: number;
}
/** The last event of a run. */
export interface RunFinish {
  readonly type: 'run-finish';
  /** Number of responses. */
  readonly steps: number;
  /**
   * `answer`: the model answered without a call. `length`: a limit of tokens cut off its last response; if that was
   * inside a call, no call is executed. `step-limit`: the limit of responses was reached. `repeated-calls`: it made the
   * same calls again and again, although their results, which were the same, too, were at hand. `open-calls`: it called
   * tools without an `execute`, which the caller must answer. `stop-when`: a condition of `stopWhen` held.
   */
  readonly reason: 'answer' | 'length' | 'step-limit' | 'repeated-calls' | 'open-calls' | 'stop-when';
  /** The sum of all responses; each `finish` has its own usage. */
  readonly usage: Usage;
}

/** The events of all steps, in order. */
export type ToolRunEvent<Tools extends ToolList = ToolList> =
  | ChatEvent<Tools>
  | StepStart
  | ToolResultOf<Tools>
  | ToolFailure
  | RunFinish;

/**
 * A tool run. Like a response, it advances as it is read: iterate over the events, or await `messages`, in this order.
 */
export interface ToolRun<Tools extends ToolList = ToolList, Format extends ResponseFormat = ResponseFormat>
  extends AsyncIterable<ToolRunEvent<Tools>> {
  /** The events. Its `return` leaves the run at once, also while a loop waits for a tool. */
  [Symbol.asyncIterator](): AsyncIterableIterator<ToolRunEvent<Tools>>;
  /**
   * The whole conversation, beginning with the given messages. If the loop was left, with what was written so far, and
   * with a result for each call that says so of those that have none. Rejects with whatever ended the run.
   */
  readonly messages: Promise<readonly Message[]>;
  /** The model's last message. */
  readonly message: Promise<ResponseMessage>;
  /** The last message's answer to `responseFormat`, as `ChatStream.object` gives it. */
  readonly object: Promise<AnswerOf<Format>>;
  /** The tokens of all responses together. */
  readonly usage: Promise<Usage>;
  /**
   * Where the grammars of its responses differ from the schemas; empty if they do not. Known before the first token,
   * so reading it does not start the run. Rejects with whatever prevents a response.
   */
  readonly report: Promise<readonly SchemaIssue[]>;
  /** The events as a stream; cancelling it ends the run. In place of iterating. */
  toReadableStream(): ReadableStream<ToolRunEvent<Tools>>;
  /** The events as an HTTP response, as `ChatStream` has it. */
  toResponse(init?: ResponseInit): Response;
}

/** What a run needs from a model. */
export interface ToolCaller {
  /** One response, as from `ChatModel.chat`. */
  chat(options: ChatOptions): ChatStream;
}

const toolCaller: OptionRule = {
  expected: 'a model with chat(), as loadModel() returns it',
  allows: (value) => isRecord(value) && typeof value.chat === 'function',
};

const defaultMaxSteps = 8;
const defaultMaxRepeats = 2;

/** Starts a run; nothing happens until it is read. */
export function runTools<const Tools extends ToolList, const Format extends ResponseFormat = ResponseFormat>(
  model: ToolCaller,
  options: RunToolsOptions<Tools, Format>,
): ToolRun<Tools, Format> {
  // The types of tools and answer matter only to the type checker.
  const run: unknown = new GeneratedToolRun(model, options as unknown as RunToolsOptions);
  return run as ToolRun<Tools, Format>;
}

type Event = ResponseEvent | Exclude<ToolRunEvent, ResponseEvent>;

/** A response that is read, of which `finish` has come if its tokens are counted. */
interface Reading {
  readonly stream: ChatStream;
  readonly options: ChatOptions;
  isCounted: boolean;
}

/** The state of a conversation. */
interface Conversation {
  readonly messages: Message[];
  last: ResponseMessage;
  usage: Usage;
  /** The response that is read. */
  reading: Reading | null;
  /** Why it ended; `null` before that. */
  reason: RunFinish['reason'] | null;
  /** Whether a limit of tokens ended the last response. */
  cutShort: boolean;
  readonly overruled: OverruledCalls;
}

class GeneratedToolRun extends GeneratedStream<Event, Conversation> {
  readonly #readReport: ReadReport;
  readonly #format: ResponseFormat | undefined;

  constructor(model: ToolCaller, options: RunToolsOptions) {
    const conversation: Conversation = {
      messages: [],
      last: { role: 'assistant', content: null },
      usage: noUsage,
      reading: null,
      reason: null,
      cutShort: false,
      overruled: new OverruledCalls((options as typeof options | undefined)?.askIfOverruled),
    };
    const leaving = new AbortController();
    super(
      converse(model, options, conversation, leaving),
      () => conversation,
      // What still runs is no longer needed.
      () => leaving.abort(),
    );
    this.#readReport = () => reportOf(model, options);
    // Callers in JavaScript may pass nothing, which is rejected when the run is read.
    this.#format = (options as typeof options | undefined)?.responseFormat;
  }

  get messages(): Promise<readonly Message[]> {
    return this.part(({ messages }) => messages);
  }

  get message(): Promise<ResponseMessage> {
    return this.part(({ last }) => last);
  }

  get object(): Promise<AnswerOf<ResponseFormat>> {
    return unseen(this.result.then((conversation) => answerOf(conversation, this.#format)));
  }

  get usage(): Promise<Usage> {
    return this.part(({ usage }) => usage);
  }

  get report(): Promise<readonly SchemaIssue[]> {
    return unseen(this.#readReport());
  }
}

/** The answer of the last message; a run that ended with calls says why it has none. */
async function answerOf(
  { last, reason }: Conversation,
  format: ResponseFormat | undefined,
): Promise<AnswerOf<ResponseFormat>> {
  const text = last.content ?? '';
  if (text === '' && format !== undefined && reason !== null && !['answer', 'length'].includes(reason))
    throw new AnswerError({ text, reason: `the run ended with ${reason}, before the model answered` });
  return readAnswer(last, format);
}

/** The report of the first response; if that only has the required tool, also the report of the following responses. */
async function reportOf(model: ToolCaller, given: RunToolsOptions): Promise<readonly SchemaIssue[]> {
  requireOption('model', model, toolCaller);
  const chat = withoutRunOptions(checkRunOptions(given));
  const { toolChoice = 'auto' } = chat;
  const first = await model.chat(chat).report;
  if (typeof toolChoice === 'string' || toolChoice.type !== 'function') return first;
  const known = new Set(first.map((issue) => JSON.stringify(issue)));
  const later = await model.chat({ ...chat, toolChoice: withoutDemand(toolChoice) }).report;
  return [...first, ...later.filter((issue) => !known.has(JSON.stringify(issue)))];
}

async function* converse(
  model: ToolCaller,
  given: RunToolsOptions,
  conversation: Conversation,
  leaving: AbortController,
): AsyncGenerator<Event, Conversation> {
  requireOption('model', model, toolCaller);
  const options = checkRunOptions(given);
  const unlink = follow(leaving, options.signal);
  try {
    yield* answer(model, { ...options, toolSignal: leaving.signal }, conversation);
  } finally {
    unlink();
    if (conversation.reason === null) {
      leaving.abort();
      await leave(options, conversation);
    }
  }
  return conversation;
}

/** With the signal for tools: aborted with the run's own, and when the run is left. */
interface RunningOptions extends RunToolsOptions {
  readonly toolSignal: AbortSignal;
}

async function* answer(
  model: ToolCaller,
  options: RunningOptions,
  conversation: Conversation,
): AsyncGenerator<Event, void> {
  for (const message of options.messages) conversation.messages.push(message);
  const { stopWhen, maxRepeats = defaultMaxRepeats } = options;
  const { maxSteps = stopWhen === undefined ? defaultMaxSteps : Number.POSITIVE_INFINITY } = options;
  const steps: RunStep[] = [];
  const repeated = new RepeatedCalls();
  let reason: RunFinish['reason'] = 'step-limit';
  let step = 0;
  let hasAsked = options.askAgain !== true;
  while (step < maxSteps && reason === 'step-limit') {
    yield { type: 'step-start', step };
    yield* respond(model, stepOptions(options, conversation, step), conversation);
    step += 1;
    steps.push(stepOf(conversation.last));
    const calls = callsOf(conversation.last);
    const able = cutWithin(conversation) ? [] : calls.filter((call) => canExecute(call, options));
    const refused = conversation.cutShort ? noRefusals : refusalsOf(conversation.last);
    const asked = hasAsked || conversation.cutShort ? [] : questionOf(conversation.last);
    hasAsked ||= asked.length > 0;
    const messages = [...refused.messages, ...asked];
    yield* refused.outcomes;
    const outcomes = yield* carryOut(able, options, conversation);
    const repeats = repeated.note(able, outcomes);
    conversation.messages.push(...messages);
    if (conversation.cutShort) reason = 'length';
    else if (able.length < calls.length) reason = 'open-calls';
    else if (calls.length === 0 && messages.length === 0) reason = 'answer';
    else if (repeats >= maxRepeats) reason = 'repeated-calls';
    else if (await isMet(stopWhen, steps)) reason = 'stop-when';
  }
  conversation.reason = reason;
  yield { type: 'run-finish', steps: step, reason, usage: conversation.usage };
}

/** Whether the limit cut off a call; the calls before it belong to an incomplete message. */
function cutWithin({ cutShort, last }: Conversation): boolean {
  return cutShort && last.malformed !== undefined;
}

/** A required call applies only to the first response; otherwise no response could be the answer. */
function stepOptions(options: RunningOptions, { messages }: Conversation, step: number): ChatOptions {
  const { toolSignal, ...given } = options;
  const chat = withoutRunOptions(given);
  if (step === 0) return { ...chat, messages };
  const { toolChoice = 'auto', continueFinalMessage, ...later } = chat;
  return { ...later, messages, toolChoice: withoutDemand(toolChoice) };
}

/** Removes the options of the run, which a chat would reject. */
function withoutRunOptions({
  execute: _,
  maxSteps: __,
  stopWhen: _______,
  maxRepeats: ______,
  toolTimeoutMs: ___,
  toolRetries: ____,
  askAgain: _____,
  askIfOverruled,
  ...chat
}: RunToolsOptions): ChatOptions {
  return askIfOverruled === undefined ? chat : { ...chat, tellOverruled: true };
}

function withoutDemand(choice: ToolChoice): ToolChoice {
  if (typeof choice === 'string') return choice === 'required' ? 'auto' : choice;
  if (choice.type === 'function') return 'auto';
  return { ...choice, allowed_tools: { ...choice.allowed_tools, mode: 'auto' } };
}

async function* respond(
  model: ToolCaller,
  options: ChatOptions,
  conversation: Conversation,
): AsyncGenerator<Event, void> {
  const stream = model.chat(options);
  const reading = { stream, options, isCounted: false };
  conversation.reading = reading;
  for await (const event of stream) {
    if (event.type === 'finish') {
      reading.isCounted = true;
      conversation.cutShort = event.reason === 'length';
      conversation.usage = addUsage(conversation.usage, event.usage ?? noUsage);
    }
    conversation.overruled.note(event);
    yield event;
  }
  addMessage(await stream.message, conversation);
}

/** Adds the message of the response that was read. */
function addMessage(message: ResponseMessage, conversation: Conversation): void {
  const { messages, cutShort, reading } = conversation;
  conversation.last = message;
  if (reading?.options.continueFinalMessage === true) messages.pop();
  messages.push(toHistory(message, cutShort));
  conversation.reading = null;
}

/**
 * The run was left: adds what the model wrote so far, and a result for each of its calls that would have been executed,
 * so that the conversation can go on.
 */
async function leave(options: RunToolsOptions, conversation: Conversation): Promise<void> {
  const { reading, messages } = conversation;
  // If it is rejected, that is what ended the run.
  const written = (await reading?.stream.message.catch(() => null)) ?? null;
  if (reading?.isCounted === false && written !== null)
    conversation.usage = addUsage(conversation.usage, await reading.stream.usage);
  if (written !== null && !isEmpty(written)) addMessage(written, conversation);
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const answered = new Set(
    messages.slice(last).map((message) => message.role === 'tool' && message.tool_call_id),
  );
  const open = callsOf(conversation.last).filter(
    (call) => !answered.has(call.id) && canExecute(call, options),
  );
  messages.push(...open.map((call) => toMessage(notMade(call))));
}

function isEmpty({
  content,
  reasoning_content: thoughts = '',
  tool_calls: calls = [],
}: ResponseMessage): boolean {
  return (content ?? '') === '' && thoughts === '' && calls.length === 0;
}

/** Executes calls concurrently; events come in order of completion, results in the order of the calls, also those returned. */
async function* carryOut(
  calls: readonly ToolCallOf<ToolList>[],
  { toolSignal: signal, ...options }: RunningOptions,
  conversation: Conversation,
): AsyncGenerator<Event, readonly CallOutcome[]> {
  const carried = { ...options, signal };
  const running = new Map(
    calls.map((call, index) => {
      const questioned = conversation.overruled.questioned(call);
      const outcome = questioned === null ? executeCall(call, carried) : Promise.resolve(questioned);
      return [index, outcome.then((done) => ({ index, outcome: done }))];
    }),
  );
  const outcomes: CallOutcome[] = [];
  try {
    while (running.size > 0) {
      const { index, outcome } = await Promise.race(running.values());
      running.delete(index);
      outcomes[index] = outcome;
      yield outcome;
    }
  } finally {
    // Some are missing if the run is left.
    conversation.messages.push(...calls.map((call, index) => toMessage(outcomes[index] ?? abandoned(call))));
  }
  return outcomes;
}

function toMessage({
  toolCallId,
  toolName,
  content,
}: Pick<CallOutcome, 'toolCallId' | 'toolName' | 'content'>): ToolMessage {
  return { role: 'tool', tool_call_id: toolCallId, name: toolName, content };
}
