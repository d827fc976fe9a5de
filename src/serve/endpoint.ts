/** The interface of an API in the server: how its requests are read, and how responses and errors are written. */
import type { ResponseEvent, ResponseMessage } from '../parser/events.ts';
import type { ChatOptions } from '../runtime/chat/chat-options.ts';
import type { RequestPicture } from './content/notes.ts';
import type { Failure } from './errors.ts';
import type { Frame, Framing } from './event-stream.ts';
import type { KnownFields } from './fields/known-fields.ts';
import type { RequestHead } from './fields/request-head.ts';
import type { ItemMemory } from './item-memory.ts';
import type { Body } from './read-body.ts';

/** A request, independent of its API. */
export interface ReadRequest extends RequestHead {
  readonly chat: ChatOptions;
  /** A text to continue in place of the chat's messages. Default: there is none. */
  readonly prompt?: string;
  /** Pictures of which the chat's messages have marks. Default: there are none. */
  readonly pictures?: readonly RequestPicture[];
  /** Whether the answer has no thoughts, whatever the model thinks. */
  readonly hidesThoughts: boolean;
  /** Whether the answer, a JSON string, reaches the client as its contents. Default: false. */
  readonly unquotes?: boolean;
  /** Milliseconds after which the model is closed unless it is asked again. Default: the operator's. */
  readonly keepAliveMs?: number;
  /** Options that apply unless the server's operator or the model's template has it otherwise. */
  readonly wishes?: Pick<ChatOptions, 'thinking'>;
}

/** A response that has begun. */
export interface BegunAnswer<Request extends ReadRequest = ReadRequest> {
  readonly request: Request;
  /** The fields of the body that the API knows: some repeat parts of it. */
  readonly body: Body;
  /** Id of the response, without the API's prefix: letters and digits. */
  readonly id: string;
  /** Time of its beginning, in seconds since 1970. */
  readonly created: number;
  readonly model: string;
  /** The options of the chat, including the server's defaults. */
  readonly chat: ChatOptions;
  /** Where the API may keep what the client will name later. */
  readonly items: ItemMemory;
  /** Calls come as wholes: their first event once the last one is known. */
  readonly events: AsyncIterable<ResponseEvent>;
  /** Tokens of the prompt, known before the first event; `null` if they are not counted. */
  promptTokens(): Promise<number | null>;
  /** The prompt as text; `null` if the model does not show it. */
  prompt(): Promise<string | null>;
  /** Whether the answer is to hold it. */
  readonly verbose: boolean;
  /** May be called after the last event. */
  message(): Promise<ResponseMessage>;
}

/** An API. */
export interface Endpoint<Request extends ReadRequest = ReadRequest> {
  readonly path: string;
  /** The fields of its requests. */
  readonly fields: KnownFields;
  /** How a stream is framed: as server-sent events (default), or as JSON on lines. */
  readonly framing?: Framing;
  /** `items`: those of earlier answers. Throws `RequestError`, and the errors of chats for invalid options. */
  read(body: Body, items: ItemMemory): Request;
  /** The response of a request that only opens a model; `null` for every other. Default: there are none. */
  opened?(request: Request, model: string): object | null;
  /** The whole response, as JSON. */
  complete(answer: BegunAnswer<Request>): Promise<object>;
  /** The response as it arrives. */
  stream(answer: BegunAnswer<Request>): AsyncGenerator<Frame, void>;
  /** The body of an error. */
  errorBody(failure: Failure, requestId: string): object;
  /** The last frames of a stream that failed. */
  errorFrames(broken: BrokenStream<Request>): readonly Frame[];
}

/** A stream that failed after its beginning. */
export interface BrokenStream<Request extends ReadRequest = ReadRequest> {
  readonly failure: Failure;
  readonly requestId: string;
  /** Number of frames sent before. */
  readonly sent: number;
  /** `null` if the model had not been asked yet. */
  readonly answer: BegunAnswer<Request> | null;
}
