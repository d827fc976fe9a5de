/** The common interface of inference servers: they tokenise text, and continue tokens under a grammar. */
import type { RefusedOptions } from '../format/option-rules.ts';
import type { StructuralTag } from '../grammar/structural-tag/structural-tag.ts';
import type { TokenLogprob } from '../parser/events.ts';
import type { SamplingOptions, ServerRequestOptions } from '../runtime/chat/chat-options.ts';
import type { Conversation, MarkedPrompt, ServerPictures } from './pictures.ts';

/** What to generate after a prompt. */
export interface CompletionRequest {
  /** Token ids. */
  readonly prompt: readonly number[];
  /** A prompt with pictures, in place of `prompt`; absent or `null` if there are none. */
  readonly pictured?: MarkedPrompt | Conversation | null;
  /** GBNF of the whole text; `null` for free text. */
  readonly grammar: string | null;
  /** The constraint of servers that take tags; absent or `null` if there is a grammar, or all text is free. */
  readonly structuralTag?: StructuralTag | null;
  /** Texts at which the server stops, without returning them. */
  readonly stops: readonly string[];
  /** Special tokens that must be returned as text. */
  readonly preservedTokens: readonly string[];
  /** `null`: as many as fit into the context. */
  readonly maxTokens: number | null;
  /** Whether all text is free text, to which penalties, DRY, XTC and a bias apply. */
  readonly free: boolean;
  readonly sampling: SamplingOptions & ServerRequestOptions;
  /** The number of likeliest tokens reported with each token's probability; absent or `null` for none. */
  readonly logprobs?: number | null;
}

/** An event of a streamed completion. */
export interface CompletionPiece {
  readonly text: string;
  /** Its number of tokens. */
  readonly tokens: number;
  /** Set in the last one: the model ended its text, or `maxTokens` did. */
  readonly finish: 'stop' | 'length' | null;
  /** Tokens of the prompt that the server had cached; `null` if unknown. */
  readonly cachedTokens?: number | null;
  /** Tokens of the prompt; `null` if the server does not say. */
  readonly promptTokens?: number | null;
  /** The probabilities of its tokens, if requested and reported. */
  readonly logprobs?: readonly TokenLogprob[];
}

/** What a server reports about its model. */
export interface ServedModel {
  /** Its name in requests; `null` if requests need none. */
  readonly name: string | null;
  /** Tokens available to prompt and response together; `null` if unknown. */
  readonly contextSize: number | null;
  /** Jinja source of its templates; `null` if unknown. */
  readonly chatTemplate: string | null;
  readonly toolUseTemplate: string | null;
  readonly bosToken: string | null;
  readonly eosToken: string | null;
  /** Whether it sees pictures; `null` if unknown. */
  readonly vision: boolean | null;
  /** Whether it is `idiolect serve`, which takes conversations only. */
  readonly isIdiolect: boolean;
}

/** What a server reports about its tokenizer; each is `null` if it does not say. */
export interface ServedTokenizer
  extends Pick<ServedModel, 'chatTemplate' | 'toolUseTemplate' | 'bosToken' | 'eosToken'> {
  /** The texts of all tokens that count wherever they are written, special ones among them. */
  readonly addedTokens: readonly string[] | null;
}

/** A token of the server's vocabulary. */
export interface ServerToken {
  readonly id: number;
  /**
   * Its text. For special tokens it is exact; for others it may be the tokenizer's spelling of bytes. '' if unknown,
   * or for half a character.
   */
  readonly text: string;
}

/** A request to the server, and how to read its answer. */
export interface ServerQuestion<Answer> {
  readonly path: string;
  /** JSON to post; `null` for a GET request. */
  readonly body: object | null;
  /** Makes the body of a streamed question from what the same server says first. Default: it is `body`. */
  readonly bodyFrom?: (ask: AskFirst) => Promise<object>;
  /** Reads an answer, which may be anything; `null` if it is not of the expected form. */
  readonly read: (answer: unknown) => Answer | null;
  /** The failure that an answer reports other than in `error`; called before `read`. Default: none. */
  readonly failure?: (answer: unknown) => string | null;
}

/** Asks the server of a question another one. */
export type AskFirst = <Answer>(question: ServerQuestion<Answer>) => Promise<Answer>;

/** The protocol of one kind of server. `model`: `ServedModel.name`. */
export interface ServerDialect {
  /** Options that it does not support, with the reason. */
  readonly refused: RefusedOptions;
  /** Whether its bias accepts token ids only, not texts. */
  readonly biasById: boolean;
  /**
   * How it takes pictures: in a prompt that is rendered here (`MarkedPrompt`), or in messages that it renders itself
   * (`Conversation`), for one completion that nothing can continue.
   */
  readonly pictures: ServerPictures;
  readonly describe: ServerQuestion<ServedModel>;
  /** Asks for its tokenizer, which not every server tells; absent if none does. */
  readonly tokenizer?: ServerQuestion<ServedTokenizer>;
  /** Whether its model sees pictures; absent if `describe` says it, or nothing does. */
  readonly sees?: ServerQuestion<boolean>;
  /** Whether this version of the server supports structural tags; absent if none does. */
  readonly takesTags?: ServerQuestion<boolean>;
  /**
   * Tokens of a text in which special tokens count. `begins`: whether it is the beginning of a prompt, where llama.cpp
   * adds the model's first token; for the others, the template does.
   */
  tokenize(text: string, model: string | null, begins: boolean): ServerQuestion<readonly ServerToken[]>;
  /** Tokens of a text in which no control token counts; absent if the server cannot do this. */
  readonly tokenizePlain?: (text: string) => ServerQuestion<readonly ServerToken[]>;
  /** The texts of tokens; absent if `tokenize` returns them. */
  readonly spell?: (ids: readonly number[], model: string | null) => ServerQuestion<readonly string[]>;
  /** A completion whose answer is server-sent events; `read` reads each of them. */
  complete(request: CompletionRequest, model: string | null): ServerQuestion<CompletionPiece>;
}

/** A positive integer, or `null`. */
export function readCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : null;
}

/** A string, or `null`. */
export function readText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** An array of token ids, or `null`. */
export function readTokens(value: unknown): readonly number[] | null {
  return Array.isArray(value) && value.every(isTokenId) ? value : null;
}

/** Whether `id` can be a token id. */
export function isTokenId(id: unknown): id is number {
  return Number.isInteger(id) && Number(id) >= 0;
}

/** A string array, or `null`. */
export function readTexts(value: unknown): readonly string[] | null {
  return Array.isArray(value) && value.every((text) => typeof text === 'string') ? value : null;
}
