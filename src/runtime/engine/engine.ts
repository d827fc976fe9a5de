/**
 * What evaluates a model in this process, as chats need it: tokens in, one sampled token out. `connectEngine` makes a
 * model of any implementation, so an engine needs no grammar, parser or template of its own. Nothing here needs Node.
 */
import type { Filled, RefusedOptions } from '../../format/option-rules.ts';
import type { TokenBitmap } from '../../language/matcher/masks/token-bitmap.ts';
import type { TokenIndexStore } from '../../language/matcher/token-index.ts';
import type { SamplingOptions } from '../chat/chat-options.ts';

/** A loaded model that can be evaluated. */
export interface Engine {
  /** The engine, as errors name it, such as `transformers.js`. */
  readonly name: string;
  /** The model, as errors name it. */
  readonly model: string;
  /** Tokens available to prompt and response together. */
  readonly contextSize: number;
  /** Whether `dispose` was called: chats then end with `ModelDisposedError`. */
  readonly disposed: boolean;
  /** Jinja source of the model's chat template. */
  readonly chatTemplate: string;
  /** The template of chats with tools, if the model has another one for them. */
  readonly toolUseTemplate?: string;
  readonly tokenizer: EngineTokenizer;
  /** Options of chats that it does not support, with the reason. Default: none. */
  readonly refused?: RefusedOptions;
  /**
   * A sequence that holds all of `prompt` but its last token; that one comes with the first `next`. May wait until a
   * place is free. The signal ends waiting and evaluation, here and in the sequence, with its reason.
   */
  open(prompt: EnginePrompt, sampling: EngineSampling, signal?: AbortSignal): Promise<EngineSequence>;
  /**
   * For an engine with grammars of its own: builds this one, which `Mask.grammar` will ask for, so that a refusal is
   * known before the first token. Throws `GrammarError`. Default: nothing is built.
   */
  build?(grammar: GrammarAt): void;
  /** Frees the model. */
  dispose(): Promise<void>;
}

/** A prompt. */
export interface EnginePrompt {
  /** At least one. */
  readonly tokens: readonly number[];
  /** How many of them come before the assistant's turn: the conversation's next prompt begins with these, too. */
  readonly turnStart: number;
  /** How many come before the response, which a grammar may have begun already. Default: all. */
  readonly responseStart?: number;
  /** Called, by engines that can, with the number of tokens that are evaluated so far. */
  readonly onProgress?: (evaluated: number) => void;
}

type DefaultedSampling = Filled<Pick<SamplingOptions, 'temperature' | 'topK' | 'topP' | 'minP'>>;

/** How one response is sampled; what `logitBias` asks for is part of each `Mask`. */
export interface EngineSampling
  extends Omit<SamplingOptions, 'logitBias' | keyof DefaultedSampling>,
    DefaultedSampling {
  /** How many likely tokens are reported with each drawn one; 0: only its own probability. Default: none of it. */
  readonly logprobs?: number | undefined;
}

/** The state of one response. It is used by one caller, one call at a time. */
export interface EngineSequence {
  /** Tokens of the prompt that needed no evaluation. */
  readonly cachedTokens: number;
  /**
   * Evaluates `tokens` after those that it holds, and draws the next one, which it does not hold yet. `mask` says what
   * may be drawn; `null`: anything, under all options of sampling.
   */
  next(tokens: readonly number[], mask: Mask | null): Promise<DrawnToken>;
  /** Keeps the first `length` tokens, the prompt's included. */
  back(length: number): Promise<void>;
  /**
   * Evaluates all `parts` in one batch and draws after each the likeliest token under its bias, without other options
   * of sampling; the sequence then holds all of them. Absent if a batch gains nothing: then nothing is guessed.
   */
  drawAfterEach?(parts: readonly BiasedPart[]): Promise<readonly number[]>;
  /** The response is over; its place is free for another. */
  close(): Promise<void>;
}

/** Tokens to evaluate, and the bias of the draw after them. */
export interface BiasedPart {
  readonly tokens: readonly number[];
  readonly bias: TokenBiases;
}

/** Added to the logits of these tokens; `-Infinity` forbids them. */
export type TokenBiases = ReadonlyMap<number, number>;

/** A sampled token. */
export interface DrawnToken {
  readonly token: number;
  /** Its probability, if requested. */
  readonly confidence?: number;
  /** The probabilities of the tokens at its position, likeliest first, if requested. */
  readonly probabilities?: ReadonlyMap<number, number>;
}

/**
 * What may be drawn at one position. An engine asks what it can use: `few`, `allows` and `bitmap` say the same as
 * `grammar`, and `bias` comes on top of any of them; `maskLogits` applies both. It must be asked before the next call of
 * the sequence.
 */
export interface Mask {
  /** `null`: nothing is added to any logit. */
  readonly bias: TokenBiases | null;
  /** Whether penalties, DRY and XTC apply, which are for free text. */
  readonly free: boolean;
  /** All tokens that may be drawn, ends of generation included; `null` if there are too many for a list. */
  few(): readonly number[] | null;
  /** Whether this token may be drawn. To be asked of the likeliest first; each costs a lookup. */
  allows(token: number): boolean;
  /** All tokens that may be drawn, one bit for each, not to be changed; `null` if everything may. */
  bitmap(): Readonly<TokenBitmap> | null;
  /**
   * For an engine with grammars of its own: the grammar of all that may follow; `null` if everything may, or if no
   * grammar can begin or end here. Then only `bias` restricts such an engine, and what it draws is checked.
   */
  readonly grammar: GrammarAt | null;
  /**
   * Whether an engine's own state of the grammar is here already: it was at the position of the last draw, and has
   * accepted what was drawn. Otherwise it begins anew, with `grammar`.
   */
  readonly follows: boolean;
}

/** A position in a grammar. */
export interface GrammarAt {
  /** A cache key: the same object for the same position. */
  readonly state: object;
  /** Size of the whole grammar, if known, as `Matcher.size` has it. */
  readonly size?: number;
  /** GBNF of everything that may follow, with start rule `root`. */
  gbnf(): string;
}

/** The tokens of a model. */
export interface EngineTokenizer {
  /** All tokens by id, as the model file spells them. */
  readonly texts: readonly string[];
  /** How it spells ordinary tokens. */
  readonly spelling: 'byte-level' | 'sentencepiece' | 'verbatim';
  /** The type of a token. */
  typeOf(token: number): TokenType;
  /** Whether it is an end of generation. */
  endsGeneration(token: number): boolean;
  /** Whether a special token absorbs the white space before it in a text. Default: none does. */
  absorbsSpace?(token: number): boolean;
  /**
   * Tokens of a text, nothing added. `special`: whether the texts of control tokens in it become these; those of
   * user-defined tokens may do so in any case.
   */
  tokenize(text: string, special: boolean): readonly number[];
  /** A token that is put before every prompt that does not begin with it; absent if the template writes all. */
  readonly firstToken?: number;
  /** Texts that templates receive as `bos_token` and `eos_token`. Default: ''. */
  readonly bosToken?: string;
  readonly eosToken?: string;
  /** Keeps the sorted vocabulary between processes. Default: each process sorts it, a tenth of a second. */
  readonly indexStore?: TokenIndexStore;
}

/**
 * As in GGUF. `normal`: text, in the spelling of the tokenizer; `byte`: `<0x41>`; `control`: never part of an answer, as
 * `<|im_end|>`, also if unknown; `user-defined`: text by itself, as `<tool_call>`.
 */
export type TokenType = 'normal' | 'byte' | 'control' | 'user-defined';
