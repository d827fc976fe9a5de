/** The events of a response as the body of an HTTP response: server-sent events. */
import { IdiolectError } from '../../format/errors.ts';

const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' } as const;

/** A stream of the events. Cancelling it ends the response; what ends the response ends the stream. */
export function eventStreamOf<Event>(events: AsyncIterable<Event>): ReadableStream<Event> {
  const iterator = events[Symbol.asyncIterator]();
  return new ReadableStream<Event>(
    {
      async pull(controller) {
        const next = await iterator.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Milliseconds of silence after which a comment is sent: proxies cut connections that are silent for half a minute. */
const defaultKeepAliveMs = 15_000;

/**
 * Each event as JSON, `[DONE]` at the end; in place of it, an `error` event if the response fails. A comment, which clients
 * skip, whenever nothing has come for `keepAliveMs`.
 */
export function eventResponse(
  events: AsyncIterable<unknown>,
  init: ResponseInit = {},
  keepAliveMs = defaultKeepAliveMs,
): Response {
  const iterator = events[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let silence: ReturnType<typeof setInterval> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        silence = setInterval(() => {
          // None is needed where the last one is not read yet.
          if (controller.desiredSize === 0) controller.enqueue(comment);
        }, keepAliveMs);
        // Node need not live on for it.
        (silence as { unref?(): void }).unref?.();
        const [text, isLast] = await nextFrame(iterator);
        clearInterval(silence);
        controller.enqueue(encoder.encode(text));
        if (isLast) controller.close();
      },
      async cancel() {
        clearInterval(silence);
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
  const given = new Headers(headers);
  new Headers(init.headers).forEach((value, name) => {
    given.set(name, value);
  });
  return new Response(body, { ...init, headers: given });
}

async function nextFrame(events: AsyncIterator<unknown>): Promise<readonly [text: string, isLast: boolean]> {
  try {
    const { done, value } = await events.next();
    return done === true ? [frame('[DONE]'), true] : [frame(JSON.stringify(value, withErrors)), false];
  } catch (error) {
    const told = JSON.stringify({ type: 'error', error: shownError(error, 'the response failed') });
    return [`event: error\n${frame(told)}`, true];
  }
}

const comment = new TextEncoder().encode(':\n\n');

function frame(data: string): string {
  return `data: ${data}\n\n`;
}

/** What a tool threw is an error, of which JSON has nothing. */
function withErrors(_: string, value: unknown): unknown {
  return value instanceof Error ? shownError(value, 'the tool failed') : value;
}

/** The message of an error that is not ours may hold anything, and is not shown: `otherwise` is. */
function shownError(error: unknown, otherwise: string): { readonly code: string; readonly message: string } {
  if (error instanceof IdiolectError) return { code: error.code, message: error.message };
  return { code: 'internal', message: otherwise };
}
