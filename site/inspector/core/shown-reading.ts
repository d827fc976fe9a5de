/** A reading as the page shows it: bounded, however long the text is. */
import type { EventRow, Reading, ReadSpan } from './read-response.ts';

/** A stretch of the text that is in view. */
export interface TextWindow {
  readonly from: number;
  readonly to: number;
}

/** What goes to the page of a reading. */
export interface ShownReading {
  /** The spans in view. */
  readonly spans: readonly ReadSpan[];
  /** The first malformed stretches, wherever they are; `malformedCount` counts all. */
  readonly malformed: readonly ReadSpan[];
  readonly malformedCount: number;
  readonly rows: readonly EventRow[];
  readonly eventCount: number;
  readonly position: Reading['position'];
  /** The message as JSON, its long texts cut short. */
  readonly message: string;
  readonly allowed: Reading['allowed'];
}

const mostMalformed = 5;
const longestText = 2000;
const longestMessage = 20_000;

/** The part of a reading that is seen. */
export function shownReading({ spans, message, ...rest }: Reading, { from, to }: TextWindow): ShownReading {
  const malformed = spans.filter(({ type }) => type === 'malformed');
  return {
    ...rest,
    spans: spans.filter(({ start, end }) => end > from && start < to),
    malformed: malformed.slice(0, mostMalformed),
    malformedCount: malformed.length,
    message: cut(
      JSON.stringify(message, (_, value: unknown) => shortened(value), 2),
      longestMessage,
    ),
  };
}

function shortened(value: unknown): unknown {
  return typeof value === 'string' ? cut(value, longestText) : value;
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}… (${text.length} characters)`;
}
