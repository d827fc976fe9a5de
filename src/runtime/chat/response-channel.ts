/**
 * Tells of each response on Node's `diagnostics_channel`, for whoever looks into one: its prompt, and all that the model
 * wrote. Costs nothing while nobody listens, and does nothing outside of Node.
 */
import type { ResponseEvent, ResponseMessage, Usage } from '../../parser/events.ts';

/** A message on the channel `idiolect:response:start`. */
export interface ResponseStarted {
  /** Counts the responses of this process. */
  readonly id: number;
  /** The prompt as text; `null` if there is none, because the request was refused. */
  readonly prompt: string | null;
}

/** A message on the channel `idiolect:response:end`. */
export interface ResponseEnded extends ResponseStarted {
  /** All that the model wrote, markers included. */
  readonly text: string;
  /** What was read of it; `null` if the response failed, or its reader left. */
  readonly message: ResponseMessage | null;
  readonly usage: Usage | null;
  /** Why it failed; `null` if it did not. */
  readonly error: unknown;
}

/** What is known of a response. */
interface ToldResponse {
  readonly prompt: () => Promise<string>;
  /** `null` before its first token. */
  readonly run: () => { readonly text: string; readonly usage: Usage } | null;
}

interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
}

type GetBuiltin = (name: string) => { channel(name: string): Channel } | undefined;

/** Pages have no `process`, and Node has this from 20.16 on. */
const { process } = globalThis as { readonly process?: { readonly getBuiltinModule?: GetBuiltin } };
const channels = process?.getBuiltinModule?.('node:diagnostics_channel');
const [start, end] = ['start', 'end'].map((name) => channels?.channel(`idiolect:response:${name}`));

let responses = 0;

/** The same events. */
export async function* told(
  generation: AsyncGenerator<ResponseEvent, ResponseMessage>,
  { prompt: render, run }: ToldResponse,
): AsyncGenerator<ResponseEvent, ResponseMessage> {
  if (start?.hasSubscribers !== true && end?.hasSubscribers !== true) return yield* generation;
  responses += 1;
  const id = responses;
  const prompt = await render().catch(() => null);
  start?.publish({ id, prompt } satisfies ResponseStarted);
  const outcome: { message: ResponseMessage | null; error: unknown } = { message: null, error: null };
  try {
    outcome.message = yield* generation;
    return outcome.message;
  } catch (error) {
    outcome.error = error;
    throw error;
  } finally {
    const { text = '', usage = null } = run() ?? {};
    end?.publish({ id, prompt, text, usage, ...outcome } satisfies ResponseEnded);
  }
}
