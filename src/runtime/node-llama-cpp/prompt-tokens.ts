/** From a conversation to the tokens of its prompt. */
import type { Token } from 'node-llama-cpp';
import type { ChatFormat } from '../../format/chat-format.ts';
import type { SchemaIssue } from '../../format/errors.ts';
import { cutPrompt, type PromptRequest, renderTraced, reportUnprotected } from '../chat/prompt-pieces.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A prompt as the model gets it. */
export interface PromptTokens {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** Tokens before what the prompt wrote of the assistant's turn. */
  readonly turnStart: number;
  /** What the prompt already wrote of the assistant's turn, its start included. */
  readonly generationPrompt: string;
  /**
   * Markers in messages, tools and variables that are not special tokens, and so cannot be told from the template's;
   * in a chat also results of no call.
   */
  readonly report: readonly SchemaIssue[];
}

/**
 * Renders and tokenises. Only what the template itself wrote becomes special tokens; where no data holds the text
 * of one, the tokens are those of the plain render. Throws what `renderPrompt` throws.
 */
export function encodePrompt(
  templateSource: string,
  options: PromptRequest,
  vocabulary: Vocabulary,
  format: ChatFormat,
): PromptTokens {
  const prompt = renderTraced(templateSource, options, format);
  const { text, generationPrompt } = prompt;
  const tokens = vocabulary.encodePrompt(cutPrompt(prompt, vocabulary.finder));
  const turnStart = tokens.length - tokensOf(Buffer.byteLength(generationPrompt), tokens, vocabulary);
  const report = reportUnprotected(prompt, format, vocabulary.finder);
  return { text, tokens, turnStart, generationPrompt, report };
}

/** How many of the last `tokens` hold the last `length` bytes. */
function tokensOf(length: number, tokens: readonly Token[], vocabulary: Vocabulary): number {
  let held = 0;
  let count = 0;
  for (; held < length && count < tokens.length; count++) {
    held += vocabulary.bytesOf(tokens[tokens.length - 1 - count] ?? vocabulary.token(0)).length;
  }
  return count;
}
