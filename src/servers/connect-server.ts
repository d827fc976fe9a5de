/** Connects to an inference server, and determines the format of its model's responses. */
import { UnsupportedOptionError } from '../format/errors.ts';
import type { ResponseFormat } from '../grammar/grammar-options.ts';
import type { ServerRequestOptions } from '../runtime/chat/chat-options.ts';
import type { ChatStream } from '../runtime/chat/chat-stream.ts';
import type { DescribedModel, PreviewedPrompt } from '../runtime/chat/described-model.ts';
import { LateEnforcement } from '../runtime/chat/enforcement/late-enforcement.ts';
import { TemplateCache, type TemplateSources, withToolFormat } from '../runtime/chat/learned-template.ts';
import { runTools, type ToolRun } from '../runtime/chat/tool-loop/run-tools.ts';
import type { RunToolsOptions } from '../runtime/chat/tool-loop/run-tools-options.ts';
import { fillMarks } from '../tools/picture-marks.ts';
import type { ToolList } from '../tools/tools.ts';
import { checkServerOptions } from './check-server-options.ts';
import { llamaServer } from './llama-server.ts';
import { sglang, vllm } from './openai-server.ts';
import { lineOf } from './pictures.ts';
import { PromptEncoder } from './prompt-encoder.ts';
import { prepareServerChat, type ServerEngine, startServerChat } from './server-chat.ts';
import type { ServedModel, ServerDialect } from './server-dialect.ts';
import type { ServerChatOptions, ServerHealth, ServerKind, ServerOptions } from './server-options.ts';
import { ServerPool } from './server-pool.ts';

/** A model on a server, ready to chat. */
export interface ServerModel extends DescribedModel {
  /** Whether it sees pictures. */
  readonly vision: boolean;
  /** Its servers, as they are now. */
  readonly servers: readonly ServerHealth[];
  /** Answers a conversation. Nothing is requested until the stream is read. */
  chat<const Tools extends ToolList = ToolList, const Format extends ResponseFormat = ResponseFormat>(
    options: ServerChatOptions<Tools, Format>,
  ): ChatStream<Tools, Format>;
  /** Answers with tools: executes the model's calls and passes it the results until it answers without a call. */
  runTools<const Tools extends ToolList, const Format extends ResponseFormat = ResponseFormat>(
    options: ServerRunToolsOptions<Tools, Format>,
  ): ToolRun<Tools, Format>;
  /** What `chat` would use: the prompt as text, with a line for each picture, and the grammar. Throws the errors of `chat` before its request. */
  preview(options: ServerChatOptions): Promise<ServerChatPreview>;
}

/** The options of a tool run. */
export type ServerRunToolsOptions<
  Tools extends ToolList = ToolList,
  Format extends ResponseFormat = ResponseFormat,
> = Omit<RunToolsOptions<Tools, Format>, 'injectForcedText'> & ServerRequestOptions;

/** What is known of a chat before the first request. */
export type ServerChatPreview = PreviewedPrompt;

const dialects: { readonly [Kind in ServerKind]: ServerDialect } = {
  'llama-server': llamaServer,
  vllm,
  sglang,
};

/**
 * Connects to a server. Throws `ServerError` if it cannot be reached or is of another kind; `UnsupportedOptionError`
 * for an unknown or invalid option, or a missing one that the server does not report; `ToolsUnsupportedError`,
 * `TemplateError` and `AnalysisError` as `loadModel` does.
 */
export async function connectServer(given: ServerOptions): Promise<ServerModel> {
  const options = checkServerOptions(given);
  const dialect = dialects[options.kind];
  const servers = new ServerPool(options, dialect);
  const { served: described, tokenizer, takesTags } = await servers.meet(options.signal);
  const served = { ...described, ...tokenizer };
  const name = options.model ?? served.name;
  const texts = {
    bosToken: options.bosToken ?? served.bosToken ?? '',
    eosToken: options.eosToken ?? served.eosToken ?? '',
  };
  const own = templatesOf(served, options, servers.urls[0] ?? '', name ?? options.kind);
  const sources = await withToolFormat(own, options.toolFormat);
  const templates = await TemplateCache.open(sources, texts, options.modules ?? []);
  if (options.requireTools !== false) templates.requireTools();
  return serverModel(sources.name, {
    servers,
    dialect,
    model: name,
    takesTags,
    vision: seesPictures(options, described.vision, takesTags, dialect),
    contextSize: contextOf(served, options.contextSize) ?? unknownContext(servers),
    encoder: new PromptEncoder(servers, dialect, {
      name,
      ...texts,
      addedTokens: tokenizer?.addedTokens ?? null,
    }),
    templates,
    enforcement: new LateEnforcement(),
  });
}

function templatesOf(
  served: ServedModel,
  { chatTemplate }: ServerOptions,
  url: string,
  name: string,
): TemplateSources {
  if (chatTemplate !== undefined) return { name, default: chatTemplate, toolUse: chatTemplate };
  const { chatTemplate: plain, toolUseTemplate: toolUse } = served;
  if (plain !== null) return { name, default: plain, toolUse: toolUse ?? plain };
  const reason = `${url} does not say the model's chat template; pass its Jinja source (vLLM says it if started with --enable-tokenizer-info-endpoint)`;
  throw new UnsupportedOptionError({ option: 'chatTemplate', reason });
}

/** A server rejects what exceeds its own context. */
function contextOf({ contextSize }: ServedModel, wanted = contextSize): number | null {
  if (wanted === null || contextSize === null || wanted <= contextSize) return wanted;
  const reason = `must be at most ${contextSize}, the context that the server was started with, got ${wanted}`;
  throw new UnsupportedOptionError({ option: 'contextSize', reason });
}

/** A server that renders conversations itself has its own template, and writes the whole response at once, under a tag. */
function seesPictures(
  { vision: wanted, toolFormat }: ServerOptions,
  told: boolean | null,
  takesTags: boolean,
  { pictures }: ServerDialect,
): boolean {
  const isAble = pictures === 'in-prompt' || (takesTags && toolFormat === undefined);
  if (wanted === true && !isAble) {
    const reason = 'needs vLLM 0.12 or SGLang 0.5.6, or later, and no toolFormat';
    throw new UnsupportedOptionError({ option: 'vision', reason });
  }
  return isAble && (wanted ?? told ?? false);
}

function unknownContext(servers: ServerPool): never {
  throw servers.error('', 'it does not say how long its context is; pass contextSize');
}

async function serverModel(name: string, engine: ServerEngine): Promise<ServerModel> {
  const { contextSize, vision, servers } = engine;
  const templates = await engine.templates.learnAll();
  const model: ServerModel = {
    name,
    contextSize,
    vision,
    templates,
    get servers() {
      return servers.health;
    },
    chat: (options) => startServerChat(engine, options),
    runTools: (options) => runTools(model, options),
    preview: async (options) => {
      const { prompt, grammar, pictures } = await prepareServerChat(engine, options);
      const { text, generationPrompt } = prompt;
      return { prompt: fillMarks(text, pictures, lineOf), generationPrompt, grammar };
    },
  };
  return model;
}
