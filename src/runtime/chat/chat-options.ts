/** What a chat is asked to do, whichever engine answers it. */

import type { Message } from '../../format/messages.ts';
import type { GrammarOptions, ResponseFormat } from '../../grammar/grammar-options.ts';
import type { ToolChoiceOf, ToolList } from '../../tools/tools.ts';

/** How tokens are drawn. Absent fields take the defaults that are given with them. */
export interface SamplingOptions {
  /** 0 (default) always takes the most likely token. */
  readonly temperature?: number;
  /** Default: 40. */
  readonly topK?: number;
  /** Default: 0.95. */
  readonly topP?: number;
  /** Default: 0. */
  readonly minP?: number;
  /** Makes a run repeatable. Default: the time. */
  readonly seed?: number;
  /** Divides the logits of the latest tokens (multiplies those below 0); 1 (default) leaves them alone. */
  readonly repeatPenalty?: number;
  /** Subtracted from a token's logit for each time that it is among the latest tokens. Default: 0. */
  readonly frequencyPenalty?: number;
  /** Subtracted once from the logit of each of the latest tokens. Default: 0. */
  readonly presencePenalty?: number;
  /** How many tokens are the latest ones, prompt included. Default: 64. */
  readonly repeatLastN?: number;
  /** Keeps whole sequences from being repeated. Default: none. */
  readonly dry?: DryOptions;
  /** Now and then leaves out the likeliest tokens. Default: never. */
  readonly xtc?: XtcOptions;
  /**
   * Added to the logits of tokens, given by id or as a text, of which each token counts; `false` forbids them where
   * the grammar does not demand them. A later entry replaces an earlier one. Default: none.
   */
  readonly logitBias?: readonly LogitBias[];
}

/** A token's id, or a text, and what is added to the logits; `false`: never. */
export type LogitBias = readonly [token: number | string, bias: number | false];

/** "Don't repeat yourself": a token that would prolong a repetition is penalised, the more the longer it is. */
export interface DryOptions {
  /** 0 switches it off; 0.8 is usual. */
  readonly multiplier: number;
  /** The penalty grows by this factor with each repeated token. Default: 1.75. */
  readonly base?: number;
  /** Repetitions of so many tokens cost nothing. Default: 2. */
  readonly allowedLength?: number;
  /** How many of the latest tokens are looked at. Default: all. */
  readonly lastN?: number;
  /** Texts that end a repetition. Default: line feed, `:`, `"` and `*`. */
  readonly sequenceBreakers?: readonly string[];
}

/** "Exclude top choices": leaves out all likely tokens but the least likely of them. */
export interface XtcOptions {
  /** How often, from 0 to 1. */
  readonly probability: number;
  /** From which probability on a token is a likely one. */
  readonly threshold: number;
}

/** Options of a request that only servers have; for a model in this process they are refused. */
export interface ServerRequestOptions {
  /** vLLM and SGLang: only requests with the same salt share what is cached of prompts. Default: all do. */
  readonly cacheSalt?: string;
  /**
   * vLLM and SGLang, started with scheduling by priority: vLLM takes the smallest first, SGLang the largest.
   * Default: 0 on vLLM, the server's own on SGLang.
   */
  readonly priority?: number;
}

/** What a chat is to do. */
export interface ChatOptions<
  Tools extends ToolList = ToolList,
  Format extends ResponseFormat = ResponseFormat,
> extends Omit<GrammarOptions, 'generationPrompt' | 'tools' | 'toolChoice' | 'responseFormat'>,
    SamplingOptions {
  readonly messages: readonly Message[];
  /**
   * Tools on offer: in OpenAI's shape, as an MCP server lists them, or with a schema of a validation
   * library. Default: none.
   */
  readonly tools?: Tools;
  /** Whether the model may, must or must not call, and which tools. Default: `auto`. */
  readonly toolChoice?: ToolChoiceOf<Tools>;
  /** The answer must be JSON of this schema, or any JSON object; the stream's `object` is then of its type. */
  readonly responseFormat?: Format;
  /** Asks for thinking or declines it, where the template can. Default: the template's own choice. */
  readonly thinking?: boolean;
  /**
   * Tokens of reasoning after which it is closed for the model; 0 for none at all. Within a character it is
   * closed after it. Default: no limit.
   */
  readonly thinkingBudget?: number;
  /** `none`: thoughts stay in the content. Default: `separate`. */
  readonly reasoningFormat?: 'separate' | 'none';
  /** More variables for the template. */
  readonly templateVariables?: Readonly<Record<string, unknown>>;
  /** Leaves the last message, an assistant's, open and continues it. Default: false. */
  readonly continueFinalMessage?: boolean;
  /**
   * The most tokens to write, those of injected text included. A response that is not over by then ends with
   * `length`, also within a call, which is then `malformed` and none of `tool_calls`. Default: as many as the
   * context holds.
   */
  readonly maxTokens?: number;
  /**
   * What happens when the context cannot hold the conversation. `error`: a `ContextOverflowError` before the first
   * token, and the response is cut where the context ends. `shift`: the oldest turns are left out, as whole messages;
   * `usage.droppedMessages` says how many. Servers take `error` alone. Default: `error`.
   */
  readonly contextOverflow?: 'error' | 'shift';
  /**
   * More texts at which the response ends. They count in thoughts and free text only, which calls, an answer of
   * a schema and what comes before a call that is demanded are not. Of a special token the whole text counts.
   */
  readonly stop?: readonly string[];
  /**
   * Ends the response: iteration and `message` then throw the signal's reason. While tools are compiled it is
   * looked at between two of them.
   */
  readonly signal?: AbortSignal;
  /**
   * Write forced text without sampling it: several times faster. Where the model would have drawn the same
   * tokens for it, the message is the same at temperature 0; a run of tokens cut in another way can lead it
   * elsewhere. Default: true.
   */
  readonly injectForcedText?: boolean;
  /**
   * At temperature 0: where a grammar leaves few tokens, evaluate a guess of what follows in the same batch, and keep
   * what sampling confirms. The response is the same, in fewer batches, which are what a GPU waits for; a guess that is
   * wrong costs its tokens. Models that cannot take tokens back do not guess. Default: false.
   */
  readonly speculate?: boolean;
  /**
   * Say how likely each token of the answer was, and the so many likeliest tokens of its place, at most 20: the
   * `text-delta` events have them. They are the probabilities that the token was drawn by, under the grammar, and with
   * all that changes how it is drawn. Injected text had no choice: its tokens have the probability 1. A server says what
   * the model alone makes of a place. Default: nothing is said.
   */
  readonly logprobs?: number;
}
