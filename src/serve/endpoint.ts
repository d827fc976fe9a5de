/** What an API is to the server: how its requests are read, and how responses and errors are written. */
import type { ResponseEvent, ResponseMessage } from '../parser/events.ts';
import type { ChatOptions } from '../runtime/chat/chat-options.ts';
import type { Failure } from './errors.ts';
import type { Frame } from './event-stream.ts';
import type { Body } from './read-body.ts';

/** A request in our own words. */
export interface ReadRequest {
  /** The model's name; `null` for the first. */
  readonly model: string | null;
  readonly chat: ChatOptions;
  readonly stream: boolean;
  /** Unknown fields. */
  readonly unknown: readonly string[];
}

/** A response that has begun. */
export interface BegunAnswer<Request extends ReadRequest = ReadRequest> {
  readonly request: Request;
  /** The body as it came: some APIs repeat parts of it. */
  readonly body: Body;
  /** Of the response, without the API's prefix: letters and digits. */
  readonly id: string;
  /** When it began, in seconds since 1970. */
  readonly created: number;
  readonly model: string;
  /** What the model was asked, the server's defaults included. */
  readonly chat: ChatOptions;
  readonly events: AsyncIterable<ResponseEvent>;
  /** Tokens of the prompt, known before the first event; `null` where nobody counts them. */
  promptTokens(): Promise<number | null>;
  /** To be asked for after the last event. */
  message(): Promise<ResponseMessage>;
}

/** An API. */
export interface Endpoint<Request extends ReadRequest = ReadRequest> {
  readonly path: string;
  /** Throws `RequestError`, and what chats throw of wrong options. */
  read(body: Body): Request;
  /** The whole response, as JSON. */
  complete(answer: BegunAnswer<Request>): Promise<object>;
  /** The response as it comes. */
  stream(answer: BegunAnswer<Request>): AsyncGenerator<Frame, void>;
  /** The body of an error. */
  errorBody(failure: Failure, requestId: string): object;
  /** The end of a stream that failed. */
  errorFrames(broken: BrokenStream<Request>): readonly Frame[];
}

/** A stream that failed after it had begun. */
export interface BrokenStream<Request extends ReadRequest = ReadRequest> {
  readonly failure: Failure;
  readonly requestId: string;
  /** Frames that were sent before. */
  readonly sent: number;
  /** `null` where the model was not asked yet. */
  readonly answer: BegunAnswer<Request> | null;
}
