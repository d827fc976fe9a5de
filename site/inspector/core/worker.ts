/** The Worker: answers one request after the other. */
import { TemplateError } from '../../../src/format/errors.ts';
import { withoutUndefined } from '../../../src/format/option-rules.ts';
import { requests } from './requests.ts';
import type { FailedAnswer, WorkerAnswer, WorkerRequest } from './worker-messages.ts';

globalThis.addEventListener('message', ({ data }: MessageEvent<WorkerRequest>) => {
  globalThis.postMessage(answer(data));
});

function answer({ id, name, ask }: WorkerRequest): WorkerAnswer {
  try {
    // The names and what they take were paired where the request was made.
    const run = requests[name] as (given: unknown) => unknown;
    return { id, value: run(ask) };
  } catch (error) {
    return { id, failure: failureOf(error) };
  }
}

function failureOf(error: unknown): FailedAnswer {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { line, column } = error instanceof TemplateError ? error : {};
  return { name: error.name, message: error.message, ...withoutUndefined({ line, column }) };
}
