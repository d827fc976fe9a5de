/** What must hold of every row, whatever the model did: complete and valid, cut, or told. */
import { isValidAnswer, Validity } from '../../../scripts/judge-models/asking/validity.ts';
import { answerSchema, boundedTools } from '../../../scripts/judge-models/insisting/wrong-texts.ts';
import { DecodingError, IdiolectError } from '../../../src/format/errors.ts';
import { foldEvents } from '../../../src/parser/assistant-message.ts';
import type { AnyResponseEvent, ResponseMessage, Usage } from '../../../src/parser/events.ts';
import type { Handed } from './handed.ts';
import type { Told } from './models.ts';
import { begunThoughts, callsOf } from './request.ts';
import { nextAnswer, type RowOutcome } from './run-row.ts';

const validity = new Validity(boundedTools);
/** Tokens of markers count as thoughts, and one token may hold several characters of them. */
const markerTokens = 60;

/** What is wrong with a row, one line each; none if all holds. */
export function problemsOf(outcome: RowOutcome): readonly string[] {
  const chats = outcome.told.flatMap((told) => chatProblems(outcome, told));
  return [
    ...new Set([
      ...chats,
      ...refusalProblems(outcome),
      ...exchangeProblems(outcome),
      ...nextProblems(outcome),
    ]),
  ];
}

/** What has no prompt has no answer: otherwise nobody has seen what was asked. */
function refusalProblems({ refusal, told }: RowOutcome): readonly string[] {
  if (refusal === null || told.every(({ error }) => error instanceof IdiolectError)) return [];
  return [`the chat answers a request whose preview is refused: ${refusal.message}`];
}

function chatProblems(outcome: RowOutcome, { events, message, usage, error }: Told): readonly string[] {
  if (error !== null || message === null) return errorProblems(error, events);
  return [
    ...callProblems(outcome, message),
    ...answerProblems(outcome, message, events),
    ...foldProblems(message, events),
    ...(usage === null ? [] : usageProblems(outcome, usage, events)),
    ...conformingProblems(outcome, message),
  ];
}

/** A request may be refused, with a reason, before the first token; nothing else may be thrown. */
function errorProblems(error: unknown, events: readonly AnyResponseEvent[]): readonly string[] {
  if (!(error instanceof IdiolectError)) return [`an untyped error: ${String(error)}`];
  if (error instanceof DecodingError || events.length > 0) return [`thrown: ${error.message}`];
  return [];
}

function callProblems({ row, options }: RowOutcome, message: ResponseMessage): readonly string[] {
  const { tool_calls: calls = [] } = message;
  const problems: string[] = [];
  if (calls.length > 0 && callsOf(row) === 'never' && row.prefill !== 'answer')
    problems.push('a call that was not asked for');
  if (calls.length > 1 && options.parallelToolCalls === false)
    problems.push('several calls where one is allowed');
  if (new Set(calls.map(({ id }) => id)).size < calls.length) problems.push('two calls with one id');
  for (const { function: called, assurance } of calls) {
    const call = { name: called.name, arguments: JSON.parse(called.arguments) };
    if (row.tools === 'named' && call.name !== 'get_weather') problems.push(`a call of ${call.name}`);
    if (row.engine === 'text alone') continue;
    if (assurance === undefined) problems.push('a call neither enforced nor validated');
    if (!validity.isValid(call))
      problems.push(`an invalid call, ${assurance}: ${called.name} ${called.arguments}`);
  }
  return problems;
}

function answerProblems(
  { row }: RowOutcome,
  message: ResponseMessage,
  events: readonly AnyResponseEvent[],
): readonly string[] {
  const { content, tool_calls: calls = [], malformed = [] } = message;
  const finish = events.at(-1);
  const reason = finish?.type === 'finish' ? finish.reason : 'none';
  const expected = calls.length > 0 ? ['tool-calls', 'length'] : ['stop', 'length'];
  const problems = expected.includes(reason)
    ? []
    : [`it finished with ${reason}, and has ${calls.length} calls`];
  if (reason === 'length' || calls.length > 0) return problems;
  if (callsOf(row) === 'must') return [...problems, 'no call where one was required'];
  if (row.answer === 'text' || row.engine === 'text alone') return problems;
  const text = content ?? '';
  if (text === '' && malformed.length > 0) return problems;
  const isValid = row.answer === 'schema' ? isValidAnswer(answerSchema, text) : isObject(text);
  return isValid ? problems : [...problems, `an invalid answer: ${JSON.stringify(text).slice(0, 200)}`];
}

function isObject(text: string): boolean {
  return isValidAnswer({ type: 'object' }, text);
}

const pairs = { 'text-start': 'text-end', 'reasoning-start': 'reasoning-end' } as const;

function isMalformed({ malformed = [] }: ResponseMessage, text: string): boolean {
  return malformed.some(({ raw }) => raw === text);
}

/** The events tell the message, in order, and every region that begins ends. */
function foldProblems(message: ResponseMessage, events: readonly AnyResponseEvent[]): readonly string[] {
  const problems: string[] = [];
  const folded = foldEvents(events);
  const calls = folded.calls.filter(({ complete }) => complete);
  // An answer that turns out not to fit is streamed before that is known, and is then malformed.
  const isWithheld = message.content === null && isMalformed(message, folded.content);
  if (folded.content !== (message.content ?? '') && !isWithheld)
    problems.push(`content is ${quoted(message.content)}, its events ${quoted(folded.content)}`);
  if (folded.reasoning !== (message.reasoning_content ?? ''))
    problems.push(
      `thoughts are ${quoted(message.reasoning_content)}, their events ${quoted(folded.reasoning)}`,
    );
  const inMessage = (message.tool_calls ?? []).map(({ function: called }) => [called.name, called.arguments]);
  const inEvents = calls.map(({ name, input }) => [name, input]);
  if (JSON.stringify(inMessage) !== JSON.stringify(inEvents)) problems.push('calls differ from their events');
  for (const [start, end] of Object.entries(pairs)) {
    const count = (type: string): number => events.filter((event) => event.type === type).length;
    if (count(start) !== count(end)) problems.push(`${count(start)} ${start}, ${count(end)} ${end}`);
  }
  const finishes = events.filter(({ type }) => type === 'finish');
  if (finishes.length !== 1 || events.at(-1)?.type !== 'finish')
    problems.push('not one finish, as the last event');
  if (events.some(({ start, end }) => start > end)) problems.push('an event ends before it begins');
  return problems;
}

function usageProblems(
  { row, options }: RowOutcome,
  usage: Usage,
  events: readonly AnyResponseEvent[],
): readonly string[] {
  const { completionTokens, reasoningTokens, textTokens, callTokens, injectedTokens } = usage;
  const problems: string[] = [];
  const parts = [reasoningTokens, textTokens, callTokens, injectedTokens];
  if (parts.some((part) => part < 0) || reasoningTokens + textTokens + callTokens !== completionTokens)
    problems.push(`usage does not add up: ${JSON.stringify(usage)}`);
  if (completionTokens > options.maxTokens)
    problems.push(`${completionTokens} tokens of ${options.maxTokens}`);
  if (injectedTokens > completionTokens) problems.push('more tokens injected than written');
  const finish = events.at(-1);
  if (finish?.type === 'finish' && JSON.stringify(finish.usage) !== JSON.stringify(usage))
    problems.push('the last event has another usage');
  const budget = row.thinking === 'off' ? Number.POSITIVE_INFINITY : options.thinkingBudget;
  if (budget !== undefined && reasoningTokens > budget + markerTokens)
    problems.push(`${reasoningTokens} tokens of thoughts, budget ${budget}`);
  return problems;
}

/** A model that does as it is asked is understood to the letter. */
function conformingProblems(outcome: RowOutcome, message: ResponseMessage): readonly string[] {
  const { row, options, intent } = outcome;
  if (row.behaviour !== 'conforms' || row.limit !== 'roomy') return [];
  const problems: string[] = [];
  const wanted = (intent.tool_calls ?? []).map(({ function: called }) => called);
  const got = (message.tool_calls ?? []).map(({ function: called }) => called);
  const plain = (calls: readonly { readonly name: string; readonly arguments: string }[]) =>
    JSON.stringify(calls.map((call) => [call.name, sorted(JSON.parse(call.arguments))]));
  if (plain(wanted) !== plain(got))
    problems.push(`calls ${plain(got)} of a model that calls ${plain(wanted)}`);
  if (wanted.length > 0) return problems;
  const stop = row.answer === 'text' ? (options.stop?.[0] ?? '') : '';
  const whole = intent.content ?? '';
  const at = stop === '' ? -1 : whole.indexOf(stop);
  const content = at < 0 ? whole : whole.slice(0, at);
  if (!isSameAnswer(row, message.content ?? '', content))
    problems.push(`the answer ${quoted(message.content)} of a model that says ${quoted(content)}`);
  const thoughts = message.reasoning_content ?? '';
  const isCut = options.thinkingBudget === 3;
  // Thoughts that the prompt has begun are the model's, even if it may think no further.
  const begun = row.prefill === 'thoughts' ? begunThoughts : '';
  const intended = (intent.reasoning_content ?? begun).trim();
  if (isCut ? !intended.startsWith(thoughts.trim()) : thoughts.trim() !== intended)
    problems.push(`the thoughts ${quoted(thoughts)} of a model that thinks ${quoted(intended)}`);
  return problems;
}

/** The white space between the values of JSON is the grammar's. */
function isSameAnswer({ answer }: RowOutcome['row'], got: string, wanted: string): boolean {
  if (answer === 'text' || !isJson(got)) return got.trim() === wanted.trim();
  return JSON.stringify(JSON.parse(got)) === JSON.stringify(JSON.parse(wanted));
}

/** Some templates write arguments in an order of their own. */
function sorted(values: object): readonly (readonly [string, unknown])[] {
  return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
}

const finishes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'chat completions': { stop: 'stop', length: 'length', 'tool-calls': 'tool_calls' },
  responses: { stop: 'completed', length: 'incomplete', 'tool-calls': 'completed' },
  messages: { stop: 'end_turn', length: 'max_tokens', 'tool-calls': 'tool_use' },
  'AI SDK': { stop: 'stop', length: 'length', 'tool-calls': 'tool-calls' },
};

/** What stands after the beginning of a text, at the end of which a template may have trimmed. */
function restOf(text: string, begun: string): string {
  const found = [begun, begun.trimEnd()].find((each) => text.startsWith(each));
  return found === undefined ? text : text.slice(found.length);
}

/** A client of an API gets what the chat told, whole and in a stream. */
function exchangeProblems({ row, options, told, exchange }: RowOutcome): readonly string[] {
  if (exchange === null) return [];
  const { whole, streamed } = exchange;
  const [first, second] = told;
  if (first === undefined || second === undefined) {
    const isRefused = typeof whole === 'string' && typeof streamed === 'string';
    return isRefused && whole !== 'unknown'
      ? []
      : [`asked ${told.length} times: ${JSON.stringify(exchange)}`];
  }
  return [
    ...handedProblems(row, options, first, whole).map((problem) => `whole: ${problem}`),
    ...handedProblems(row, options, second, streamed).map((problem) => `streamed: ${problem}`),
  ];
}

function handedProblems(
  { engine, thinking }: RowOutcome['row'],
  { messages }: RowOutcome['options'],
  { message, events, usage }: Told,
  handed: Handed | string,
): readonly string[] {
  if (message === null) return typeof handed === 'string' ? [] : ['an answer where the chat failed'];
  if (typeof handed === 'string') return [`the error ${handed}`];
  const problems: string[] = [];
  // Clients put what they get after what they sent.
  const last = engine === 'AI SDK' ? undefined : messages.at(-1);
  const begun = last?.role === 'assistant' ? last : undefined;
  const begunText = String(begun?.content ?? '');
  const content = restOf(message.content ?? '', begunText);
  const refused = (message.malformed ?? []).map(({ raw }) => restOf(raw, begunText));
  if (handed.content !== content && !refused.includes(handed.content))
    problems.push(`content ${quoted(handed.content)} for ${quoted(content)}`);
  // Only this API leaves out the thoughts of a model that was not asked to think.
  const isHidden = engine === 'messages' && thinking === 'off';
  const thoughts = isHidden ? '' : restOf(message.reasoning_content ?? '', begun?.reasoning_content ?? '');
  if (handed.reasoning !== thoughts)
    problems.push(`thoughts ${quoted(handed.reasoning)} for ${quoted(thoughts)}`);
  const { malformed = [], possible_calls = [], repaired = [], tool_calls: calls = [] } = message;
  const wanted = calls.map(({ function: called }) => [called.name, JSON.parse(called.arguments)]);
  const whole = handed.calls.filter(({ input }) => isJson(input));
  const got = whole.map(({ name, input }) => [name, JSON.parse(input)]);
  if (JSON.stringify(wanted) !== JSON.stringify(got))
    problems.push(`calls ${JSON.stringify(got)} for ${JSON.stringify(wanted)}`);
  const finish = events.at(-1);
  const reason = finish?.type === 'finish' ? finish.reason : '';
  // Only this API tells a stop of the caller's.
  const isStopped = engine === 'messages' && finish?.type === 'finish' && finish.stopSequence !== undefined;
  if (handed.finish !== (isStopped ? 'stop_sequence' : finishes[engine]?.[reason]))
    problems.push(`finished with ${handed.finish} for ${reason}`);
  if (handed.told !== malformed.length + possible_calls.length + repaired.length > 0)
    problems.push(
      handed.told ? 'told of nothing' : 'not told what was malformed, repaired, or may be a call',
    );
  // Not all streams tell their usage.
  const { promptTokens, completionTokens } = handed;
  if (completionTokens !== undefined && completionTokens !== usage?.completionTokens)
    problems.push(`${completionTokens} tokens for ${usage?.completionTokens}`);
  if (promptTokens !== undefined && promptTokens !== usage?.promptTokens)
    problems.push(`${promptTokens} tokens of the prompt for ${usage?.promptTokens}`);
  return problems;
}

/** A call that broke off was streamed before that was known. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function nextProblems({ next }: RowOutcome): readonly string[] {
  const { message, error } = next;
  if (message?.content?.trim() === nextAnswer && message.tool_calls === undefined) return [];
  return [`the chat after it: ${error === null ? JSON.stringify(message) : String(error)}`];
}

function quoted(text: string | null | undefined): string {
  return JSON.stringify(text ?? '').slice(0, 120);
}
