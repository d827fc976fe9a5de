/** Options for connecting to a server. */
import type { ResponseFormat } from '../grammar/grammar-options.ts';
import type { GeneratedModule } from '../parser/module-contract.ts';
import type { ChatOptions, ServerRequestOptions } from '../runtime/chat/chat-options.ts';
import type { ModuleRegistry } from '../runtime/chat/learned-template.ts';
import type { ToolFormatOption } from '../template/tool-format/tool-format-option.ts';
import type { ToolList } from '../tools/tools.ts';

/** The supported servers. */
export type ServerKind = 'llama-server' | 'vllm' | 'sglang';

/** Options of `connectServer`. */
export interface ServerOptions {
  readonly kind: ServerKind;
  /**
   * Its address: `http://localhost:8080`, including a path prefix if there is one; without user, password and query. Or
   * the addresses of several that serve the same model: a conversation stays with one of them as long as it answers.
   */
  readonly url: string | readonly string[];
  /** The model's name in requests. Default: the first that the server lists. */
  readonly model?: string | undefined;
  /** Sent as a bearer token. Default: none. */
  readonly apiKey?: string | undefined;
  /**
   * Jinja source of the model's chat template. Default: what llama-server reports, and vLLM if it was started with
   * `--enable-tokenizer-info-endpoint`; required for SGLang.
   */
  readonly chatTemplate?: string | undefined;
  /** Text of the beginning-of-sequence token, which many templates write. Default: what the server reports, or ''. */
  readonly bosToken?: string | undefined;
  /** Text of the end-of-sequence token. Default: what the server reports, or ''. */
  readonly eosToken?: string | undefined;
  /** Tokens available to prompt and response together. Default: what the server reports. */
  readonly contextSize?: number | undefined;
  /** Generated modules, or their registry, as for `loadModel`. Default: none; the template is analysed. */
  readonly modules?: readonly GeneratedModule[] | ModuleRegistry | undefined;
  /** Rejects models whose template does not support tools. Default: true; `false` allows chats without tools. */
  readonly requireTools?: boolean | undefined;
  /** How tools are described, and calls written, in place of the template's own way, as for `loadModel`. Default: none. */
  readonly toolFormat?: ToolFormatOption | undefined;
  /**
   * Whether the model sees pictures (`image_url` in messages); otherwise it is told that there is one. Default: what
   * llama-server and SGLang report; `false` for vLLM, which does not say.
   */
  readonly vision?: boolean | undefined;
  /**
   * Milliseconds without data after which a server counts as failed; a non-streamed answer has to be complete by then.
   * Default: 300,000, because the first token of a long prompt can take minutes.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * How often a request is retried after a transient failure: overloaded (429), no answer through a gateway (502),
   * starting (503), or a connection that was refused or lost. A response that breaks off is continued from where it
   * was, as often. Default: 2.
   */
  readonly retries?: number | undefined;
  /** Aborts connecting; chats have their own signals. */
  readonly signal?: AbortSignal | undefined;
  /** Makes the requests: through a proxy, with headers of your own. Default: the platform's `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** What is known of one server of a model. */
export interface ServerHealth {
  /** Its address. */
  readonly url: string;
  /** Whether requests are sent to it; `false` for a while after a failure. */
  readonly isWell: boolean;
  /** Number of responses that it is writing. */
  readonly running: number;
  /** Number of responses that it was asked for. */
  readonly requests: number;
  /** Number of its failures. */
  readonly failures: number;
}

/** The options of a chat. Text is injected only where a budget ends thoughts, so there is no option for it. */
export type ServerChatOptions<
  Tools extends ToolList = ToolList,
  Format extends ResponseFormat = ResponseFormat,
> = Omit<ChatOptions<Tools, Format>, 'injectForcedText'> & ServerRequestOptions;
