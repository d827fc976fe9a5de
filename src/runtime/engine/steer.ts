/**
 * Responses that an engine samples in a loop of its own: a chat without the sampling. The loop asks what may be drawn,
 * tells what it drew, and goes on from the tokens that then stand there.
 */
import { DecodingError, type SchemaIssue } from '../../format/errors.ts';
import { memoize } from '../../format/memoize.ts';
import { isRecord, type OptionRule, requireOption, withoutUndefined } from '../../format/option-rules.ts';
import type { ResponseFormat } from '../../grammar/grammar-options.ts';
import { finish } from '../../language/expression/steps.ts';
import type { ResponseEvent, ResponseMessage } from '../../parser/events.ts';
import type { ToolList } from '../../tools/tools.ts';
import type { ChatOptions, SamplingOptions } from '../chat/chat-options.ts';
import { LateEnforcement } from '../chat/enforcement/late-enforcement.ts';
import { samplingRules } from '../chat/sampling-rules.ts';
import type { WrittenResponse } from '../chat/steering/written-piece.ts';
import { type ChatTemplates, createRun, type PreparedChat, prepareInTurns } from './chat.ts';
import type { DecodingStep } from './decoding/backtracking.ts';
import { requireRoom } from './decoding/decode.ts';
import type { ResponseRun } from './decoding/response-run.ts';
import type { Engine, Mask } from './engine.ts';
import type { EngineOptions } from './engine-options.ts';
import { openTemplates } from './open-templates.ts';

/** A model whose tokens somebody else samples. */
export interface SteeredModel
  extends Pick<Engine, 'chatTemplate' | 'contextSize' | 'model' | 'tokenizer' | 'toolUseTemplate'>,
    Omit<EngineOptions, 'chatTemplate' | 'lateEnforcement'> {}

type LoopOption = Exclude<keyof SamplingOptions, 'logitBias'> | (typeof loopOptions)[number];

/** The options of a chat that do not say how it is sampled. */
export type SteerOptions<
  Tools extends ToolList = ToolList,
  Format extends ResponseFormat = ResponseFormat,
> = Omit<ChatOptions<Tools, Format>, LoopOption>;

/** One response, on its way. */
export interface SteeredChat {
  /**
   * Prompt and response: what is evaluated before the next draw. After a draw it ends in the drawn token, in forced text
   * after it, or in other tokens in its place: an engine keeps of its state what still stands here.
   */
  readonly tokens: readonly number[];
  /** How many of them are the prompt's. */
  readonly promptTokens: number;
  /** What may be drawn next; `null`: anything. `maskLogits` applies it. */
  readonly mask: Mask | null;
  /** Whether the response is over, so that nothing more is drawn. */
  readonly over: boolean;
  /** Where the grammar differs from the schemas, and what in the prompt is not protected. */
  readonly report: readonly SchemaIssue[];
  /**
   * A token was drawn. Returns the events that are certain now. Throws `DecodingError` for a token that the mask forbids,
   * and after the end; `CheckFailedError` for a value that is checked, and remains invalid however often it is drawn.
   */
  accept(token: number): readonly ResponseEvent[];
  /** The last events, and the message. A response that is not over is taken as cut off by its reader. */
  finish(): { readonly events: readonly ResponseEvent[]; readonly message: ResponseMessage };
}

/** What the loop decides, or what would draw more often than it does. */
const loopOptions = [
  'abortSignal',
  'contextOverflow',
  'logprobs',
  'onPromptProgress',
  'signal',
  'speculate',
  'tellOverruled',
] as const;
const refused = Object.fromEntries(
  [...Object.keys(samplingRules).filter((name) => name !== 'logitBias'), ...loopOptions].map((name) => [
    name,
    'steer samples nothing: the loop that draws decides it',
  ]),
);

const models: OptionRule = {
  expected: 'a model, with tokenizer, chatTemplate and contextSize',
  allows: (value) =>
    isRecord(value) &&
    isRecord(value.tokenizer) &&
    typeof value.chatTemplate === 'string' &&
    typeof value.contextSize === 'number',
};

/** Templates and grammars of a model are kept as long as the object exists. */
const sharedOf = memoize(async (given: SteeredModel): Promise<ChatTemplates> => {
  const { chatTemplate, contextSize, model, tokenizer } = given;
  const templates = await openTemplates(given, withoutTemplate(given));
  const engine = { chatTemplate, contextSize, disposed: false, model, refused, tokenizer };
  return { engine, templates, enforcement: new LateEnforcement() };
});

/** The model's own template takes part in all that its facts say; the option of that name would replace it. */
function withoutTemplate({ modules, requireTools, toolFormat }: SteeredModel): EngineOptions {
  return withoutUndefined({ modules, requireTools, toolFormat });
}

/**
 * Begins a response that a loop elsewhere samples: a logits processor, a binding with a sampler of its own. Pass the
 * same object as `model` each time. Throws `UnsupportedOptionError` for a wrong option, also for those that say how to
 * sample, and otherwise what a chat throws before its first token.
 */
export async function steer<
  const Tools extends ToolList = ToolList,
  const Format extends ResponseFormat = ResponseFormat,
>(model: SteeredModel, options: SteerOptions<Tools, Format>): Promise<SteeredChat> {
  requireOption('model', model, models);
  const shared = await sharedOf(model);
  return new Steered(await prepareInTurns(shared, options as ChatOptions), model.contextSize);
}

class Steered implements SteeredChat {
  readonly #run: ResponseRun;
  readonly promptTokens: number;
  readonly #tokens: number[];
  readonly report: readonly SchemaIssue[];
  #over = false;
  /** Events of what stands there before the first draw. */
  #opening: readonly ResponseEvent[];

  constructor(prepared: PreparedChat, contextSize: number) {
    const { tokens, report } = prepared.prompt;
    this.#run = createRun(prepared, contextSize - tokens.length);
    this.#run.follow({ promptTokens: tokens.length, cachedTokens: 0 });
    this.promptTokens = tokens.length;
    this.#tokens = [...tokens];
    this.report = [...prepared.grammar.report, ...report];
    this.#opening = this.#take(finish(this.#run.start()));
    requireRoom(this.#tokens.length, contextSize);
  }

  get tokens(): readonly number[] {
    return this.#tokens;
  }

  get mask(): Mask | null {
    return this.#run.mask;
  }

  get over(): boolean {
    return this.#over;
  }

  accept(token: number): readonly ResponseEvent[] {
    const { mask, text } = this.#run;
    if (this.#over) throw new DecodingError({ reason: 'a token was drawn after the end', text });
    if (mask?.bias?.get(token) === Number.NEGATIVE_INFINITY || mask?.allows(token) === false) {
      throw new DecodingError({ reason: `token ${token} was drawn, which the mask forbids`, text });
    }
    return [...this.#opened(), ...this.#take(finish(this.#run.accept({ token })))];
  }

  finish(): WrittenResponse {
    const { events, message } = this.#run.finish(!this.#over);
    return { events: [...this.#opened(), ...events], message };
  }

  #take({ tokens, events, over, back }: DecodingStep): readonly ResponseEvent[] {
    this.#over = over;
    for (const token of tokens) this.#tokens.push(token);
    if (back !== undefined) this.#tokens.length = this.promptTokens + back;
    return events;
  }

  #opened(): readonly ResponseEvent[] {
    const events = this.#opening;
    this.#opening = [];
    return events;
  }
}
