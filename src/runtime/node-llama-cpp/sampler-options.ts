/** Converts the options of a chat to those of node-llama-cpp's sampler. */
import { withoutUndefined } from '../../format/option-rules.ts';
import { llamaSeed, llamaTopK } from '../chat/llama-sampling.ts';
import type { EngineSampling } from '../engine/engine.ts';

const defaultRepeatLastN = 64;

/** The text that is sampled. `Token`: as the engine takes them. */
interface SampledText<Token> {
  readonly contextSize: number;
  /** Whether the next token is free text. */
  readonly isFree: () => boolean;
  /** The latest tokens, oldest first, at most `length`. */
  readonly latest: (length: number) => Token[];
}

/**
 * The sampler options for one response. Penalties, DRY and XTC apply only in free text: a call repeats quotes and keys
 * because its format requires it. The engine reads these options again for every token.
 */
export function samplerOptions<Token>(sampling: EngineSampling, text: SampledText<Token>) {
  const { temperature, topK, topP, minP, seed } = sampling;
  return {
    // The run decides which of them end the response.
    yieldEogToken: true,
    temperature,
    topK: llamaTopK(topK),
    topP,
    minP,
    ...(seed === undefined ? {} : { seed: llamaSeed(seed) }),
    ...penalties(sampling, text),
    ...dry(sampling, text),
    ...xtc(sampling, text),
  };
}

function penalties<Token>(sampling: EngineSampling, { isFree, latest }: SampledText<Token>) {
  const { repeatPenalty = 1, frequencyPenalty = 0, presencePenalty = 0 } = sampling;
  const { repeatLastN = defaultRepeatLastN } = sampling;
  const isOff = repeatPenalty === 1 && frequencyPenalty === 0 && presencePenalty === 0;
  if (isOff || repeatLastN === 0) return {};
  return {
    repeatPenalty: {
      punishTokens: () => (isFree() ? latest(repeatLastN) : []),
      maxPunishTokens: repeatLastN,
      penalty: repeatPenalty,
      frequencyPenalty,
      presencePenalty,
    },
  };
}

function dry({ dry: given }: EngineSampling, { isFree, contextSize }: SampledText<unknown>) {
  if (given === undefined) return {};
  // Without a number, node-llama-cpp 3.22 considers no tokens.
  const { multiplier, base, allowedLength, lastN = contextSize, sequenceBreakers } = given;
  return {
    dryRepeatPenalty: {
      get strength() {
        return isFree() ? multiplier : 0;
      },
      ...withoutUndefined({ base, allowedLength }),
      lastTokens: lastN,
      ...(sequenceBreakers === undefined ? {} : { sequenceBreakers: [...sequenceBreakers] }),
    },
  };
}

function xtc({ xtc: given }: EngineSampling, { isFree }: SampledText<unknown>) {
  if (given === undefined) return {};
  const { probability, threshold } = given;
  return {
    xtc: {
      get probability() {
        return isFree() ? probability : 0;
      },
      threshold,
    },
  };
}
