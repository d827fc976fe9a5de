/** Responses of real models, which `npm run record:playground` recorded. */

import small from '../recorded/qwen2.5-coder-0.5b.json' with { type: 'json' };
import large from '../recorded/qwen2.5-coder-1.5b.json' with { type: 'json' };
import type { Asked, Progress } from './respond.ts';

/** A response, and what was asked. */
export interface RecordedResponse {
  readonly model: string;
  /** Of the model's file, in GGUF. */
  readonly sha256: string;
  readonly asked: Asked;
  /** Tokens of the vocabulary. */
  readonly size: number;
  readonly progress: readonly Progress[];
}

/** A response that the page shows. */
export interface Recording extends RecordedResponse {
  /** What is to be seen. */
  readonly remark: string;
}

const fenced =
  'Its template has <tool_call>; it writes JSON in a fence, and is read and held to the schema all the same.';

/** All of them; the first one is shown first. */
export const recordings: readonly Recording[] = [
  {
    ...recorded(large),
    remark: `The schema has neither 14 days nor kelvin, so the model is refused the 4 and the “kel”: what it writes instead is valid, and not what was asked. ${fenced}`,
  },
  {
    ...recorded(small),
    remark: `The schema has no 14 days, so the model is refused the 4: what it writes instead is valid, and not what was asked. ${fenced}`,
  },
];

/** What the script wrote is not checked again. */
function recorded(file: unknown): RecordedResponse {
  return file as RecordedResponse;
}
