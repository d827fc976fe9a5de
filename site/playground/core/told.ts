/** What is known of a response, as far as it was told. */
import type { ResponseEvent, ResponseMessage } from '../../../src/parser/events.ts';
import type { Progress, ShownToken } from './respond.ts';

/** Why there is no response. */
export interface Failure {
  readonly type: 'failure';
  readonly message: string;
}

/** What is known. */
export interface ResponseState {
  readonly tokens: readonly ShownToken[];
  readonly events: readonly ResponseEvent[];
  /** `null` until it is finished. */
  readonly message: ResponseMessage | null;
  readonly report: readonly string[];
  readonly problem: string | null;
}

/** Nothing is written yet. */
export const nothing: ResponseState = { tokens: [], events: [], message: null, report: [], problem: null };

/** What is known after this. */
export function follow(state: ResponseState, progress: Progress | Failure): ResponseState {
  switch (progress.type) {
    case 'failure':
      return { ...state, problem: progress.message };
    case 'end':
      return { ...state, message: progress.message, report: progress.report };
    case 'tokens':
      return {
        ...state,
        tokens: [...state.tokens.slice(0, progress.kept), ...progress.tokens],
        events: [...state.events, ...progress.events],
      };
  }
}
