/**
 * A model that insists on texts, whatever it was asked: a scripted model whose texts lie one after another at positions
 * far apart. The length of the prompt chooses the text, so one small file serves all texts of a template; where a
 * grammar refuses a token of the text, the model goes on with the next one.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { LlamaModel, Token } from 'node-llama-cpp';
import { writeModelFile } from '../../../examples/support/small-models.ts';
import { modules } from '../../../generated/index.ts';
import { DecodingError, IdiolectError } from '../../../src/format/errors.ts';
import { readPromptPosition } from '../../../src/grammar/prompt-position.ts';
import type { AnyResponseEvent } from '../../../src/parser/events.ts';
import {
  type ChatModel,
  type ChatOptions,
  type ChatPreview,
  loadModel,
} from '../../../src/runtime/node-llama-cpp/index.ts';
import { MarkerTokens } from '../../../src/runtime/node-llama-cpp/marker-tokens.ts';
import { readVocabulary, type Vocabulary } from '../../../src/runtime/node-llama-cpp/vocabulary.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { loadVocabulary, smallVocabulary, tinyModelFile } from '../../../test/support/small-vocabulary.ts';
import { judgesLlama } from '../asking/judged-model.ts';
import { type Response, thrownResponse, toResponse } from '../asking/response.ts';
import type { NamedTemplate } from './chat-templates.ts';

/** A request without its messages. */
export type Request = Omit<ChatOptions, 'messages'>;

/** Tokens of a template's vocabulary. */
export class Spelling {
  readonly vocabulary: Vocabulary;
  readonly #markers: MarkerTokens;

  readonly #end: readonly Token[];

  constructor(vocabulary: Vocabulary, { format }: NamedTemplate) {
    this.vocabulary = vocabulary;
    this.#markers = new MarkerTokens(vocabulary, [...format.preservedTokens, ...format.stops]);
    const end = vocabulary.silent.find((token) => vocabulary.endsGeneration(token));
    this.#end = [...this.encode(format.turn.ends[0]?.trim() ?? ''), ...(end === undefined ? [] : [end])];
  }

  /** The tokens of a text; the format's markers are single tokens where the vocabulary has them. */
  encode(text: string): readonly Token[] {
    return this.#markers.encode(text);
  }

  /** The same, and the end of the turn. */
  encodeTurn(text: string): readonly Token[] {
    return [...this.encode(text), ...this.#end];
  }
}

/** What came of one text. */
export interface InsistedResponse extends Response {
  /** What kind of error it ended with: `refused` is one before the first token, `untyped` none of Idiolect's own. */
  readonly error: 'refused' | 'typed' | 'untyped' | null;
}

const contextSize = 8192;
/** From the beginning of one text to that of the next; longer ones are cut unless a text is the only one. */
const stride = 160;
const mostTokens = 100;

/** A vocabulary with the template's markers, and a way to ask for prompts. */
export class InsistingVocabulary {
  readonly template: NamedTemplate;
  readonly spelling: Spelling;
  readonly #chat: ChatModel;
  readonly #plain: LlamaModel;

  private constructor(template: NamedTemplate, chat: ChatModel, plain: LlamaModel, file: string) {
    this.template = template;
    this.#chat = chat;
    this.#plain = plain;
    this.spelling = new Spelling(readVocabulary(plain, file), template);
  }

  /** Opens a small model of the template, which writes nothing. */
  static async open(template: NamedTemplate): Promise<InsistingVocabulary> {
    const file = await tinyModelFile({ ...choiceOf(template), chatTemplate: template.source });
    const llama = await judgesLlama();
    const chat = await openChat(file);
    const plain = await llama.loadModel({ modelPath: file, vocabOnly: true });
    return new InsistingVocabulary(template, chat, plain, file);
  }

  /** What a chat with this request would use. */
  preview(request: Request): ChatPreview {
    return this.#chat.preview(withFiller(request, 0));
  }

  /** The tokens of a response to this request: what its prompt leaves of the text, and the end of the turn. */
  encodeResponse(request: Request, text: string): readonly Token[] {
    const { format } = this.template;
    const { generationPrompt } = this.preview(request);
    const { place } = readPromptPosition(format, generationPrompt, []);
    const thoughtsEnd = place === 'reasoning' ? (format.reasoning?.end ?? '') : '';
    return this.spelling.encodeTurn(thoughtsEnd + restOf(text, generationPrompt));
  }

  /** Tokens of the longest prompt of these requests; those that are refused have none. Throws `RefusedTemplateError`. */
  longestPrompt(requests: readonly Request[]): number {
    const lengths = requests.flatMap((request) => this.#promptLength(request) ?? []);
    if (lengths.length === 0) throw new RefusedTemplateError(this.template.name);
    return Math.max(...lengths);
  }

  /** A model that insists on these texts, as tokens, from a prompt of `first` tokens on. */
  async insistOn(texts: readonly (readonly Token[])[], first: number): Promise<InsistingModel> {
    const room = Math.floor((contextSize - first) / stride);
    if (texts.length > room) throw new RangeError(`${texts.length} texts, and there is room for ${room}`);
    const script: Token[] = [];
    for (const [index, text] of texts.entries()) {
      while (script.length < index * stride) script.push(text[0] ?? script[0] ?? (0 as Token));
      script.push(...(texts.length === 1 ? text : text.slice(0, stride)));
    }
    const vocabulary = await loadVocabulary(choiceOf(this.template));
    const chatTemplate = this.template.source;
    const bytes = scriptedModel({ vocabulary, chatTemplate, script, promptLength: first });
    const file = path.join(os.tmpdir(), `idiolect-insisting-${process.pid}.gguf`);
    writeModelFile(file, bytes);
    try {
      return new InsistingModel(await openChat(file), first);
    } finally {
      fs.rmSync(file, { force: true });
    }
  }

  async dispose(): Promise<void> {
    await this.#chat.dispose();
    await this.#plain.dispose();
  }

  /** `null` if the request is refused before its first token. */
  #promptLength(request: Request): number | null {
    try {
      return this.preview(request).promptTokens;
    } catch (error) {
      if (error instanceof IdiolectError) return null;
      throw error;
    }
  }
}

/** A template under which none of the requests is possible. */
export class RefusedTemplateError extends Error {
  override readonly name = 'RefusedTemplateError';
}

/** Opens a model that insists on `texts`, and closes it after `use`. Throws `RefusedTemplateError`. */
export async function* insisting<Result>(
  template: NamedTemplate,
  requests: readonly Request[],
  texts: (vocabulary: InsistingVocabulary) => readonly (readonly Token[])[],
  use: (model: InsistingModel) => AsyncGenerator<Result>,
): AsyncGenerator<Result> {
  const vocabulary = await InsistingVocabulary.open(template);
  try {
    const first = vocabulary.longestPrompt(requests);
    const model = await vocabulary.insistOn(texts(vocabulary), first);
    try {
      yield* use(model);
    } finally {
      await model.dispose();
    }
  } finally {
    await vocabulary.dispose();
  }
}

/** A model that insists on its texts. */
export class InsistingModel {
  readonly #chat: ChatModel;
  readonly #first: number;

  constructor(chat: ChatModel, first: number) {
    this.#chat = chat;
    this.#first = first;
  }

  /** Answers this request, writing the text with this number. */
  async respond(text: number, request: Request): Promise<InsistedResponse> {
    try {
      const options = { maxTokens: mostTokens, temperature: 0, ...this.#requestFor(text, request) };
      const { grammar } = this.#chat.preview(options);
      const isForced = grammar.expression !== null && !grammar.lazy;
      const stream = this.#chat.chat(options);
      const events: AnyResponseEvent[] = [];
      for await (const event of stream) events.push(event);
      const message = await stream.message;
      const { completionTokens: tokens, injectedTokens } = await stream.usage;
      // Text is injected only where a grammar is in force.
      const otherwise = isForced || injectedTokens > 0 ? 'enforced' : 'none';
      const cut = tokens >= options.maxTokens;
      return { ...toResponse({ message, events, tokens, cut, otherwise }), error: null };
    } catch (error) {
      return { ...thrownResponse(error), error: kindOf(error) };
    }
  }

  dispose(): Promise<void> {
    return this.#chat.dispose();
  }

  /** The prompt is filled up until it ends where the text begins. */
  #requestFor(text: number, request: Request): ChatOptions {
    const wanted = this.#first + text * stride;
    const missing = wanted - this.#chat.preview(withFiller(request, 0)).promptTokens;
    const filled = withFiller(request, missing);
    const { promptTokens } = this.#chat.preview(filled);
    if (promptTokens === wanted) return filled;
    throw new Error(`the prompt has ${promptTokens} tokens instead of ${wanted}`);
  }
}

/** The text without the marker that the prompt ends with. */
function restOf(text: string, generationPrompt: string): string {
  let shared = text.length;
  while (!generationPrompt.endsWith(text.slice(0, shared))) shared -= 1;
  return text.slice(0, shared).trim() === '' ? text : text.slice(shared);
}

function kindOf(error: unknown): InsistedResponse['error'] {
  if (!(error instanceof IdiolectError)) return 'untyped';
  return error instanceof DecodingError ? 'typed' : 'refused';
}

async function openChat(file: string): Promise<ChatModel> {
  const llama = await judgesLlama();
  return loadModel(file, { llama, threads: 1, contextSize, requireTools: false, modules });
}

function choiceOf({ format }: NamedTemplate) {
  return { vocabulary: smallVocabulary, markers: format.preservedTokens, controls: format.stops };
}

/** Each ` x` is one token. */
function withFiller(request: Request, count: number): ChatOptions {
  return { ...request, messages: [{ role: 'user', content: `Do it.${' x'.repeat(count)}` }] };
}
