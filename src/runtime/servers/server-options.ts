/** Which server to connect to, and how. */
import type { ResponseFormat } from '../../grammar/grammar-options.ts';
import type { GeneratedModule } from '../../parser/module-contract.ts';
import type { ToolList } from '../../tools/tools.ts';
import type { ChatOptions, ServerRequestOptions } from '../chat/chat-options.ts';
import type { ModuleRegistry } from '../chat/learned-template.ts';

/** The servers that are spoken to. */
export type ServerKind = 'llama-server' | 'vllm' | 'sglang';

/** Options of `connectServer`. */
export interface ServerOptions {
  readonly kind: ServerKind;
  /**
   * Where it is: `http://localhost:8080`; with a path if it is after one. Without user, password and query. Or where
   * several are that serve the same model: a conversation stays with one of them as long as it answers.
   */
  readonly url: string | readonly string[];
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
  /**
   * How often a request is made again that failed for the moment: overloaded (429), no answer through a gateway (502),
   * starting (503), or a connection that was refused, or lost before anything came. Default: 2.
   */
  readonly retries?: number;
  /** Ends connecting; chats have signals of their own. */
  readonly signal?: AbortSignal;
  /** Makes the requests: through a proxy, with headers of your own. Default: the platform's `fetch`. */
  readonly fetch?: typeof fetch;
}

/** What a chat is to do. Text is injected only where a budget ends thoughts, so there is no option for it. */
export type ServerChatOptions<
  Tools extends ToolList = ToolList,
  Format extends ResponseFormat = ResponseFormat,
> = Omit<ChatOptions<Tools, Format>, 'injectForcedText'> & ServerRequestOptions;
