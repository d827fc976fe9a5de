/** The result of `model.chat`: events to iterate over, and the message and its calls as promises. */
import type { SchemaIssue } from '../../format/errors.ts';
import type { ResponseFormat } from '../../grammar/grammar-options.ts';
import type { ResponseEvent, ResponseMessage, Usage } from '../../parser/events.ts';
import type { ChatEvent, ToolCallOf, ToolList } from '../../tools/tools.ts';
import {
  type AnswerOf,
  type PartialAnswer,
  partialAnswers,
  readAnswer,
  type WrittenAnswer,
} from './answer.ts';
import { GeneratedStream } from './generated-stream.ts';
import { told } from './response-channel.ts';
import { noUsage } from './token-usage.ts';

/**
 * One response. It is generated as it is read: iterate over the events, or await `message`, or iterate and
 * then await. Events are not stored: iterating a second time, or after awaiting `message`, is a
 * `ResponseReadError`. Leaving the iteration early ends the response; `message` is then what was written so far.
 */
export interface ChatStream<Tools extends ToolList = ToolList, Format extends ResponseFormat = ResponseFormat>
  extends AsyncIterable<ChatEvent<Tools>> {
  /** The finished message. Rejects with whatever ended the response: a typed error, the signal's reason. */
  readonly message: Promise<ResponseMessage>;
  /** The calls of the message with their arguments parsed; empty if there are none. Rejects like `message`. */
  readonly calls: Promise<readonly ToolCallOf<Tools>[]>;
  /**
   * The answer requested by `responseFormat`, as the schema's library parses it. Rejects like `message`, and with an
   * `AnswerError` if the response holds no such answer.
   */
  readonly object: Promise<AnswerOf<Format>>;
  /**
   * The answer while it is written, each time it has grown. Use it instead of the events; throws an `AnswerError` if
   * no JSON was requested.
   */
  readonly objects: AsyncIterable<PartialAnswer<WrittenAnswer<Format>>>;
  /** The tokens used, as in the last event. Rejects like `message`. */
  readonly usage: Promise<Usage>;
  /**
   * Where the grammar differs from the schemas; empty if it does not. Known before the first token, so awaiting it
   * does not start the response. Rejects with what is wrong with the options or the messages; that the prompt is too
   * long is known later.
   */
  readonly report: Promise<readonly SchemaIssue[]>;
  /** Tokens of the prompt; `null` if they are not counted. Known before the first token, and rejects, like `report`. */
  readonly promptTokens: Promise<number | null>;
  /** The events as a stream; cancelling it ends the response. In place of iterating. */
  toReadableStream(): ReadableStream<ChatEvent<Tools>>;
  /**
   * The events as an HTTP response, for a web framework: server-sent events with an event as JSON in each `data`, and
   * `[DONE]` in the last. If the response fails, the last event is `error`, with a code and a message. In place of
   * iterating.
   */
  toResponse(init?: ResponseInit): Response;
}

/** Determines where a grammar differs from the schemas. */
export type ReadReport = () => Promise<readonly SchemaIssue[]>;

/** A response that is generated when it is first read. */
export class GeneratedChat extends GeneratedStream<ResponseEvent, ResponseMessage> implements ChatStream {
  readonly #readReport: ReadReport;
  readonly #readUsage: () => Usage;
  readonly #format: ResponseFormat | undefined;
  readonly #readPromptTokens: () => Promise<number | null>;

  constructor(
    generation: AsyncGenerator<ResponseEvent, ResponseMessage>,
    interrupted: () => ResponseMessage,
    readReport: ReadReport,
    readUsage: () => Usage = () => noUsage,
    format?: ResponseFormat,
    readPromptTokens: () => Promise<number | null> = async () => null,
  ) {
    super(generation, interrupted);
    this.#readReport = readReport;
    this.#readUsage = readUsage;
    this.#format = format;
    this.#readPromptTokens = readPromptTokens;
  }

  get message(): Promise<ResponseMessage> {
    return this.result;
  }

  get usage(): Promise<Usage> {
    return this.part(() => this.#readUsage());
  }

  get object(): Promise<AnswerOf<ResponseFormat>> {
    return unseen(this.result.then((message) => readAnswer(message, this.#format)));
  }

  get objects(): AsyncIterable<PartialAnswer<WrittenAnswer<ResponseFormat>>> {
    return partialAnswers(this, this.#format);
  }

  get calls(): Promise<readonly ToolCallOf<ToolList>[]> {
    return this.part(callsOf);
  }

  get report(): Promise<readonly SchemaIssue[]> {
    return unseen(this.#readReport());
  }

  get promptTokens(): Promise<number | null> {
    return unseen(this.#readPromptTokens());
  }
}

/** How an engine generates a response. */
export interface ChatSource {
  /** Generates the response. Calls `started` with its run before the first event. */
  readonly generate: (started: (run: StreamedRun) => void) => AsyncGenerator<ResponseEvent, ResponseMessage>;
  readonly report: ReadReport;
  /** The prompt as text. */
  readonly prompt: () => Promise<string>;
  readonly promptTokens: () => Promise<number | null>;
}

/** The part of an engine's run that a stream needs. */
interface StreamedRun {
  /** All that was written, markers included. */
  readonly text: string;
  readonly usage: Usage;
  finish(left: boolean): { readonly message: ResponseMessage };
}

/** The stream of a chat, which runs as it is read. */
export function streamChat<Tools extends ToolList, Format extends ResponseFormat>(
  { generate, report, prompt, promptTokens }: ChatSource,
  options: { readonly responseFormat?: Format | undefined },
): ChatStream<Tools, Format> {
  let run: StreamedRun | null = null;
  const untold = generate((started) => {
    run = started;
  });
  const generation = told(untold, { prompt, run: () => run });
  const interrupted = (): ResponseMessage =>
    run?.finish(true).message ?? { role: 'assistant', content: null };
  const usage = (): Usage => run?.usage ?? noUsage;
  // Callers in JavaScript may pass nothing, which is rejected when the stream is read.
  const responseFormat = (options as typeof options | undefined)?.responseFormat;
  const stream = new GeneratedChat(generation, interrupted, report, usage, responseFormat, promptTokens);
  // The grammar guarantees the types of calls; the compiler cannot know.
  return stream as unknown as ChatStream<Tools, Format>;
}

/**
 * The same promise, whose rejection is not reported as unhandled, because the reader of the response gets the error.
 */
export function unseen<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined);
  return promise;
}

/** The calls of a message, with their arguments parsed. */
export function callsOf({ tool_calls = [] }: ResponseMessage): ToolCallOf<ToolList>[] {
  return tool_calls.map(({ id, function: called, assurance }) => ({
    id,
    name: called.name,
    arguments: JSON.parse(called.arguments),
    ...(assurance === undefined ? {} : { assurance }),
  }));
}
