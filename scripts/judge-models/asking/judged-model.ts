/** One trained model, twice: with Idiolect, and with the plain engine. */
import { getLlama, type Llama, LlamaLogLevel } from 'node-llama-cpp';
import { cpuTime } from '../../../bench/processor-time.ts';
import type { ChatFormat } from '../../../src/format/chat-format.ts';
import type { Tool } from '../../../src/format/messages.ts';
import type { AnyResponseEvent } from '../../../src/parser/events.ts';
import { type ChatModel, type ChatOptions, loadModel } from '../../../src/runtime/node-llama-cpp/index.ts';
import { PlainEngine } from '../../../src/runtime/node-llama-cpp/plain-engine.ts';
import { type Response, readFree, thrownResponse, toResponse } from './response.ts';
import type { Sampling } from './sampling.ts';

/** A response, and the processor time that writing it took; its prompt was evaluated before. */
export interface TimedResponse extends Response {
  readonly milliseconds: number;
}

/** How a model is opened. */
export interface JudgedModelOptions {
  readonly file: string;
  /** Jinja source in place of the file's own. */
  readonly chatTemplate?: string;
  readonly threads: number;
  readonly contextSize: number;
}

let engine: Promise<Llama> | undefined;

/** node-llama-cpp on the processor, one per process. */
export function judgesLlama(): Promise<Llama> {
  engine ??= getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.error, progressLogs: false });
  return engine;
}

/** A model that is asked. */
export class JudgedModel {
  readonly chat: ChatModel;
  readonly plain: PlainEngine;

  private constructor(chat: ChatModel, plain: PlainEngine) {
    this.chat = chat;
    this.plain = plain;
  }

  /** Opens the file twice; the weights are mapped into memory once. */
  static async open({ file, threads, contextSize, ...options }: JudgedModelOptions): Promise<JudgedModel> {
    const llama = await judgesLlama();
    const common = { llama, threads, contextSize, requireTools: false };
    const chat = await loadModel(file, { ...common, ...options });
    return new JudgedModel(chat, await PlainEngine.open(llama, file, { contextSize, threads, gpuLayers: 0 }));
  }

  /** The format of the template that requests with tools use. */
  get format(): ChatFormat {
    return this.chat.templates.toolUse.format;
  }

  /** Answers with Idiolect. */
  async ask(request: ChatOptions, sampling: Sampling): Promise<TimedResponse> {
    const options = { ...request, ...sampling };
    // Its prompt is evaluated, and its grammar compiled, before the time is taken. Injected text alone would end this
    // response before anything is evaluated.
    const warm = await this.#answer({ ...options, maxTokens: 1, injectForcedText: false });
    if (warm.thrown !== null) return { ...warm, milliseconds: 0 };
    return timed(() => this.#answer(options));
  }

  /** Answers without a grammar, with the prompt of the same request; read by our parser. */
  async askFree(request: ChatOptions, tools: readonly Tool[], sampling: Sampling): Promise<TimedResponse> {
    const { prompt, promptTokens, generationPrompt } = this.chat.preview(request);
    const tokens = await this.plain.prepare(prompt);
    if (tokens !== promptTokens)
      throw new Error(`the plain engine's prompt has ${tokens} tokens instead of ${promptTokens}`);
    const { format } = this;
    return timed(async () => {
      const written = await this.plain.write(prompt, sampling);
      return readFree(written, { format, tools, generationPrompt });
    });
  }

  async dispose(): Promise<void> {
    await this.chat.dispose();
    await this.plain.dispose();
  }

  async #answer(options: ChatOptions): Promise<Response> {
    try {
      const stream = this.chat.chat(options);
      const events: AnyResponseEvent[] = [];
      for await (const event of stream) events.push(event);
      const message = await stream.message;
      const { completionTokens: tokens } = await stream.usage;
      const cut = tokens >= (options.maxTokens ?? Number.POSITIVE_INFINITY);
      return toResponse({ message, events, tokens, cut });
    } catch (error) {
      return thrownResponse(error);
    }
  }
}

async function timed(answer: () => Promise<Response>): Promise<TimedResponse> {
  const start = cpuTime();
  const response = await answer();
  return { ...response, milliseconds: cpuTime() - start };
}
