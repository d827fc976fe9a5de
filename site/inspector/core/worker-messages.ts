/** What goes between the page and its Workers. */
import type { RequestName } from './requests.ts';

/** A request, with what it takes. */
export interface WorkerRequest {
  readonly id: number;
  readonly name: RequestName;
  readonly ask: unknown;
}

/** Why a request failed. */
export interface FailedAnswer {
  readonly name: string;
  readonly message: string;
  /** Line of the template, counted from 1. */
  readonly line?: number;
  /** Column in that line, counted from 1. */
  readonly column?: number;
}

/** What came of a request. */
export type WorkerAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: FailedAnswer };
