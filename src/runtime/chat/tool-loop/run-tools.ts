/**
 * A run of a conversation with tools: what a caller reads of it. The loop itself is loaded with the first run: a page that
 * only chats needs none of it.
 */
import type { SchemaIssue } from '../../../format/errors.ts';
import type { Message } from '../../../format/messages.ts';
import type { ResponseFormat } from '../../../grammar/grammar-options.ts';
import type { ResponseMessage, Usage } from '../../../parser/events.ts';
import type { ToolList } from '../../../tools/tools.ts';
import type { AnswerOf } from '../answer.ts';
import { unseen } from '../chat-stream.ts';
import { GeneratedStream } from '../generated-stream.ts';
import { noUsage } from '../token-usage.ts';
import type { Conversation, RunEvent, ToolCaller, ToolRunEvent } from './run-events.ts';
import type { RunToolsOptions } from './run-tools-options.ts';

/**
 * A tool run. Like a response, it advances as it is read: iterate over the events, or await `messages`, in this order.
 */
export interface ToolRun<Tools extends ToolList = ToolList, Format extends ResponseFormat = ResponseFormat>
  extends AsyncIterable<ToolRunEvent<Tools>> {
  /** The events. Its `return` leaves the run at once, also while a loop waits for a tool. */
  [Symbol.asyncIterator](): AsyncIterableIterator<ToolRunEvent<Tools>>;
  /**
   * The whole conversation, beginning with the given messages. If the loop was left, with what was written so far, and
   * with a result for each call that says so of those that have none. Rejects with whatever ended the run.
   */
  readonly messages: Promise<readonly Message[]>;
  /**
   * The conversation as it stands, whole messages only, at any time: after an error or an abort by `signal`, with a result
   * for each call, so that it can go on although tools have had effects.
   */
  readonly messagesSoFar: readonly Message[];
  /** The model's last message. */
  readonly message: Promise<ResponseMessage>;
  /** The last message's answer to `responseFormat`, as `ChatStream.object` gives it. */
  readonly object: Promise<AnswerOf<Format>>;
  /** The tokens of all responses together. */
  readonly usage: Promise<Usage>;
  /**
   * Where the grammars of its responses differ from the schemas; empty if they do not. Known before the first token,
   * so reading it does not start the run. Rejects with whatever prevents a response.
   */
  readonly report: Promise<readonly SchemaIssue[]>;
  /** The events as a stream; cancelling it ends the run. In place of iterating. */
  toReadableStream(): ReadableStream<ToolRunEvent<Tools>>;
  /** The events as an HTTP response, as `ChatStream` has it. */
  toResponse(init?: ResponseInit): Response;
}

/** Starts a run; nothing happens until it is read. */
export function runTools<const Tools extends ToolList, const Format extends ResponseFormat = ResponseFormat>(
  model: ToolCaller,
  options: RunToolsOptions<Tools, Format>,
): ToolRun<Tools, Format> {
  // The types of tools and answer matter only to the type checker.
  const run: unknown = new GeneratedToolRun(model, options as unknown as RunToolsOptions);
  return run as ToolRun<Tools, Format>;
}

class GeneratedToolRun extends GeneratedStream<RunEvent, Conversation> {
  readonly #model: ToolCaller;
  readonly #options: RunToolsOptions;
  readonly #conversation: Conversation;

  constructor(model: ToolCaller, options: RunToolsOptions) {
    const conversation: Conversation = {
      messages: [],
      last: { role: 'assistant', content: null },
      usage: noUsage,
      reading: null,
      reason: null,
      cutShort: false,
    };
    const leaving = new AbortController();
    super(
      begin(model, options, conversation, leaving),
      () => ({ ...conversation, messages: [...this.messagesSoFar] }),
      // What still runs is no longer needed.
      () => leaving.abort(),
    );
    this.#model = model;
    this.#options = options;
    this.#conversation = conversation;
  }

  get messages(): Promise<readonly Message[]> {
    return this.part(({ messages }) => messages);
  }

  get messagesSoFar(): readonly Message[] {
    const { messages } = this.#conversation;
    if (messages.length > 0) return [...messages];
    // Callers in JavaScript may pass nothing, as below.
    const given: unknown = (this.#options as RunToolsOptions | undefined)?.messages;
    return Array.isArray(given) ? [...given] : [];
  }

  get message(): Promise<ResponseMessage> {
    return this.part(({ last }) => last);
  }

  get object(): Promise<AnswerOf<ResponseFormat>> {
    // Callers in JavaScript may pass nothing, which is rejected when the run is read.
    const format = (this.#options as RunToolsOptions | undefined)?.responseFormat;
    return unseen(this.result.then(async (run) => (await loop()).answerOf(run, format)));
  }

  get usage(): Promise<Usage> {
    return this.part(({ usage }) => usage);
  }

  get report(): Promise<readonly SchemaIssue[]> {
    return unseen(loop().then(({ reportOf }) => reportOf(this.#model, this.#options)));
  }
}

/** The loop, and what else only runs need. */
const loop = () => import('./converse.ts');

async function* begin(
  model: ToolCaller,
  options: RunToolsOptions,
  conversation: Conversation,
  leaving: AbortController,
): AsyncGenerator<RunEvent, Conversation> {
  const { converse } = await loop();
  return yield* converse(model, options, conversation, leaving);
}
