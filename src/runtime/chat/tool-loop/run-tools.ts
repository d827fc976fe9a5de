/**
 * Answering with tools: the model calls, the calls are carried out, the model is told the results in its
 * template's own way, and so on until it answers without a call.
 */
import type { SchemaIssue } from '../../../format/errors.ts';
import type { Message, ToolChoice, ToolMessage } from '../../../format/messages.ts';
import { isRecord, type OptionRule, requireOption } from '../../../format/option-rules.ts';
import type { ResponseEvent, ResponseMessage, Usage } from '../../../parser/events.ts';
import type { ChatEvent, ToolCallOf, ToolList } from '../../../tools/tools.ts';
import type { ChatOptions } from '../chat-options.ts';
import { type ChatStream, callsOf, type ReadReport, unseen } from '../chat-stream.ts';
import { checkRunOptions } from '../check-chat-options.ts';
import { GeneratedStream } from '../generated-stream.ts';
import { follow } from '../on-abort.ts';
import { addUsage, noUsage } from '../token-usage.ts';
import { canExecute, executeCall } from './execute-call.ts';
import type { CallOutcome, ToolFailure, ToolResultOf } from './executor.ts';
import type { RunToolsOptions } from './run-tools-options.ts';

/** A response of the model begins. Offsets of events count within one step. */
export interface StepStart {
  readonly type: 'step-start';
  /** From 0. */
  readonly step: number;
}
/** The last event of a run. */
export interface RunFinish {
  readonly type: 'run-finish';
  /** Responses that were asked for. */
  readonly steps: number;
  /**
   * `answer`: the model answered without a call. `length`: a limit of tokens cut its last response short; of one
   * that was cut within a call, no call is carried out. `step-limit`: it would have gone on. `open-calls`: it
   * called tools that nothing here carries out; they are for the caller to answer.
   */
  readonly reason: 'answer' | 'length' | 'step-limit' | 'open-calls';
  /** What all responses cost together; what each did, its `finish` says. */
  readonly usage: Usage;
}

/** The events of all steps, one after the other. */
export type ToolRunEvent<Tools extends ToolList = ToolList> =
  | ChatEvent<Tools>
  | StepStart
  | ToolResultOf<Tools>
  | ToolFailure
  | RunFinish;

/** A run. It goes on as it is read, like a response: iterate over the events, or await `messages`, in this order. */
export interface ToolRun<Tools extends ToolList = ToolList> extends AsyncIterable<ToolRunEvent<Tools>> {
  /** The whole conversation, the given messages first. Rejects with whatever ended the run. */
  readonly messages: Promise<readonly Message[]>;
  /** The last message of the model. */
  readonly message: Promise<ResponseMessage>;
  /** What all responses cost together. */
  readonly usage: Promise<Usage>;
  /**
   * What the grammars of its responses enforce otherwise than the schemas say; empty when nothing. Known before
   * the first token, so reading it reads nothing of the run. Rejects with what keeps a response from beginning.
   */
  readonly report: Promise<readonly SchemaIssue[]>;
}

/** What a run needs of a model. */
export interface ToolCaller {
  /** One response, as `ChatModel.chat` gives it. */
  chat(options: ChatOptions): ChatStream;
}

const toolCaller: OptionRule = {
  expected: 'a model with chat(), as loadModel() returns it',
  allows: (value) => isRecord(value) && typeof value.chat === 'function',
};

const defaultMaxSteps = 8;

/** Starts a run; nothing happens until it is read. */
export function runTools<const Tools extends ToolList>(
  model: ToolCaller,
  options: RunToolsOptions<Tools>,
): ToolRun<Tools> {
  // Which tools there are is for the types; at run time one list is like another.
  return new GeneratedToolRun(model, options as unknown as RunToolsOptions) as unknown as ToolRun<Tools>;
}

type Event = ResponseEvent | Exclude<ToolRunEvent, ResponseEvent>;

/** Where a conversation stands. */
interface Conversation {
  readonly messages: Message[];
  last: ResponseMessage;
  usage: Usage;
  /** A limit of tokens ended the last response. */
  cutShort: boolean;
}

class GeneratedToolRun extends GeneratedStream<Event, Conversation> {
  readonly #readReport: ReadReport;

  constructor(model: ToolCaller, options: RunToolsOptions) {
    const conversation: Conversation = {
      messages: [],
      last: { role: 'assistant', content: null },
      usage: noUsage,
      cutShort: false,
    };
    super(converse(model, options, conversation), () => conversation);
    this.#readReport = () => reportOf(model, options);
  }

  get messages(): Promise<readonly Message[]> {
    return this.part(({ messages }) => messages);
  }

  get message(): Promise<ResponseMessage> {
    return this.part(({ last }) => last);
  }

  get usage(): Promise<Usage> {
    return this.part(({ usage }) => usage);
  }

  get report(): Promise<readonly SchemaIssue[]> {
    return unseen(this.#readReport());
  }
}

/** The report of the first response; if that has but the tool that is demanded, also of those that follow. */
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
): AsyncGenerator<Event, Conversation> {
  requireOption('model', model, toolCaller);
  const options = checkRunOptions(given);
  const leaving = new AbortController();
  const unlink = follow(leaving, options.signal);
  let isOver = false;
  try {
    yield* answer(model, { ...options, toolSignal: leaving.signal }, conversation);
    isOver = true;
  } finally {
    unlink();
    // Nobody waits any more for calls that are still being carried out.
    if (!isOver) leaving.abort();
  }
  return conversation;
}

/** With the signal that tools are given: aborted with the run's own, and when the run is left. */
interface RunningOptions extends RunToolsOptions {
  readonly toolSignal: AbortSignal;
}

async function* answer(
  model: ToolCaller,
  options: RunningOptions,
  conversation: Conversation,
): AsyncGenerator<Event, void> {
  conversation.messages.push(...options.messages);
  const { maxSteps = defaultMaxSteps } = options;
  let reason: RunFinish['reason'] = 'step-limit';
  let step = 0;
  while (step < maxSteps && reason === 'step-limit') {
    yield { type: 'step-start', step };
    yield* respond(model, stepOptions(options, conversation, step), conversation);
    step += 1;
    const calls = callsOf(conversation.last);
    const able = cutWithin(conversation) ? [] : calls.filter((call) => canExecute(call, options));
    yield* carryOut(able, options, conversation);
    if (conversation.cutShort) reason = 'length';
    else if (calls.length === 0) reason = 'answer';
    else if (able.length < calls.length) reason = 'open-calls';
  }
  yield { type: 'run-finish', steps: step, reason, usage: conversation.usage };
}

/** The limit fell on a call: those before it are of a message that was meant to say more. */
function cutWithin({ cutShort, last }: Conversation): boolean {
  return cutShort && last.malformed !== undefined;
}

/** What was demanded of the first response is not demanded of those that follow: else none could answer. */
function stepOptions(options: RunningOptions, { messages }: Conversation, step: number): ChatOptions {
  const { toolSignal, ...given } = options;
  const chat = withoutRunOptions(given);
  if (step === 0) return { ...chat, messages };
  const { toolChoice = 'auto', continueFinalMessage, ...later } = chat;
  return { ...later, messages, toolChoice: withoutDemand(toolChoice) };
}

/** What only the run is told is taken out: a chat refuses options that it does not know. */
function withoutRunOptions({
  execute: _,
  maxSteps: __,
  toolTimeoutMs: ___,
  toolRetries: ____,
  ...chat
}: RunToolsOptions): ChatOptions {
  return chat;
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
  for await (const event of stream) {
    if (event.type === 'finish') {
      conversation.cutShort = event.reason === 'length';
      conversation.usage = addUsage(conversation.usage, event.usage ?? noUsage);
    }
    yield event;
  }
  conversation.last = await stream.message;
  if (options.continueFinalMessage === true) conversation.messages.pop();
  conversation.messages.push(toHistory(conversation.last));
}

/** A message as it goes into the next prompt. */
function toHistory({ malformed: _, ...message }: ResponseMessage): Message {
  return message;
}

/** Carries out calls at the same time; events come in the order in which they end, results in the calls'. */
async function* carryOut(
  calls: readonly ToolCallOf<ToolList>[],
  { toolSignal: signal, ...options }: RunningOptions,
  conversation: Conversation,
): AsyncGenerator<Event, void> {
  const carried = { ...options, signal };
  const running = new Map(
    calls.map((call, index) => [index, executeCall(call, carried).then((outcome) => ({ index, outcome }))]),
  );
  const results: ToolMessage[] = [];
  while (running.size > 0) {
    const { index, outcome } = await Promise.race(running.values());
    running.delete(index);
    results[index] = toMessage(outcome);
    yield outcome;
  }
  conversation.messages.push(...results);
}

function toMessage({ toolCallId, toolName, content }: CallOutcome): ToolMessage {
  return { role: 'tool', tool_call_id: toolCallId, name: toolName, content };
}
