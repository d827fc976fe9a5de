/** Writes the frames of a stream as they are read; server-sent events with comments during pauses. */
import { writeExactJson } from '../format/exact-json.ts';

/** One event of a stream. */
export interface Frame {
  /** Its type, if the API has one outside of the data. */
  readonly event?: string;
  /** JSON to send, or text to send unchanged. */
  readonly data: object | string;
}

/** `events`: server-sent events. `lines`: a JSON object on each line, without any comments. */
export type Framing = 'events' | 'lines';

/** The types of their streams. */
export const streamTypes: Readonly<Record<Framing, string>> = {
  events: 'text/event-stream; charset=utf-8',
  lines: 'application/x-ndjson',
};

/** The longest pause of a stream, and of its reader. */
export interface StreamTimes {
  readonly keepAliveMs: number;
  readonly stallMs: number;
}

/** The bytes of a stream. `leave` is called when its reader has left, or has stopped reading. */
export function eventStream(
  frames: AsyncGenerator<Frame, void>,
  framing: Framing,
  { keepAliveMs, stallMs }: StreamTimes,
  leave: (reason: Error) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let pending: Promise<IteratorResult<Frame, void>> | null = null;
  const expectReader = () => setTimeout(() => leave(new Error('the client takes nothing')), stallMs);
  let stall = expectReader();
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      clearTimeout(stall);
      pending ??= frames.next();
      const next = framing === 'lines' ? await pending : await orTimeout(pending, keepAliveMs);
      if (next === null) controller.enqueue(encoder.encode(': waiting\n\n'));
      else if (next.done === true) return controller.close();
      else controller.enqueue(encoder.encode(texts[framing](next.value)));
      if (next !== null) pending = null;
      stall = expectReader();
    },
    cancel() {
      clearTimeout(stall);
      leave(new Error('the client left'));
    },
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}

const texts: Readonly<Record<Framing, (frame: Frame) => string>> = {
  events: ({ event, data }) => {
    const name = event === undefined ? '' : `event: ${event}\n`;
    return `${name}data: ${dataText(data)}\n\n`;
  },
  lines: ({ data }) => `${dataText(data)}\n`,
};

function dataText(data: Frame['data']): string {
  return typeof data === 'string' ? data : writeExactJson(data);
}

/** The result of `promise`, or `null` if that takes longer. */
export async function orTimeout<Value>(promise: Promise<Value>, milliseconds: number): Promise<Value | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
