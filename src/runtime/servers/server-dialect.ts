/** What inference servers have in common for us: they cut text into tokens, and go on with tokens under a grammar. */
import type { RefusedOptions } from '../../format/option-rules.ts';
import type { StructuralTag } from '../../grammar/structural-tag/structural-tag.ts';
import type { TokenLogprob } from '../../parser/events.ts';
import type { SamplingOptions, ServerRequestOptions } from '../chat/chat-options.ts';

/** What to write after a prompt. */
export interface CompletionRequest {
  /** Token ids. */
  readonly prompt: readonly number[];
  /** GBNF that all of the text has to follow; `null` for free text. */
  readonly grammar: string | null;
  /** The same said with free text in it; absent or `null` where there is a grammar, and for text that is free altogether. */
  readonly structuralTag?: StructuralTag | null;
  /** Texts at which the server stops, themselves left out. */
  readonly stops: readonly string[];
  /** Special tokens that must come as text. */
  readonly preservedTokens: readonly string[];
  readonly maxTokens: number;
  /** All of the text is free text: only there do penalties, DRY, XTC and a bias count. */
  readonly free: boolean;
  readonly sampling: SamplingOptions & ServerRequestOptions;
  /** Likeliest tokens to tell with each token's probability; absent or `null` where none is to be told. */
  readonly logprobs?: number | null;
}

/** A message of a streamed completion. */
export interface CompletionPiece {
  readonly text: string;
  /** Tokens that it stands for. */
  readonly tokens: number;
  /** Set by the last one: the model ended its text, or `maxTokens` did. */
  readonly finish: 'stop' | 'length' | null;
  /** Tokens of the prompt that the server had in its cache; `null` where it does not say. */
  readonly cachedTokens?: number | null;
  /** How likely its tokens were, where that was asked for and the server says it. */
  readonly logprobs?: readonly TokenLogprob[];
}

/** What a server says of the model that it serves. */
export interface ServedModel {
  /** Its name in requests; `null` where requests need none. */
  readonly name: string | null;
  /** Tokens that prompt and response may have together; `null` where the server does not say. */
  readonly contextSize: number | null;
  /** Jinja source of its templates; `null` where the server does not say. */
  readonly chatTemplate: string | null;
  readonly toolUseTemplate: string | null;
  readonly bosToken: string | null;
  readonly eosToken: string | null;
}

/** A token of the server's vocabulary. */
export interface ServerToken {
  readonly id: number;
  /**
   * What it stands for. Of special tokens it is exact; of others it may be how the tokenizer spells bytes. '' where
   * the server does not say, or for half a character.
   */
  readonly text: string;
}

/** A request to the server, and how its answer is read. */
export interface ServerQuestion<Answer> {
  readonly path: string;
  /** JSON to post; `null` asks with GET. */
  readonly body: object | null;
  /** Reads an answer, which may be anything; `null` where it is not what was asked for. */
  readonly read: (answer: unknown) => Answer | null;
  /** What went wrong by the answer's own words, beyond an `error` in it; asked before `read`. Default: nothing. */
  readonly failure?: (answer: unknown) => string | null;
}

/** How one kind of server is spoken to. `model`: `ServedModel.name`. */
export interface ServerDialect {
  /** Options that it does not have, by their names, and why. */
  readonly refused: RefusedOptions;
  /** Its bias takes token ids and no texts. */
  readonly biasById: boolean;
  readonly describe: ServerQuestion<ServedModel>;
  /** Whether this version of the server takes structural tags; absent where none does. */
  readonly takesTags?: ServerQuestion<boolean>;
  /**
   * Tokens of a text in which special tokens count. `begins`: it is the beginning of a prompt, where llama.cpp
   * puts what the model wants there; for the others that is the template's business.
   */
  tokenize(text: string, model: string | null, begins: boolean): ServerQuestion<readonly ServerToken[]>;
  /** Tokens of a text in which no control token counts; absent where the server cannot be asked for them. */
  readonly tokenizePlain?: (text: string) => ServerQuestion<readonly ServerToken[]>;
  /** The texts of tokens, one each; absent where `tokenize` says them. */
  readonly spell?: (ids: readonly number[], model: string | null) => ServerQuestion<readonly string[]>;
  /** A completion whose answer comes as server-sent events; each is read by `read`. */
  complete(request: CompletionRequest, model: string | null): ServerQuestion<CompletionPiece>;
}

/** Sampling as it is without options: the same as in this process. */
export const defaultSampling = { temperature: 0, topK: 40, topP: 0.95, minP: 0 } as const;

/** A whole number above 0, or `null`. */
export function readCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : null;
}

/** A text, or `null`. */
export function readText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A list of token ids, or `null`. */
export function readTokens(value: unknown): readonly number[] | null {
  return Array.isArray(value) && value.every(isTokenId) ? value : null;
}

/** Whether `id` can be a token's. */
export function isTokenId(id: unknown): id is number {
  return Number.isInteger(id) && Number(id) >= 0;
}

/** A list of texts, or `null`. */
export function readTexts(value: unknown): readonly string[] | null {
  return Array.isArray(value) && value.every((text) => typeof text === 'string') ? value : null;
}
