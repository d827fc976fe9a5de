/** Tokens of texts for search, which may be of any length and without a break. */
import type { LlamaModel, Token } from 'node-llama-cpp';
import { ContextOverflowError } from '../../../format/errors.ts';
import { memoize } from '../../../format/memoize.ts';
import { finishInTurns } from '../../../language/expression/steps.ts';
import { encodeWindows, type PieceTokenizer } from '../../engine/tokens/long-runs.ts';

/** `whole`: as in a prompt. `part`: without the space that some tokenizers put before a text. */
type TextPlace = 'whole' | 'part';

/**
 * The tokens of a text, in steps. Throws `ContextOverflowError` for a text that has more than `available` whatever they
 * are, and the signal's reason.
 */
export async function textTokens(
  model: LlamaModel,
  text: string,
  available: number,
  place: TextPlace,
  signal: AbortSignal | undefined,
): Promise<Token[]> {
  const needed = Math.ceil(text.length / longestToken(model));
  if (needed >= available) throw new ContextOverflowError({ needed, available });
  const tokens = await finishInTurns(encodeWindows(text, tokenizerOf(model, place)), signal);
  return [...tokens] as Token[];
}

function tokenizerOf(model: LlamaModel, place: TextPlace): PieceTokenizer {
  return {
    encode: (piece, begins) =>
      model.tokenize(piece, false, begins && place === 'whole' ? undefined : 'trimLeadingSpace'),
    widthOf: (token) => new TextEncoder().encode(model.detokenize([token as Token])).length,
    splits: model.fileInfo.metadata.tokenizer?.ggml?.model === 'gpt2',
  };
}

/** The length of the longest token in the model's own spelling, in which no character is shorter than in a text. */
const longestToken = memoize(({ fileInfo }: LlamaModel): number => {
  const texts = fileInfo.metadata.tokenizer?.ggml?.tokens ?? [];
  return texts.reduce((longest, text) => Math.max(longest, text.length), 1);
});
