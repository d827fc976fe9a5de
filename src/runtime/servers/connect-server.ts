/** Connects to an inference server, and learns how its model writes. */
import { ServerError, UnsupportedOptionError } from '../../format/errors.ts';
import type { BuiltGrammar } from '../../grammar/build-grammar.ts';
import type { GeneratedModule } from '../../parser/module-contract.ts';
import type { ToolList } from '../../tools/tools.ts';
import type { ChatStream } from '../chat/chat-stream.ts';
import { GrammarCache } from '../chat/grammar-cache.ts';
import {
  type LearnedTemplate,
  type ModuleRegistry,
  TemplateShelf,
  type TemplateSources,
} from '../chat/learned-template.ts';
import { type RunToolsOptions, runTools, type ToolRun } from '../chat/run-tools.ts';
import { checkServerOptions } from './check-server-options.ts';
import { llamaServer } from './llama-server.ts';
import { sglang, vllm } from './openai-server.ts';
import { PromptEncoder } from './prompt-encoder.ts';
import {
  prepareServerChat,
  type ServerChatOptions,
  type ServerEngine,
  startServerChat,
} from './server-chat.ts';
import { ServerConnection } from './server-connection.ts';
import type { ServedModel, ServerDialect } from './server-dialect.ts';

/** The servers that are spoken to. */
export type ServerKind = 'llama-server' | 'vllm' | 'sglang';

/** Options of `connectServer`. */
export interface ServerOptions {
  readonly kind: ServerKind;
  /** Where it is: `http://localhost:8080`; with a path if it is after one. Without user, password and query. */
  readonly url: string;
  /** Its model's name in requests. Default: the first that the server names. */
  readonly model?: string;
  /** Sent as a bearer token. Default: none. */
  readonly apiKey?: string;
  /** Jinja source of the model's chat template. Default: what the server says; vLLM and SGLang say nothing. */
  readonly chatTemplate?: string;
  /** Text of the token that begins texts, which many templates write. Default: what the server says, or ''. */
  readonly bosToken?: string;
  /** Text of the token that ends texts. Default: what the server says, or ''. */
  readonly eosToken?: string;
  /** Tokens that prompt and response may have together. Default: what the server says. */
  readonly contextSize?: number;
  /** Generated modules, or their registry, as for `loadModel`. Default: none, and the template is analysed. */
  readonly modules?: readonly GeneratedModule[] | ModuleRegistry;
  /** Refuse a model whose template cannot do tools. Default: true; `false` for chats without tools. */
  readonly requireTools?: boolean;
  /**
   * A server that sends nothing for so many milliseconds is given up; an answer that is no stream has to be complete
   * by then. Default: 300,000, because the first token of a long prompt takes its time.
   */
  readonly timeoutMs?: number;
  /** Ends connecting; chats have signals of their own. */
  readonly signal?: AbortSignal;
  /** Makes the requests: through a proxy, with headers of your own. Default: the platform's `fetch`. */
  readonly fetch?: typeof fetch;
}

/** A model behind a server that can chat. */
export interface ServerModel {
  /** Its name. */
  readonly name: string;
  /** The model's templates, and how each is written. */
  readonly templates: { readonly default: LearnedTemplate; readonly toolUse: LearnedTemplate };
  /** Answers a conversation. Nothing is asked for until the stream is read. */
  chat<const Tools extends ToolList = ToolList>(options: ServerChatOptions<Tools>): ChatStream<Tools>;
  /** Answers, carries out the calls that the model makes, tells it the results, until it answers without a call. */
  runTools<const Tools extends ToolList>(options: ServerRunToolsOptions<Tools>): ToolRun<Tools>;
  /** What `chat` would do: the prompt as text, and the grammar. Throws what `chat` would throw before it asks. */
  preview(options: ServerChatOptions): Promise<ServerChatPreview>;
}

/** What a run is to do. */
export type ServerRunToolsOptions<Tools extends ToolList = ToolList> = Omit<
  RunToolsOptions<Tools>,
  'injectForcedText'
>;

/** A chat as far as it is known before a token is asked for. */
export interface ServerChatPreview {
  readonly prompt: string;
  /** What the prompt wrote of the assistant's turn. */
  readonly generationPrompt: string;
  readonly grammar: BuiltGrammar;
}

const dialects: { readonly [Kind in ServerKind]: ServerDialect } = {
  'llama-server': llamaServer,
  vllm,
  sglang,
};

/**
 * Connects to a server. Throws `ServerError` when it cannot be reached or is of another kind,
 * `UnsupportedOptionError` for an option that is none, that has a value it cannot have, or that the server
 * leaves open, `ToolsUnsupportedError`, `TemplateError` and `AnalysisError` as `loadModel` does.
 */
export async function connectServer(given: ServerOptions): Promise<ServerModel> {
  const options = checkServerOptions(given);
  const dialect = dialects[options.kind];
  const connection = new ServerConnection(options);
  const served = await connection.ask(dialect.describe, options.signal);
  const name = options.model ?? served.name;
  const texts = {
    bosToken: options.bosToken ?? served.bosToken ?? '',
    eosToken: options.eosToken ?? served.eosToken ?? '',
  };
  const sources = templatesOf(served, options, name ?? options.kind);
  const shelf = await TemplateShelf.open(sources, texts, options.modules ?? []);
  if (options.requireTools !== false) shelf.requireTools();
  return new ConnectedModel(sources.name, {
    connection,
    dialect,
    model: name,
    contextSize: contextSizeOf(served, options),
    encoder: new PromptEncoder(connection, dialect, name, texts.bosToken),
    shelf,
    grammars: new GrammarCache(),
  });
}

function templatesOf(
  served: ServedModel,
  { chatTemplate, url }: ServerOptions,
  name: string,
): TemplateSources {
  if (chatTemplate !== undefined) return { name, default: chatTemplate, toolUse: chatTemplate };
  const { chatTemplate: plain, toolUseTemplate: toolUse } = served;
  if (plain !== null) return { name, default: plain, toolUse: toolUse ?? plain };
  const reason = `${url} does not say the model's chat template; pass its Jinja source`;
  throw new UnsupportedOptionError({ option: 'chatTemplate', reason });
}

function contextSizeOf(served: ServedModel, { contextSize, url }: ServerOptions): number {
  const size = contextSize ?? served.contextSize;
  if (size !== null) return size;
  throw new ServerError({ url, reason: 'it does not say how long its context is; pass contextSize' });
}

class ConnectedModel implements ServerModel {
  readonly name: string;
  readonly #engine: ServerEngine;

  constructor(name: string, engine: ServerEngine) {
    this.name = name;
    this.#engine = engine;
  }

  get templates(): ServerModel['templates'] {
    const { shelf } = this.#engine;
    return { default: shelf.learn(false), toolUse: shelf.learn(true) };
  }

  chat<const Tools extends ToolList = ToolList>(options: ServerChatOptions<Tools>): ChatStream<Tools> {
    return startServerChat(this.#engine, options);
  }

  runTools<const Tools extends ToolList>(options: ServerRunToolsOptions<Tools>): ToolRun<Tools> {
    return runTools(this, options);
  }

  async preview(options: ServerChatOptions): Promise<ServerChatPreview> {
    const { pieces, generationPrompt, grammar } = await prepareServerChat(this.#engine, options);
    return { prompt: pieces.join(''), generationPrompt, grammar };
  }
}
