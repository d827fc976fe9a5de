/** One call, carried out: arguments checked by the schema's own library, results and errors as text. */

import type { CallContext } from '../../tools/tools.ts';
import { findTool, schemaOf, type ToolCallOf, type ToolInput, type ToolList } from '../../tools/tools.ts';
import { argumentCheck } from './argument-checks.ts';
import type { CallOutcome } from './executor.ts';
import { onAbort } from './on-abort.ts';
import type { RunToolsOptions } from './run-tools-options.ts';

type Call = ToolCallOf<ToolList>;

const never = new AbortController().signal;

/** There is something that carries out the call. */
export function canExecute(call: Call, { tools, execute }: RunToolsOptions): boolean {
  return (execute ?? findTool(tools, call.name)?.execute ?? null) !== null;
}

/** Carries out a call. Rejects with the signal's reason only; all else becomes an outcome. */
export async function executeCall(call: Call, options: RunToolsOptions): Promise<CallOutcome> {
  const { signal = never } = options;
  signal.throwIfAborted();
  const facts = { toolCallId: call.id, toolName: call.name };
  try {
    const output = await untilAborted(start(call, options, { toolCallId: call.id, signal }), signal);
    return { type: 'tool-result', ...facts, output, content: asText(output) };
  } catch (error) {
    signal.throwIfAborted();
    return { type: 'tool-error', ...facts, error, content: `Error: ${messageOf(error)}` };
  }
}

async function start(call: Call, options: RunToolsOptions, context: CallContext): Promise<unknown> {
  const tool = findTool(options.tools, call.name);
  const problems = argumentCheck(options.tools, options.policy)?.(call.name, call.arguments) ?? [];
  if (problems.length > 0) throw invalid(problems);
  const input = tool === undefined ? call.arguments : await parseInput(tool, call.arguments);
  // In JavaScript it may be null as well.
  const own = tool?.execute ?? null;
  if (own !== null) return own.call(tool, input as never, context);
  return options.execute?.(call, context);
}

/** What schemas of validation libraries have next to their types (Standard Schema). */
interface Validating {
  readonly '~standard': { readonly validate: (value: unknown) => Verdict | Promise<Verdict> };
}
interface Verdict {
  readonly value?: unknown;
  readonly issues?: readonly { readonly message: string; readonly path?: readonly unknown[] }[] | undefined;
}

/** Arguments as the schema's library makes them, defaults and transformations done. */
async function parseInput(tool: ToolInput, input: unknown): Promise<unknown> {
  const schema: unknown = schemaOf(tool);
  if (!isValidating(schema)) return input;
  const { value, issues } = await schema['~standard'].validate(input);
  if (issues === undefined) return value;
  throw invalid(issues.map(describe));
}

function invalid(problems: readonly string[]): TypeError {
  return new TypeError(`the arguments are not valid: ${problems.join('; ')}`);
}

function isValidating(schema: unknown): schema is Validating {
  // Libraries make schemas that are functions, too.
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return false;
  const standard: unknown = Reflect.get(schema, '~standard');
  return typeof standard === 'object' && standard !== null && 'validate' in standard;
}

function describe({ message, path = [] }: NonNullable<Verdict['issues']>[number]): string {
  const keys = path.map((part) =>
    String(typeof part === 'object' && part !== null && 'key' in part ? part.key : part),
  );
  return keys.length === 0 ? message : `${keys.join('.')}: ${message}`;
}

/** Waits for `work`, but not once `signal` is aborted: a tool that does not listen cannot hold up a run. */
function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    // What was called may have aborted it before it returned.
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(onAbort(signal, abort));
  });
}

/** A result as the model reads it: texts as they are, all else as JSON. */
function asText(output: unknown): string {
  return typeof output === 'string' ? output : (JSON.stringify(output) ?? 'null');
}

/** Anything can be thrown, also what has no text. */
function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'the tool failed';
  }
}
