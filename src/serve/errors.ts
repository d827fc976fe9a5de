/** The errors of a server: every error as the status and message of an HTTP response. */
import { errorClass, overflow } from '../format/error-class.ts';
import {
  CheckFailedError,
  ContextOverflowError,
  DecodingError,
  GrammarError,
  IdiolectError,
  MessageError,
  ModelDisposedError,
  SchemaError,
  ServerError,
  TemplateError,
  ToolError,
  ToolListError,
  ToolsUnsupportedError,
  UnsupportedOptionError,
} from '../format/errors.ts';

/** What a client reads about an error, in any API. */
export interface Failure {
  /** HTTP status. */
  readonly status: number;
  /** For programs: `context_length_exceeded`, `unsupported_parameter`. */
  readonly code: string;
  /** The field of the request that is at fault: `messages[1].content`. */
  readonly param: string | null;
  readonly message: string;
  /** Seconds after which to retry. */
  readonly retryAfter?: number;
}

/** A request that is rejected before a model gets it. */
export class RequestError extends errorClass(
  'request',
  (facts: {
    readonly status: number;
    /** The code for the client; `code` identifies this class within the library. */
    readonly reasonCode: string;
    readonly param: string | null;
    readonly reason: string;
    readonly retryAfter?: number;
  }) => facts.reason,
) {}

/** The error of an invalid field. */
export function invalid(param: string | null, reason: string, reasonCode = 'invalid_value'): RequestError {
  return new RequestError({ status: 400, reasonCode, param, reason });
}

/** The client has left; nobody reads this status. */
export const clientLeft: Failure = {
  status: 499,
  code: 'client_left',
  param: null,
  message: 'the client left',
};

/** Fields whose names differ from those of the options that they become. */
const paramNames: ReadonlyMap<string, string> = new Map([
  ['maxTokens', 'max_completion_tokens'],
  ['toolChoice', 'tool_choice'],
  ['parallelToolCalls', 'parallel_tool_calls'],
  ['responseFormat', 'response_format'],
  ['thinking', 'reasoning_effort'],
  ['thinkingBudget', 'thinking_budget'],
  ['templateVariables', 'chat_template_kwargs'],
  ['topP', 'top_p'],
  ['topK', 'top_k'],
  ['minP', 'min_p'],
  ['presencePenalty', 'presence_penalty'],
  ['frequencyPenalty', 'frequency_penalty'],
  ['repeatPenalty', 'repeat_penalty'],
  ['repeatLastN', 'repeat_last_n'],
  ['logitBias', 'logit_bias'],
  ['continueFinalMessage', 'messages'],
]);

/**
 * What a client reads about `error`. The message of an internal error is not shown, because it may contain anything.
 */
export function failureOf(error: unknown): Failure {
  if (error instanceof RequestError) {
    const { status, reasonCode: code, param, message, retryAfter } = error;
    return { status, code, param, message, ...(retryAfter === undefined ? {} : { retryAfter }) };
  }
  if (!(error instanceof IdiolectError)) return failure(500, 'internal_error', null, 'the server failed');
  return requestFailure(error) ?? serverFailure(error);
}

function failure(status: number, code: string, param: string | null, message: string): Failure {
  return { status, code, param, message };
}

/** Errors of the request; `null` for every other error. */
function requestFailure(error: IdiolectError): Failure | null {
  const { message } = error;
  if (error instanceof MessageError) return failure(400, 'invalid_message', error.path, message);
  if (error instanceof ContextOverflowError) {
    const length = overflow(error);
    const advice = 'shorten the request, or serve the model with a longer context (--context-size)';
    return failure(400, 'context_length_exceeded', 'messages', `${length}; ${advice}`);
  }
  if (error instanceof SchemaError) {
    const isAnswer = error.issues.every(({ tool }) => tool === '');
    return isAnswer
      ? failure(400, 'invalid_json_schema', 'response_format', message)
      : failure(400, 'invalid_function_parameters', 'tools', message);
  }
  if (error instanceof ToolListError)
    return failure(400, 'invalid_tools', `tools${pointerPath(error.pointer)}`, message);
  if (error instanceof ToolError) return failure(400, 'invalid_tools', 'tools', message);
  if (error instanceof GrammarError) return failure(400, 'grammar_too_complex', 'tools', message);
  if (error instanceof ToolsUnsupportedError) return failure(400, 'tools_unsupported', 'tools', message);
  if (error instanceof UnsupportedOptionError) {
    const param = paramNames.get(error.option) ?? error.option;
    const code = error.reason.startsWith('must ') ? 'invalid_value' : 'unsupported_parameter';
    return failure(400, code, param, message);
  }
  // The template wrote other conversations when the model was opened: what it cannot write is in this request.
  if (error instanceof TemplateError && error.kind !== 'syntax')
    return failure(400, 'conversation_refused', error.kind === 'raised' ? 'messages' : null, message);
  return null;
}

function serverFailure(error: IdiolectError): Failure {
  const { message } = error;
  if (error instanceof ModelDisposedError) return failure(503, 'model_unloaded', 'model', message);
  if (error instanceof ServerError) return upstreamFailure(error);
  if (error instanceof DecodingError) return failure(500, 'generation_failed', null, error.reason);
  const code = error.code.replaceAll('-', '_');
  // To who asked for it, the value is no secret.
  if (error instanceof CheckFailedError) return failure(500, code, null, withProblems(error));
  // The path of a file is only reported to the operator, through `onError`.
  if ('file' in error) return failure(500, code, 'model', 'the model cannot be opened');
  return failure(500, code, null, message);
}

function withProblems({ message, problems }: CheckFailedError): string {
  return [message, ...new Set(problems.map(({ message: problem }) => problem))].join('; ');
}

/** For a request that is made for models of another kind. */
export function wrongModel(reason: string): RequestError {
  return new RequestError({ status: 400, reasonCode: 'unsupported_question', param: 'model', reason });
}

/** For a question that the engine of a model cannot answer. */
export function unanswerable(reason: string): RequestError {
  return new RequestError({ status: 501, reasonCode: 'unsupported_question', param: null, reason });
}

/** Its address, and anything that may contain it, is only reported to the operator, through `onError`. */
function upstreamFailure({ status, reason, transient, retryAfterMs }: ServerError): Failure {
  const isRequest = status !== null && status >= 400 && status < 500 && !transient;
  const message = isRequest
    ? `the model's server refuses the request: ${reason}`
    : "the model's server failed; try again later";
  const seconds = Math.ceil((retryAfterMs ?? 0) / 1000);
  return {
    // Clients try again after 500 and above, which for a refused request is in vain.
    ...failure(transient ? 503 : quoting.includes(status) ? 400 : 502, 'upstream_error', null, message),
    ...(seconds > 0 ? { retryAfter: seconds } : {}),
  };
}

/** Statuses of servers that may quote what is wrong with a request. */
const quoting: readonly (number | null)[] = [400, 422];

/** Whether the operator hears of it: also where a model's server refuses what this one made of a request. */
export function concernsOperator({ status, code }: Failure): boolean {
  return (status >= 500 && code !== 'shutting_down') || code === 'upstream_error';
}

/** What the operator is told of `error`: a model's server may have quoted the request, and only its client is told that. */
export function forOperator(error: unknown): unknown {
  if (!(error instanceof ServerError) || error.transient || !quoting.includes(error.status)) return error;
  const { url, status, transient, retryAfterMs, advice } = error;
  const reason = 'it refuses a request; its client is told why, and so is --log-level debug';
  return new ServerError({ url, status, reason, transient, retryAfterMs, advice });
}

/** `/0/function/name` becomes `[0].function.name`. */
function pointerPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`))
    .join('');
}
