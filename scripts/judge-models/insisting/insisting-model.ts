/** A chat model that insists on texts, whatever it was asked, under any template: plain JavaScript, and no file. */

import { modules } from '../../../generated/index.ts';
import { interpretedModule } from '../../../src/codegen/create-response-parser.ts';
import { DecodingError, IdiolectError } from '../../../src/format/errors.ts';
import type { AssistantMessage } from '../../../src/format/messages.ts';
import { readPromptPosition } from '../../../src/grammar/read-prompt-position.ts';
import type { AnyResponseEvent } from '../../../src/parser/events.ts';
import {
  type ChatOptions,
  type ChatPreview,
  connectEngine,
  type EngineModel,
} from '../../../src/runtime/engine/index.ts';
import { vocabularyOf } from '../../../src/runtime/engine/tokens/vocabulary.ts';
import { ScriptedEngine, scriptOf } from '../../../src/testing/scripted-engine.ts';
import { tokenizerWith } from '../../../src/testing/toy/tokenizer.ts';
import { restOfTurn } from '../../../test/support/rest-of-turn.ts';
import type { Random } from '../../toy/random.ts';
import { type Response, thrownResponse, toResponse } from '../asking/response.ts';
import type { Drawing } from './behaviours.ts';
import type { NamedTemplate } from './chat-templates.ts';
import { Spelling } from './spelling.ts';

/** A request without its messages. */
export type Request = Omit<ChatOptions, 'messages'>;

/** What came of one text. */
export interface InsistedResponse extends Response {
  /** What kind of error it ended with: `refused` is one before the first token, `untyped` none of Idiolect's own. */
  readonly error: 'refused' | 'typed' | 'untyped' | null;
}

const mostTokens = 100;

/** A template under which none of the requests is possible. */
export class RefusedTemplateError extends Error {
  override readonly name = 'RefusedTemplateError';
}

const [begin, end] = ['<s>', '</s>'];

/** An engine that writes whatever it was last told to; the format's markers and ends are single tokens. */
export class InsistingEngine extends ScriptedEngine {
  #script: readonly number[] = [];
  /** Where the response begins that a server writes, which may be asked again for the rest of it. */
  #start: number | null = null;
  #promptTokens: number | null = null;

  /** `spellsMarkers`: its vocabulary has no tokens for the format's markers. */
  constructor({ name, source, format }: NamedTemplate, { contextSize = 8192, spellsMarkers = false } = {}) {
    const controls = [...new Set([begin, end, ...format.stops])];
    const others = format.preservedTokens.filter((text) => !controls.includes(text));
    const markers = spellsMarkers ? [] : others;
    super({
      model: name,
      contextSize,
      chatTemplate: source,
      tokenizer: tokenizerWith({ controls, markers, end }),
      scriptAfter: ({ tokens, responseStart }) => {
        this.#start ??= responseStart ?? this.#promptTokens ?? tokens.length;
        return {
          script: scriptOf(this.#script, this.tokenizer),
          start: Math.min(this.#start, responseStart ?? tokens.length),
        };
      },
    });
  }

  /**
   * Says what the next response is to be. `promptTokens`: after how many tokens it begins, which a server is not told
   * where something was injected before its first request.
   */
  insistOn(script: readonly number[], promptTokens: number | null = null): void {
    this.#script = script;
    this.#start = null;
    this.#promptTokens = promptTokens;
  }

  /** What it says comes after these tokens, for engines that take logits from it. */
  logitsAfter(tokens: readonly number[]): Float32Array {
    const text = this.textAfter({ tokens, turnStart: tokens.length });
    for (const _ of text.extend(tokens));
    return text.logits();
  }
}

/** Makes a chat model of such an engine. */
export type Connect = (engine: InsistingEngine) => Promise<EngineModel>;

/** In this process. */
export const connectHere: Connect = (engine) => connectEngine(engine, { modules, requireTools: false });

/** A model that writes what it is given, as far as a grammar lets it. */
export class InsistingModel {
  readonly template: NamedTemplate;
  readonly spelling: Spelling;
  readonly #engine: InsistingEngine;
  readonly #chat: EngineModel;

  private constructor(template: NamedTemplate, engine: InsistingEngine, chat: EngineModel) {
    this.template = template;
    this.#engine = engine;
    this.#chat = chat;
    this.spelling = new Spelling(vocabularyOf(engine.tokenizer), template.format);
  }

  /** A model of this template. Throws `RefusedTemplateError` if it allows none of the requests. */
  static async open(
    template: NamedTemplate,
    requests: readonly Request[],
    connect: Connect = connectHere,
  ): Promise<InsistingModel> {
    const engine = new InsistingEngine(template);
    const chat = await connect(engine);
    const model = new InsistingModel(template, engine, chat);
    if (requests.some((request) => model.allows(request))) return model;
    throw new RefusedTemplateError(template.name);
  }

  /** What a chat with this request would use. */
  preview(request: Request): ChatPreview {
    return this.#chat.preview(optionsOf(request));
  }

  /** The tokens of a response to this request: what its prompt leaves of the text, and the end of the turn. */
  encodeResponse(request: Request, text: string): readonly number[] {
    return this.spelling.encodeTurn(this.responseTo(request, text));
  }

  /** What a prompt leaves of an answer: without the marker that the prompt ends with, and after the thoughts it opens. */
  responseTo(request: Request, text: string): string {
    const { format } = this.template;
    const { generationPrompt } = this.preview(request);
    const { place } = readPromptPosition(format, interpretedModule(format), generationPrompt, []);
    const thoughtsEnd = place === 'reasoning' ? (format.reasoning?.end ?? '') : '';
    return thoughtsEnd + restOf(text, generationPrompt);
  }

  /** What behaviours are drawn from, for a model that is asked this and has this in mind. */
  drawing(request: Request, random: Random, intent: AssistantMessage): Drawing {
    const { format } = this.template;
    const { generationPrompt } = this.preview(request);
    return {
      ...{ format, random, intent, spelling: this.spelling },
      write: (message) => restOfTurn(format, generationPrompt, message),
      turn: (text) => this.spelling.encodeTurn(text),
    };
  }

  /** Answers this request, insisting on these tokens. */
  async respond(script: readonly number[], request: Request): Promise<InsistedResponse> {
    this.#engine.insistOn(script, this.#promptTokens(request));
    try {
      const options = optionsOf(request);
      const stream = this.#chat.chat(options);
      const events: AnyResponseEvent[] = [];
      for await (const event of stream) events.push(event);
      const message = await stream.message;
      const { completionTokens: tokens } = await stream.usage;
      const cut = tokens >= options.maxTokens;
      return { ...toResponse({ message, events, tokens, cut }), error: null };
    } catch (error) {
      return { ...thrownResponse(error), error: kindOf(error) };
    }
  }

  dispose(): Promise<void> {
    return this.#chat.dispose();
  }

  /** Whether the template renders this request. */
  allows(request: Request): boolean {
    return this.#promptTokens(request) !== null;
  }

  /** `null` for a request that is refused. */
  #promptTokens(request: Request): number | null {
    try {
      return this.preview(request).promptTokens;
    } catch (error) {
      if (error instanceof IdiolectError) return null;
      throw error;
    }
  }
}

/** Opens a model of the template, and closes it after `use`. Throws `RefusedTemplateError`. */
export async function* insisting<Result>(
  template: NamedTemplate,
  requests: readonly Request[],
  use: (model: InsistingModel) => AsyncGenerator<Result>,
  connect?: Connect,
): AsyncGenerator<Result> {
  const model = await InsistingModel.open(template, requests, connect);
  try {
    yield* use(model);
  } finally {
    await model.dispose();
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

function optionsOf(request: Request): ChatOptions & { readonly maxTokens: number } {
  const messages = [{ role: 'user', content: 'Do it.' }] as const;
  return { temperature: 0, ...request, maxTokens: request.maxTokens ?? mostTokens, messages };
}
