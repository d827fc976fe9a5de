/** Errors in OpenAI's shape. */
import type { Failure } from './errors.ts';

/** The body of an error. */
export function openAiError({ status, code, param, message }: Failure): object {
  return { error: { message, type: typeOf(status), param, code } };
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'server_error';
}
