/** Executes one call: validates arguments with the schema's own library, and converts results and errors to text. */
import { StalledError } from '../../../format/errors.ts';
import { untilAborted } from '../../../format/on-abort.ts';
import type { CallContext } from '../../../tools/tools.ts';
import {
  findTool,
  normalizeTools,
  schemaOf,
  type ToolCallOf,
  type ToolInput,
  type ToolList,
} from '../../../tools/tools.ts';
import { isValidating, validationProblems } from '../../../tools/validating-schema.ts';
import { onStall } from '../on-stall.ts';
import type { CallOutcome, ToolFailure } from './executor.ts';
import type { RunToolsOptions } from './run-tools-options.ts';

type Call = ToolCallOf<ToolList>;

const never = new AbortController().signal;

/** Whether anything can execute the call. */
export function canExecute(call: Call, { tools, execute }: RunToolsOptions): boolean {
  return (execute ?? findTool(tools, call.name)?.execute ?? null) !== null;
}

/**
 * Executes a call, with retries if allowed. Rejects with the signal's reason, and with `StalledError` if the process
 * is about to exit; everything else becomes an outcome.
 */
export async function executeCall(call: Call, options: RunToolsOptions): Promise<CallOutcome> {
  const { signal = never, toolRetries = 0 } = options;
  signal.throwIfAborted();
  const facts = { toolCallId: call.id, toolName: call.name };
  try {
    const work = await prepare(call, options, signal);
    const output = await attempt(work, options, toolRetries);
    return { type: 'tool-result', ...facts, output, content: asText(output) };
  } catch (error) {
    signal.throwIfAborted();
    // The process is exiting, and the engine with it: no model could read the outcome.
    if (error instanceof StalledError) throw error;
    return { type: 'tool-error', ...facts, error, content: `Error: ${messageOf(error)}` };
  }
}

/** Executes one call with the signal of this attempt. */
type ToolWork = (signal: AbortSignal) => unknown;

/** Validates the arguments first, so that only valid calls are attempted. */
async function prepare(call: Call, options: RunToolsOptions, signal: AbortSignal): Promise<ToolWork> {
  const tool = findTool(options.tools, call.name);
  const problems = await problemsOf(call, options);
  if (problems.length > 0) throw invalid(problems);
  const parsed = tool === undefined ? call.arguments : parseInput(tool, call.arguments);
  const input = await untilDone(Promise.resolve(parsed), signal);
  // In JavaScript it may also be null.
  const own = tool?.execute ?? null;
  return (attemptSignal) => {
    const context: CallContext = { toolCallId: call.id, signal: attemptSignal };
    return own === null ? options.execute?.(call, context) : own.call(tool, input as never, context);
  };
}

/**
 * Chats hand out valid calls only; another model may not say what it knows about its calls. Schemas of libraries
 * validate themselves.
 */
async function problemsOf(
  { name, arguments: input, assurance }: Call,
  { tools }: RunToolsOptions,
): Promise<readonly string[]> {
  const tool = findTool(tools, name);
  if (assurance !== undefined || tool === undefined || isValidating(schemaOf(tool))) return [];
  const { argumentChecks } = await import('../checks/argument-checks.ts');
  return argumentChecks(normalizeTools(tools))(name, input);
}

/** The outcome of a call that was refused because of these problems. */
export function refusal(toolCallId: string, toolName: string, problems: readonly string[]): ToolFailure {
  const error = new TypeError(`nothing was called: ${problems.join('; ')}`);
  return { type: 'tool-error', toolCallId, toolName, error, content: `Error: ${error.message}` };
}

/** What the model is told of a call whose run was left before it was executed. */
export function notMade({ id, name }: Call): Untold {
  return { toolCallId: id, toolName: name, content: 'Error: nothing was called: the run ended before' };
}

/** What the model is told of a call during which its run was left. */
export function abandoned({ id, name }: Call): Untold {
  const content = 'Error: the run ended before the call did; whether it had an effect is not known';
  return { toolCallId: id, toolName: name, content };
}

type Untold = Pick<CallOutcome, 'toolCallId' | 'toolName' | 'content'>;

/** The result of `work`; throws if all attempts have failed. */
async function attempt(work: ToolWork, options: RunToolsOptions, retries: number): Promise<unknown> {
  const { signal = never, toolTimeoutMs } = options;
  const limit = new AbortController();
  const abort = (): void => limit.abort(new Error(`the tool took longer than ${toolTimeoutMs} ms`));
  const timer = toolTimeoutMs === undefined ? undefined : setTimeout(abort, toolTimeoutMs);
  // The signal itself if there is no time limit: callers may compare it.
  const own = timer === undefined ? signal : AbortSignal.any([signal, limit.signal]);
  try {
    return await untilDone((async () => work(own))(), own);
  } catch (error) {
    if (signal.aborted || retries === 0 || error instanceof StalledError) throw error;
  } finally {
    clearTimeout(timer);
  }
  return attempt(work, options, retries - 1);
}

/** The arguments as the schema's library returns them, with defaults and transformations applied. */
async function parseInput(tool: ToolInput, input: unknown): Promise<unknown> {
  const schema: unknown = schemaOf(tool);
  if (!isValidating(schema)) return input;
  const { value, issues } = await schema['~standard'].validate(input);
  if (issues === undefined) return value;
  throw invalid(validationProblems(issues));
}

function invalid(problems: readonly string[]): TypeError {
  return new TypeError(`the arguments are not valid: ${problems.join('; ')}`);
}

/** Waits for `work` until `signal` is aborted, so that a tool that ignores it cannot block a run. */
function untilDone<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const forget = onStall(() => reject(noReturn()));
    untilAborted(work, signal).then(resolve, reject).finally(forget);
  });
}

function noReturn(): StalledError {
  const advice = 'the promise of its execute() is never settled';
  return new StalledError({ waitsFor: "a tool's result", advice });
}

/** A result for the model: text unchanged, everything else as JSON. Throws for what JSON would lose without a word. */
function asText(output: unknown): string {
  return typeof output === 'string' ? output : (JSON.stringify(output, kept) ?? 'null');
}

/** Refuses what becomes `{}` or nothing, though it holds something. */
function kept(key: string, value: unknown): unknown {
  const isFunction = typeof value === 'function' && key === '';
  const isCollection = value instanceof Map || value instanceof Set;
  if (!isFunction && !isCollection && !isIterator(value)) return value;
  const kind = isFunction ? 'a function' : isCollection ? `a ${value.constructor.name}` : 'an iterator';
  throw new TypeError(
    `the tool returned ${kind}, of which JSON has nothing; return an object, an array or a text`,
  );
}

function isIterator(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return 'next' in value && (Symbol.asyncIterator in value || Symbol.iterator in value);
}

/** Anything can be thrown, even values that cannot be converted to text. */
function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'the tool failed';
  }
}
