/** The options of a chat, for all engines. */

import type { Message } from '../../format/messages.ts';
import type { GrammarOptions, ResponseFormat } from '../../grammar/grammar-options.ts';
import type { ToolChoiceOf, ToolList } from '../../tools/tools.ts';

/** How tokens are sampled. Each field states its default. */
export interface SamplingOptions {
  /** 0 (default) always takes the most likely token. */
  readonly temperature?: number | undefined;
  /** Default: 40. */
  readonly topK?: number | undefined;
  /** Default: 0.95. */
  readonly topP?: number | undefined;
  /** Default: 0. */
  readonly minP?: number | undefined;
  /** Makes a run reproducible. Default: the time. */
  readonly seed?: number | undefined;
  /** Divides the logits of recent tokens (multiplies negative ones); 1 (default) has no effect. */
  readonly repeatPenalty?: number | undefined;
  /** Subtracted from a token's logit for each of its occurrences among the recent tokens. Default: 0. */
  readonly frequencyPenalty?: number | undefined;
  /** Subtracted once from the logit of each recent token. Default: 0. */
  readonly presencePenalty?: number | undefined;
  /** How many tokens count as recent, the prompt's included. Default: 64. */
  readonly repeatLastN?: number | undefined;
  /** Penalises repeated sequences. Default: none. */
  readonly dry?: DryOptions | undefined;
  /** Sometimes excludes the likeliest tokens. Default: never. */
  readonly xtc?: XtcOptions | undefined;
  /**
   * Added to the logits of tokens, given by id or as text (all of its tokens); `false` forbids them, unless the
   * grammar requires them. A later entry replaces an earlier one. Default: none.
   */
  readonly logitBias?: readonly LogitBias[] | undefined;
}

/** A token's id or a text, and what is added to its logits; `false`: never. */
export type LogitBias = readonly [token: number | string, bias: number | false];

/** "Don't repeat yourself": penalises tokens that would extend a repetition, more for longer ones. */
export interface DryOptions {
  /** 0 turns it off; 0.8 is common. */
  readonly multiplier: number;
  /** The penalty grows by this factor with each repeated token. Default: 1.75. */
  readonly base?: number | undefined;
  /** Repetitions up to this many tokens are free. Default: 2. */
  readonly allowedLength?: number | undefined;
  /** How many recent tokens are searched for repetitions. Default: all. */
  readonly lastN?: number | undefined;
  /** Texts that end a repetition. Default: line feed, `:`, `"` and `*`. */
  readonly sequenceBreakers?: readonly string[] | undefined;
}

/** "Exclude top choices": excludes all likely tokens except the least likely of them. */
export interface XtcOptions {
  /** How often, from 0 to 1. */
  readonly probability: number;
  /** The minimum probability of a likely token. */
  readonly threshold: number;
}

/** Request options for servers only; models in this process reject them. */
export interface ServerRequestOptions {
  /** vLLM and SGLang: only requests with the same salt share cached prompts. Default: all share. */
  readonly cacheSalt?: string | undefined;
  /**
   * vLLM and SGLang, started with priority scheduling: vLLM serves the smallest first, SGLang the largest.
   * Default: 0 on vLLM, the server's own on SGLang.
   */
  readonly priority?: number | undefined;
}

/** The options of a chat. */
export interface ChatOptions<
  Tools extends ToolList = ToolList,
  Format extends ResponseFormat = ResponseFormat,
> extends Omit<GrammarOptions, 'generationPrompt' | 'tools' | 'toolChoice' | 'responseFormat'>,
    SamplingOptions {
  readonly messages: readonly Message[];
  /**
   * Tools offered: in OpenAI's format, as an MCP server lists them, or with a schema from a validation library.
   * Default: none.
   */
  readonly tools?: Tools | undefined;
  /** Whether the model may, must or must not call, and which tools. Default: `auto`. */
  readonly toolChoice?: ToolChoiceOf<Tools> | undefined;
  /** The answer must be JSON that fits this schema, or any JSON object; the stream's `object` then has its type. */
  readonly responseFormat?: Format | undefined;
  /**
   * Turns thinking on or off by the template's switch; without one, `false` is a `thinkingBudget` of 0. Default: the
   * template's own choice.
   */
  readonly thinking?: boolean | undefined;
  /**
   * The maximum number of reasoning tokens, after which reasoning is closed; 0 for none. It is never closed inside a
   * character. Default: no limit.
   */
  readonly thinkingBudget?: number | undefined;
  /** `none`: thoughts stay in the content, which is then no JSON. Default: `separate`. */
  readonly reasoningFormat?: 'separate' | 'none' | undefined;
  /** Additional variables for the template; those that it is rendered with (`messages`, `tools`) are refused. */
  readonly templateVariables?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Continues the last message, which must be an assistant's, and with a `responseFormat` the beginning of its JSON.
   * Default: false.
   */
  readonly continueFinalMessage?: boolean | undefined;
  /**
   * The maximum number of tokens, including injected text. A longer response is cut off with `length`, even inside a
   * call, which is then `malformed` and not in `tool_calls`. Default: as many as fit into the context.
   */
  readonly maxTokens?: number | undefined;
  /** The AI SDK's name of `maxTokens`. */
  readonly maxOutputTokens?: number | undefined;
  /**
   * What happens if the conversation does not fit into the context. `error`: a `ContextOverflowError` before the first
   * token, and a response is cut off where the context ends. `shift`: the oldest turns are dropped, as whole messages;
   * `usage.droppedMessages` is their number. Servers support only `error`. Default: `error`.
   */
  readonly contextOverflow?: 'error' | 'shift' | undefined;
  /**
   * Strings at which the response ends, themselves excluded; the event `finish` says which one it was. They count in
   * the text of the answer: not in thoughts, markers, arguments of calls, or an answer with a schema. Default: none.
   */
  readonly stop?: readonly string[] | undefined;
  /** The AI SDK's name of `stop`. */
  readonly stopSequences?: readonly string[] | undefined;
  /**
   * Where `stop` counts. `answer`: in the text of the answer. `response`: in thoughts and markers, too, as other
   * engines have it; a special token then matches by its whole text. Default: `answer`.
   */
  readonly stopIn?: 'answer' | 'response' | undefined;
  /**
   * Creates the id of a call for which the model writes none; `index` counts the calls of the response from 0. Some
   * templates require nine letters and digits. Default: numbered, and unlike those in `messages`.
   */
  readonly createCallId?: ((index: number) => string) | undefined;
  /**
   * Ends the response: iteration and `message` then throw the signal's reason. During the compilation of tools it is
   * checked between two of them.
   */
  readonly signal?: AbortSignal | undefined;
  /** The AI SDK's name of `signal`. */
  readonly abortSignal?: AbortSignal | undefined;
  /**
   * Called while the prompt is evaluated: before, after each part (node-llama-cpp: every 128 tokens), and once all of it
   * is. Servers report nothing of the kind, and never call it. Default: none.
   */
  readonly onPromptProgress?: ((progress: PromptProgress) => void) | undefined;
  /**
   * Writes forced text without sampling it, which is several times faster. If the model would have sampled the same
   * tokens for it, the message is the same at temperature 0; a different tokenisation can lead to a different
   * message. Default: true.
   */
  readonly injectForcedText?: boolean | undefined;
  /**
   * At temperature 0: where a grammar leaves few tokens, evaluates a guess of what follows in the same batch, and keeps
   * what sampling confirms. The response is the same, in fewer batches, which saves a GPU round trips; a wrong guess
   * costs its tokens. Models that cannot remove tokens from their state do not guess. Default: false.
   */
  readonly speculate?: boolean | undefined;
  /**
   * Tells, in `tool-call` and `finish` events, where the grammar overruled the model (`Overruled`). Each token that the
   * grammar does not force is drawn without it first, and drawn again under it if it is not allowed, which leaves the
   * probabilities as they are and costs one evaluation more for each such place. Models on a server have no such
   * option. Default: false.
   */
  readonly tellOverruled?: boolean | undefined;
  /**
   * Reports, in `text-delta` events, the probability of each token of the answer and of this many likely alternatives,
   * at most 20. They are the probabilities from which the token was sampled, after grammar, penalties and temperature.
   * Injected text had no alternative: its tokens have probability 1. Servers report the model's own probabilities.
   * Default: off.
   */
  readonly logprobs?: number | undefined;
}

/** How much of a prompt is evaluated. */
export interface PromptProgress {
  /** Its tokens that are, those of an earlier prompt included. */
  readonly evaluated: number;
  /** All of them. */
  readonly total: number;
}

/**
 * What later chats have in common, in the form in which they will pass it. Absent options are prepared in their usual
 * variants: `toolChoice` as `auto` and `required`; `thinking` on, off and unset.
 */
export type PrepareOptions = Partial<ChatOptions>;
