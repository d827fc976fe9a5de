/** A model of Idiolect as a language model of the AI SDK. */
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV3StreamResult,
  SharedV3Warning,
} from '@ai-sdk/provider';
import type { SchemaIssue } from '../format/errors.ts';
import { isRecord, type OptionRule, requireOption } from '../format/option-rules.ts';
import type { ChatOptions } from '../runtime/chat/chat-options.ts';
import type { ChatStream } from '../runtime/chat/chat-stream.ts';
import { collectParts } from './gather-parts.ts';
import { readOptions } from './read-options.ts';
import { StreamParts } from './stream-parts.ts';

/** What the provider needs from a model, such as those of `loadModel()` and `connectServer()`. */
export interface IdiolectModel {
  /** Becomes `modelId`. */
  readonly name: string;
  /** One response. */
  chat(options: ChatOptions): ChatStream;
}

const openModel: OptionRule = {
  expected: 'what loadModel() or connectServer() resolves to',
  allows: (value) => isRecord(value) && typeof value.chat === 'function',
};

/**
 * A language model for `generateText`, `streamText` and every other function of the AI SDK. Tool calls and
 * `Output.object` are enforced while the model samples; options without effect are returned as warnings. Further
 * options of a chat are passed in `providerOptions.idiolect`. The caller remains responsible for disposing of the
 * model. Throws `UnsupportedOptionError` for anything but a model, such as its name.
 */
export function idiolect(model: IdiolectModel): LanguageModelV3 {
  requireOption('model', model, openModel);
  return {
    specificationVersion: 'v3',
    provider: 'idiolect',
    modelId: model.name,
    supportedUrls: {},
    doStream: (options) => stream(model, options),
    doGenerate: (options) => generate(model, options),
  };
}

async function stream(
  model: IdiolectModel,
  options: LanguageModelV3CallOptions,
): Promise<LanguageModelV3StreamResult> {
  const { chat, warnings } = readOptions(options);
  const answer = model.chat(chat);
  // Whatever prevents the response is thrown here, before there is a stream.
  const report = await answer.report;
  const parts = partsOf(model, answer, [...warnings, ...report.map(schemaWarning)]);
  return { stream: readable(parts, options.abortSignal), request: { body: chat } };
}

async function generate(
  model: IdiolectModel,
  options: LanguageModelV3CallOptions,
): Promise<LanguageModelV3GenerateResult> {
  const { chat, warnings } = readOptions(options);
  const answer = model.chat(chat);
  const report = await answer.report;
  const collected = await collectParts(partsOf(model, answer, [...warnings, ...report.map(schemaWarning)]));
  return { ...collected, request: { body: chat } };
}

/** What the grammar does not fully enforce. */
function schemaWarning({ tool, pointer, keyword, reason }: SchemaIssue): SharedV3Warning {
  const where = tool === '' ? 'the response format' : `tool "${tool}"`;
  return { type: 'other', message: `${where}, ${pointer === '' ? '/' : pointer}: ${keyword}: ${reason}` };
}

async function* partsOf(
  model: IdiolectModel,
  answer: ChatStream,
  warnings: SharedV3Warning[],
): AsyncGenerator<LanguageModelV3StreamPart, void> {
  yield { type: 'stream-start', warnings };
  yield { type: 'response-metadata', modelId: model.name, timestamp: new Date() };
  const parts = new StreamParts();
  for await (const event of answer) yield* parts.next(event);
}

/** A stream that is generated as it is read; cancelling it ends the response. */
function readable(
  parts: AsyncGenerator<LanguageModelV3StreamPart, void>,
  signal: AbortSignal | undefined,
): ReadableStream<LanguageModelV3StreamPart> {
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await parts.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        // The SDK distinguishes an abort from a failure by how the stream ends.
        if (signal?.aborted === true) return controller.error(error);
        controller.enqueue({ type: 'error', error });
        controller.close();
      }
    },
    async cancel() {
      await parts.return();
    },
  });
}
