/**
 * Runs a conversation with tools: calls of the model are executed, their results are added to the conversation, and so
 * on until the model answers without a call.
 */
import { AnswerError, type SchemaIssue } from '../../../format/errors.ts';
import type { ToolChoice, ToolMessage } from '../../../format/messages.ts';
import { follow } from '../../../format/on-abort.ts';
import { isRecord, type OptionRule, requireOption } from '../../../format/option-rules.ts';
import type { ResponseFormat } from '../../../grammar/grammar-options.ts';
import type { ResponseMessage } from '../../../parser/events.ts';
import type { ToolCallOf, ToolList } from '../../../tools/tools.ts';
import { type AnswerOf, readAnswer } from '../answer.ts';
import type { ChatOptions } from '../chat-options.ts';
import { callsOf } from '../chat-stream.ts';
import { checkRunOptions } from '../check-chat-options.ts';
import { addUsage, noUsage } from '../token-usage.ts';
import { abandoned, canExecute, executeCall, notMade } from './execute-call.ts';
import type { CallOutcome } from './executor.ts';
import { OverruledCalls } from './overruled-calls.ts';
import { noRefusals, questionOf, refusalsOf, toHistory } from './refused-calls.ts';
import { RepeatedCalls } from './repeated-calls.ts';
import type { Conversation, RunEvent, RunFinish, ToolCaller } from './run-events.ts';
import type { RunToolsOptions } from './run-tools-options.ts';
import { isMet, type RunStep, stepOf } from './stop-conditions.ts';

const toolCaller: OptionRule = {
  expected: 'a model with chat(), as loadModel() returns it',
  allows: (value) => isRecord(value) && typeof value.chat === 'function',
};

const defaultMaxSteps = 8;
const defaultMaxRepeats = 2;

/** The answer of the last message; a run that ended with calls says why it has none. */
export async function answerOf(
  { last, reason }: Conversation,
  format: ResponseFormat | undefined,
): Promise<AnswerOf<ResponseFormat>> {
  const text = last.content ?? '';
  if (text === '' && format !== undefined && reason !== null && !['answer', 'length'].includes(reason))
    throw new AnswerError({ text, reason: `the run ended with ${reason}, before the model answered` });
  return readAnswer(last, format);
}

/** The report of the first response; if that only has the required tool, also the report of the following responses. */
export async function reportOf(model: ToolCaller, given: RunToolsOptions): Promise<readonly SchemaIssue[]> {
  requireOption('model', model, toolCaller);
  const chat = withoutRunOptions(checkRunOptions(given));
  const { toolChoice = 'auto' } = chat;
  const first = await model.chat(chat).report;
  if (typeof toolChoice === 'string' || toolChoice.type !== 'function') return first;
  const known = new Set(first.map((issue) => JSON.stringify(issue)));
  const later = await model.chat({ ...chat, toolChoice: withoutDemand(toolChoice) }).report;
  return [...first, ...later.filter((issue) => !known.has(JSON.stringify(issue)))];
}

/** Runs until the model answers; `leaving` is aborted when the reader leaves. */
export async function* converse(
  model: ToolCaller,
  given: RunToolsOptions,
  conversation: Conversation,
  leaving: AbortController,
): AsyncGenerator<RunEvent, Conversation> {
  requireOption('model', model, toolCaller);
  const options = checkRunOptions(given);
  const overruled = new OverruledCalls(options.askIfOverruled);
  const unlink = follow(leaving, options.signal);
  try {
    yield* answer(model, { ...options, toolSignal: leaving.signal, overruled }, conversation);
  } finally {
    unlink();
    if (conversation.reason === null) {
      leaving.abort();
      await leave(options, conversation);
    }
  }
  return conversation;
}

/** With the signal for tools, aborted with the run's own and when the run is left, and the calls in question. */
interface RunningOptions extends RunToolsOptions {
  readonly toolSignal: AbortSignal;
  readonly overruled: OverruledCalls;
}

async function* answer(
  model: ToolCaller,
  options: RunningOptions,
  conversation: Conversation,
): AsyncGenerator<RunEvent, void> {
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
    yield* respond(model, stepOptions(options, conversation, step), conversation, options.overruled);
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
  const { toolSignal, overruled, ...given } = options;
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
  overruled: OverruledCalls,
): AsyncGenerator<RunEvent, void> {
  const stream = model.chat(options);
  const reading = { stream, options, isCounted: false };
  conversation.reading = reading;
  for await (const event of stream) {
    if (event.type === 'finish') {
      reading.isCounted = true;
      conversation.cutShort = event.reason === 'length';
      conversation.usage = addUsage(conversation.usage, event.usage ?? noUsage);
    }
    overruled.note(event);
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
  { toolSignal: signal, overruled, ...options }: RunningOptions,
  conversation: Conversation,
): AsyncGenerator<RunEvent, readonly CallOutcome[]> {
  const carried = { ...options, signal };
  const running = new Map(
    calls.map((call, index) => {
      const questioned = overruled.questioned(call);
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
