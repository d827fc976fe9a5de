/** Converts the options of a chat to those of node-llama-cpp's sampler. */
import { type SequenceEvaluateOptions, type Token, TokenBias } from 'node-llama-cpp';
import { UnsupportedOptionError } from '../../../format/errors.ts';
import { withoutUndefined } from '../../../format/option-rules.ts';
import type { SamplingOptions } from '../../chat/chat-options.ts';
import { llamaSeed, llamaTopK } from '../../chat/llama-sampling.ts';
import type { Vocabulary } from '../vocabulary.ts';
import type { ResponseRun } from './response-run.ts';

const defaultRepeatLastN = 64;

/** The latest tokens, oldest first, as many as penalties consider. */
export class LatestTokens {
  readonly #size: number;
  #tokens: Token[] = [];

  constructor({ repeatLastN = defaultRepeatLastN }: SamplingOptions) {
    this.#size = repeatLastN;
  }

  /** Adds evaluated tokens. */
  push(tokens: readonly Token[]): void {
    if (this.#size > 0) this.#tokens = [...this.#tokens, ...tokens.slice(-this.#size)].slice(-this.#size);
  }

  /** Replaces all tokens. */
  restart(tokens: readonly Token[]): void {
    this.#tokens = [];
    this.push(tokens);
  }

  get all(): Token[] {
    return this.#tokens;
  }
}

/**
 * The sampler options for one response. Penalties, DRY, XTC and the caller's bias apply only in free text: a call
 * repeats quotes and keys because its format requires it, and the grammar has its own bias. The engine reads these
 * options again for every token.
 */
export function samplerOptions(
  run: ResponseRun,
  sampling: SamplingOptions,
  latest: LatestTokens,
  vocabulary: Vocabulary,
  contextSize: number,
): SequenceEvaluateOptions {
  const { temperature = 0, topK = 40, topP = 0.95, minP = 0, seed } = sampling;
  const given = biasOf(sampling, vocabulary);
  const none = new TokenBias(vocabulary.tokenizer);
  return {
    // The run decides which of them end the response.
    yieldEogToken: true,
    temperature,
    topK: llamaTopK(topK),
    topP,
    minP,
    ...(seed === undefined ? {} : { seed: llamaSeed(seed) }),
    ...penalties(run, sampling, latest),
    ...dry(run, sampling, contextSize),
    ...xtc(run, sampling),
    grammarEvaluationState: () => run.grammarState,
    tokenBias: () => run.bias ?? (run.free ? given : none),
  };
}

function penalties(
  run: ResponseRun,
  sampling: SamplingOptions,
  latest: LatestTokens,
): Pick<SequenceEvaluateOptions, 'repeatPenalty'> {
  const { repeatPenalty = 1, frequencyPenalty = 0, presencePenalty = 0 } = sampling;
  const { repeatLastN = defaultRepeatLastN } = sampling;
  const isOff = repeatPenalty === 1 && frequencyPenalty === 0 && presencePenalty === 0;
  if (isOff || repeatLastN === 0) return {};
  const punishTokens = (): Token[] => (run.free ? latest.all : []);
  return {
    repeatPenalty: {
      punishTokens,
      maxPunishTokens: repeatLastN,
      penalty: repeatPenalty,
      frequencyPenalty,
      presencePenalty,
    },
  };
}

function dry(
  run: ResponseRun,
  { dry: given }: SamplingOptions,
  contextSize: number,
): Pick<SequenceEvaluateOptions, 'dryRepeatPenalty'> {
  if (given === undefined) return {};
  // Without a number, node-llama-cpp 3.22 considers no tokens.
  const { multiplier, base, allowedLength, lastN = contextSize, sequenceBreakers } = given;
  return {
    dryRepeatPenalty: {
      get strength() {
        return run.free ? multiplier : 0;
      },
      ...withoutUndefined({ base, allowedLength }),
      lastTokens: lastN,
      ...(sequenceBreakers === undefined ? {} : { sequenceBreakers: [...sequenceBreakers] }),
    },
  };
}

function xtc(run: ResponseRun, { xtc: given }: SamplingOptions): Pick<SequenceEvaluateOptions, 'xtc'> {
  if (given === undefined) return {};
  const { probability, threshold } = given;
  return {
    xtc: {
      get probability() {
        return run.free ? probability : 0;
      },
      threshold,
    },
  };
}

/** The caller's bias. Throws `UnsupportedOptionError` for entries that the engine would silently ignore. */
function biasOf({ logitBias = [] }: SamplingOptions, vocabulary: Vocabulary): TokenBias {
  const bias = new TokenBias(vocabulary.tokenizer);
  for (const [token, value] of logitBias) {
    for (const each of tokensOf(token, vocabulary)) {
      if (vocabulary.endsGeneration(each)) {
        const reason = `token ${each} ends the generation, and node-llama-cpp supports no bias for such tokens; use maxTokens or stop to end a response`;
        throw new UnsupportedOptionError({ option: 'logitBias', reason });
      }
      bias.set(each, value === false ? 'never' : { logit: value });
    }
  }
  return bias;
}

function tokensOf(token: number | string, vocabulary: Vocabulary): readonly Token[] {
  if (typeof token === 'string') {
    const special = vocabulary.specials.get(token);
    return special === undefined ? vocabulary.encodePlain(token) : [special.token];
  }
  if (token < vocabulary.size) return [vocabulary.token(token)];
  const reason = `token ${token} is not in the vocabulary of ${vocabulary.size}`;
  throw new UnsupportedOptionError({ option: 'logitBias', reason });
}
