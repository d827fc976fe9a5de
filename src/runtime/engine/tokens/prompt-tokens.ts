/** The tokens of a prompt. */
import type { ChatFormat } from '../../../format/chat-format.ts';
import { ContextOverflowError, type SchemaIssue } from '../../../format/errors.ts';
import type { Steps } from '../../../language/expression/steps.ts';
import { cutPromptSteps, reportUnprotected, type TracedPrompt } from '../../chat/prompt-pieces.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A prompt for the model. */
export interface PromptTokens {
  readonly text: string;
  readonly tokens: readonly number[];
  /** Tokens before the part of the assistant's turn in the prompt. */
  readonly turnStart: number;
  /** The part of the assistant's turn in the prompt, including its start. */
  readonly generationPrompt: string;
  /**
   * Markers in messages, tools and variables that are not special tokens, so nothing distinguishes them from the
   * template's; in a chat, also results without a call.
   */
  readonly report: readonly SchemaIssue[];
}

/**
 * Throws `ContextOverflowError` for a text that is too long for the context whatever its tokens are: to find out which
 * would take seconds.
 */
export function requireFits(text: string, vocabulary: Vocabulary, contextSize: number): void {
  requireTokens(vocabulary.fewestTokens(text.length), contextSize);
}

/** Throws `ContextOverflowError` if the context has no room for `least` tokens, such as one for each message. */
export function requireTokens(least: number, contextSize: number): void {
  if (least < contextSize) return;
  throw new ContextOverflowError({ needed: least + 1, available: contextSize, atLeast: true });
}

/**
 * Tokenises, in steps. Only text of the template becomes special tokens; if no data contains the text of one, the tokens are
 * those of the plain render.
 */
export function* encodePrompt(
  prompt: TracedPrompt,
  vocabulary: Vocabulary,
  format: ChatFormat,
): Steps<PromptTokens> {
  const { text, generationPrompt } = prompt;
  const pieces = yield* cutPromptSteps(prompt, vocabulary.finder);
  const tokens = yield* vocabulary.encodePromptSteps(pieces);
  yield;
  const turnStart =
    tokens.length - tokensOf(new TextEncoder().encode(generationPrompt).length, tokens, vocabulary);
  const report = yield* reportUnprotected(prompt, format, vocabulary.finder);
  return { text, tokens, turnStart, generationPrompt, report };
}

/** How many of the last `tokens` contain the last `length` bytes. */
function tokensOf(length: number, tokens: readonly number[], vocabulary: Vocabulary): number {
  let held = 0;
  let count = 0;
  for (; held < length && count < tokens.length; count++) {
    held += vocabulary.bytesOf(tokens[tokens.length - 1 - count] ?? 0).length;
  }
  return count;
}
